import type { Dialect, DialectRequest } from '../../providers/index.ts';
import { withHops } from '../call/hops.ts';
import { keepsBodies } from '../call/tracking.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import type { Asked } from '../request/adapter.ts';
import { dialectHeaders } from '../request/headers.ts';
import { sendDialect } from '../send/in-process.ts';
import { WireTap } from '../send/wire-tap.ts';
import type { Leg } from './leg.ts';

/** Asks the provider's own code in this process, which writes the requests to the provider itself. */
export function askDialect(
  leg: Leg,
  { endpoint, upstreamPath, query }: Asked,
  dialect: Dialect,
  { http, maxLoggedBytes }: DataplaneDependencies,
): void {
  const { call, leaf, target, body } = leg;
  const { base, credential, model } = target;
  const { fetch } = http;
  const headers = dialectHeaders(call, leaf, target);
  const tap = keepsBodies(call) ? new WireTap(maxLoggedBytes) : null;
  const ask = tap ? tap.fetching(fetch) : fetch;
  const request: Omit<DialectRequest, 'signal'> = {
    endpoint,
    method: call.method,
    path: upstreamPath,
    query,
    body: body.value,
    model,
    base,
    credential,
    headers,
    metadata: call.metadata,
    strict: isStrict(leg),
    fetch,
    ask: target.hasFixedAddress ? ask : withHops(ask, call.hops + 1),
  };
  leg.tap = tap;
  leg.endpoint = endpoint;
  leg.local = sendDialect(dialect, request);
  leg.request = {
    origin: base?.origin ?? null,
    path: `${base?.path ?? ''}${upstreamPath}`,
    method: call.method,
    headers,
    body: body.content,
  };
}

/** False shows what the provider has beyond OpenAI's format; the request's header or the config may ask for that. */
export function isStrict({ call: { headers }, leaf }: Leg): boolean {
  const asked =
    headers['x-gateway-strict-open-ai-compliance'] ?? headers['x-gateway-strict-openai-compliance'];
  return asked !== 'false' && leaf.strictOpenAiCompliance;
}
