import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { GatewayError } from '../../errors/index.ts';
import { hostnameOf, portOf } from '../../lib/http/custom-host.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { requestHeaders } from '../request/headers.ts';
import type { Guard } from '../send/address-guard.ts';
import { failureOf } from '../send/failure.ts';
import type { UpstreamRequest } from '../send/upstream.ts';
import { withModel } from '../target/model-query.ts';
import type { Admission } from './admit.ts';
import { MESSAGE_LIMITS } from './relay.ts';
import type { Side } from './unfinished.ts';

/** Bytes of a provider's refusal that are passed on. */
const MAX_REFUSAL = 64 * 1024;

/** The provider answered the opening with a status of its own. */
export class Refused extends Error {
  readonly status: number;
  readonly body: Buffer;
  constructor(status: number, body: Buffer) {
    super(`The provider refused the session with the status ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** The request that opens a session at the provider: base URL, query and the provider's own authentication. */
export async function openingOf(
  { call, leaf, target, guards }: Admission,
  { http, headers: settings }: Pick<DataplaneDependencies, 'http' | 'headers'>,
): Promise<UpstreamRequest> {
  const { provider, base, credential, model } = target;
  if (base === null) throw new Error(`The provider ${provider.id} has no address.`);
  const place = { endpoint: 'realtime', path: '/realtime', model, basePath: base.path } as const;
  const path = provider.pathOf?.({ ...place, settings: credential.settings }) ?? place.path;
  const query = withModel(call.query, model);
  const headers = Object.entries({
    ...guards.headers,
    ...requestHeaders(call, leaf, target, settings.toIgnore),
  });
  const unsigned = {
    method: 'GET',
    origin: base.origin,
    path: `${base.path}${path}${query && (path.includes('?') ? '&' : '?')}${query}`,
    headers: Object.fromEntries(headers.filter(([name]) => !name.startsWith('sec-websocket-'))),
    body: null,
  };
  await provider.authorize(unsigned, credential, http.fetch);
  return unsigned;
}

/** `timeout`: milliseconds until the session is open. */
export type ConnectOptions = { protocols: string[]; timeout: number; guard: Guard; signal: AbortSignal };

/**
 * A session at the provider, open and paused, so that nothing of it is lost before somebody listens. Rejects with
 * `Refused`, or with the GatewayError that says why there was no answer.
 */
export function connect({ origin, path, headers }: UpstreamRequest, options: ConnectOptions): Promise<Side> {
  const { protocols, timeout, guard, signal } = options;
  const url = new URL(`${origin}${path}`);
  return new Promise((resolve, reject) => {
    // What this throws, the promise rejects with.
    const lookup = guard.lookupAt(hostnameOf(url), portOf(url));
    const socket = new WebSocket(`${origin?.replace(/^http/, 'ws')}${path}`, protocols, {
      headers: headers as Record<string, string>,
      ...MESSAGE_LIMITS,
      perMessageDeflate: false,
      lookup,
    });
    let isLate = false;
    const giveUp = () => socket.terminate();
    const timer = setTimeout(() => {
      isLate = true;
      giveUp();
    }, timeout);
    signal.addEventListener('abort', giveUp, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    const fail = (error: Error) => {
      settle();
      reject(error instanceof Refused ? error : noAnswer(error, isLate));
    };
    socket.once('upgrade', ({ socket: connection }) => {
      socket.once('open', () => {
        settle();
        socket.pause();
        resolve({ socket, connection });
      });
    });
    socket.once('unexpected-response', (_request, response) => {
      refusalOf(response).then(fail, fail);
    });
    // Also for what comes after the promise is settled, which the session learns from its own listeners.
    socket.on('error', fail);
    if (signal.aborted) giveUp();
  });
}

async function refusalOf(response: IncomingMessage): Promise<Refused> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_REFUSAL) break;
  }
  return new Refused(response.statusCode ?? 0, Buffer.concat(chunks).subarray(0, MAX_REFUSAL));
}

function noAnswer(cause: Error, isLate: boolean): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (isLate) return new GatewayError('REQUEST_TIMEOUT', { cause });
  const isUnreachable = failureOf(cause, false) === 'connect';
  return new GatewayError(isUnreachable ? 'PROVIDER_UNREACHABLE' : 'PROVIDER_CONNECTION_FAILED', { cause });
}
