import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import { BodyAborted, type BodyBudget, readBody } from '../../lib/bodies/index.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import type { Logger } from '../../lib/logger.ts';
import { isModernMessage } from '../exchange/era.ts';
import { errorText, RpcFailure, rpc } from '../exchange/failure.ts';
import { messageOf, parsedBody, requireJson } from '../exchange/receive.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { type McpPlace, mcpPlaceOf } from '../paths.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { AuthenticateMcp } from './authenticate.ts';
import { baseUrlOf } from './base-url.ts';
import { type EndDependencies, endSession } from './end-session.ts';
import { type FindDependencies, serverAt } from './find-server.ts';
import { type GetDependencies, openGetStream } from './get-stream.ts';
import { type GuardSettings, requireOwnOrigin } from './guard.ts';
import { sessionOf, sessionServer } from './initialize.ts';
import { answerLegacy, type LegacyDependencies, versionOf } from './legacy.ts';
import type { ListenDependencies } from './listen.ts';
import { answerModern } from './modern.ts';
import { recordRefusal } from './record-refusal.ts';
import { arrivalOf, knockOf, type McpArrival } from './visits.ts';

export type McpDoor = {
  /** Null for a path that is about no MCP server. */
  match(path: string): McpPlace | null;
  /** Never rejects because of the request. */
  handle(request: IncomingMessage, response: ServerResponse, place: McpPlace): Promise<void>;
  /** Ends the streams that stay open by themselves. */
  endStreams(): void;
};

export type DoorDependencies = LegacyDependencies &
  EndDependencies &
  ListenDependencies &
  GetDependencies &
  FindDependencies & {
    authenticate: AuthenticateMcp;
    guard: GuardSettings;
    /** Null for the address at which a request arrives. */
    baseUrl: string | null;
    bodies: BodyBudget;
    log: Logger;
  };

const MAX_BODY = 4 * 1024 * 1024;
const METHODS = 'GET, POST, DELETE';

/** Where callers of MCP servers come in. */
export function createMcpDoor(dependencies: DoorDependencies): McpDoor {
  async function handle(request: IncomingMessage, response: ServerResponse, place: McpPlace): Promise<void> {
    const base = baseUrlOf(dependencies.baseUrl, request);
    const knock = knockOf(request, base);
    let arrival: McpArrival | null = null;
    let server: McpServerRecord | null = null;
    try {
      requireOwnOrigin(request, base, dependencies.guard);
      if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: METHODS }).end();
      if (place.kind === 'gone') throw gone(base, place.slug);
      const arriving = arrivalOf(request, knock, dependencies.authenticate);
      arrival = arriving instanceof Promise ? await arriving : arriving;
      const found = serverAt(arrival, place, dependencies);
      server = found instanceof Promise ? await found : found;
      if (request.method !== 'POST') return await answerOther(arrival, server, response, dependencies);
      const raw = await bodyOf(arrival, response, dependencies);
      await answerPost(arrival, server, { raw, response }, dependencies);
    } catch (error) {
      const failure = refusalOf(error, request, response);
      if (failure) {
        const caller = arrival?.caller ?? failure.caller ?? null;
        const { method = '' } = request;
        await recordRefusal({ method, knock, place, caller, server, failure }, dependencies.record);
        refuse(failure, request, response);
      }
      if (isDefect(error)) throw error;
    }
  }

  const logged = (error: unknown) => dependencies.log.error({ error }, 'A request to an MCP server failed.');

  return {
    match: mcpPlaceOf,
    handle: (request, response, place) => handle(request, response, place).catch(logged),
    endStreams: () => dependencies.streams.endAll(),
  };
}

/** A request of the older era, with the session that it names. */
function legacyVisit(
  arrival: McpArrival,
  server: McpServerRecord,
  { seal, sessions }: DoorDependencies,
): McpVisit {
  const session = sessionOf(arrival, sessionServer(server), seal, sessions.hasEnded);
  const visit = { ...arrival.visit, era: 'legacy' as const, session };
  return { ...visit, version: versionOf(visit) };
}

function answerOther(
  arrival: McpArrival,
  server: McpServerRecord,
  response: ServerResponse,
  dependencies: DoorDependencies,
): Promise<void> | void {
  const { method } = arrival.request;
  const legacy = () => legacyVisit(arrival, server, dependencies);
  if (method === 'GET') return openGetStream(legacy(), server, response, dependencies);
  if (method === 'DELETE') return endSession(legacy(), server, response, dependencies);
  throw new RpcFailure(rpc.transport, 'Method not allowed.', { status: 405, headers: { allow: METHODS } });
}

function bodyOf(
  { request, caller }: McpArrival,
  response: ServerResponse,
  { bodies }: DoorDependencies,
): Promise<Buffer> {
  requireJson(request.headers);
  const hold = bodies.hold(caller.key.principal, clientAddress(request));
  return readBody(request, response, hold, MAX_BODY);
}

function answerPost(
  arrival: McpArrival,
  server: McpServerRecord,
  { raw, response }: { raw: Buffer; response: ServerResponse },
  dependencies: DoorDependencies,
): Promise<void> | void {
  const { headers } = arrival;
  const value = parsedBody(raw);
  if (!Array.isArray(value)) {
    const message = messageOf(value);
    if (isModernMessage(message, headers)) {
      const visit = {
        ...arrival.visit,
        era: 'modern' as const,
        session: null,
        version: String(headers['mcp-protocol-version'] ?? '').trim(),
      };
      return answerModern(visit, server, { message, raw, response }, dependencies);
    }
  }
  return answerLegacy(
    legacyVisit(arrival, server, dependencies),
    server,
    { value, raw, response },
    dependencies,
  );
}

const gone = (base: string, slug: string): RpcFailure =>
  new RpcFailure(rpc.transport, `Gone: this transport is no longer served. Connect to ${base}/${slug}/mcp.`, {
    status: 410,
  });

const isDefect = (error: unknown): boolean =>
  !(error instanceof RpcFailure || error instanceof GatewayError || error instanceof BodyAborted);

/** What is answered to a request that failed; null where nobody waits for an answer, or one has begun. */
function refusalOf(error: unknown, request: IncomingMessage, response: ServerResponse): RpcFailure | null {
  request.resume();
  if (error instanceof BodyAborted || response.destroyed) return null;
  if (response.headersSent) {
    response.destroy();
    return null;
  }
  return failureOf(error);
}

function refuse(failure: RpcFailure, request: IncomingMessage, response: ServerResponse): void {
  const text = errorText(failure, idOf(request));
  response
    .writeHead(failure.status === 200 ? 400 : failure.status, {
      'content-type': 'application/json',
      ...failure.headers,
    })
    .end(request.method === 'HEAD' ? undefined : text);
}

/** What has no id that is known is null in the older era, and absent in the modern one. */
const idOf = ({ headers }: IncomingMessage): null | undefined =>
  String(headers['mcp-protocol-version'] ?? '') >= '2026' ? undefined : null;

function failureOf(error: unknown): RpcFailure {
  if (error instanceof RpcFailure) return error;
  if (!(error instanceof GatewayError))
    return new RpcFailure(rpc.internal, 'Internal error', { status: 500, cause: error });
  const { status } = error.entry;
  const code = status === 413 ? rpc.tooLarge : status === 429 ? rpc.rateLimited : rpc.unreachable;
  const headers: Record<string, string> = {};
  if (error.retryAfter !== null) headers['retry-after'] = String(error.retryAfter);
  return new RpcFailure(code, error.message, { status, headers, cause: error });
}
