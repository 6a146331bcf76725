import type { UnsignedRequest } from '../../providers/index.ts';
import type { Call } from '../call/call.ts';
import { keepsBodies } from '../call/tracking.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import type { Asked } from '../request/adapter.ts';
import { requestHeaders } from '../request/headers.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import { WireTap } from '../send/wire-tap.ts';
import type { Leg } from './leg.ts';
import { refuseRequest } from './refuse-request.ts';

/** Writes the request and has the provider's own authentication added. Waits only for a signature or a token. */
export function askOverHttp(
  leg: Leg,
  asked: Asked,
  dependencies: DataplaneDependencies,
): Promise<void> | undefined {
  const unsigned = unsignedRequest(leg, dependencies);
  const { provider, credential } = leg.target;
  try {
    unsigned.path = pathOf(leg, asked);
    const pending = provider.authorize(unsigned, credential, dependencies.http.fetch);
    if (pending) {
      return pending.then(
        () => useSigned(leg, asked, unsigned, dependencies),
        (error: unknown) => refuseRequest(leg, error, asked.endpoint),
      );
    }
  } catch (error) {
    refuseRequest(leg, error, asked.endpoint);
    return;
  }
  useSigned(leg, asked, unsigned, dependencies);
}

type Unsigned = UnsignedRequest & { isStream: boolean };

function unsignedRequest({ call, leaf, target, body }: Leg, { headers }: DataplaneDependencies): Unsigned {
  const { provider, base } = target;
  if (base === null) throw new Error(`The provider ${provider.id} has neither an address nor an answer.`);
  const sent = requestHeaders(call, leaf, target, headers.toIgnore);
  announceLength(sent, call, body.growth);
  const { content } = body;
  return {
    // Of those that answer in words of their own, a head is what the gateway makes of a GET.
    method: call.request.method === 'HEAD' ? 'HEAD' : call.method,
    origin: base.origin,
    path: '',
    headers: sent,
    body: Buffer.isBuffer(content) ? content : null,
    isStream: content !== null && !Buffer.isBuffer(content),
  };
}

/** A body that is not held in memory has the length that the caller announced, if it did. */
function announceLength(headers: UpstreamHeaders, { body, headers: announced }: Call, growth: number): void {
  const length = announced['content-length'];
  if (body.kind === 'stream' && length !== undefined)
    headers['content-length'] = String(Number(length) + growth);
}

/** Path and query at the provider's origin. */
function pathOf({ target }: Leg, { endpoint, upstreamPath, query }: Asked): string {
  const { provider, base, model, credential } = target;
  const basePath = base?.path ?? '';
  const path =
    provider.pathOf?.({ endpoint, path: upstreamPath, model, settings: credential.settings, basePath }) ??
    upstreamPath;
  const suffix = query ? `${path.includes('?') ? '&' : '?'}${query}` : '';
  return `${basePath}${path}${suffix}`;
}

/** Takes the request as it is once authentication was added, which may change its path and headers. */
function useSigned(
  leg: Leg,
  { endpoint }: Asked,
  { origin, path, method, headers, isStream }: Unsigned,
  { maxLoggedBytes }: DataplaneDependencies,
): void {
  const { call, body } = leg;
  leg.endpoint = endpoint;
  leg.request = {
    origin,
    path,
    method,
    headers,
    body: body.content,
    mayRepeat: !isStream && isHarmlessTwice(call, headers),
  };
  if (endpoint !== call.route.endpoint && keepsBodies(call)) leg.tap = new WireTap(maxLoggedBytes);
}

/**
 * Whether a request may reach its provider twice: by its method or its key of idempotency, or since it asks a model, which
 * makes nothing that lasts. A POST on a path that is passed on may make something each time.
 */
const isHarmlessTwice = ({ method, route }: Call, headers: UpstreamHeaders): boolean =>
  method !== 'POST' || route.unified || headers['idempotency-key'] !== undefined;
