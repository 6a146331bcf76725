import { GatewayError } from '../errors/index.ts';
import type { Dialect, DialectRequest } from '../providers/index.ts';
import type { Call } from './call.ts';
import type { Leaf } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { askForUsage } from './frames/ask-usage.ts';
import { type OutgoingBody, outgoingBody } from './request-body.ts';
import { dialectHeaders, requestHeaders } from './request-headers.ts';
import type { Target } from './target.ts';
import { sendDialect } from './upstream/local.ts';
import type { Send, UpstreamRequest } from './upstream/upstream.ts';

/** One target's part of a call, ready to be sent, as often as retries ask for it. */
export type Exchange = { request: UpstreamRequest; body: OutgoingBody; send: Send };

/**
 * How a target takes a call: in this process, in its own dialect, or over HTTP in the format that the caller used.
 * Throws UNSUPPORTED_ENDPOINT when it takes it in none.
 */
export async function exchangeOf(
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Promise<Exchange> {
  const { provider } = target;
  const { endpoint } = call.route;
  const body = askForUsage(outgoingBody(call, leaf, target), call.route.endpoint, provider, leaf);
  const loadDialect = provider.dialects?.[endpoint];
  if (loadDialect) return ownDialect(await loadDialect(), body, call, leaf, target, dependencies);
  if (!provider.endpoints.has(endpoint)) {
    throw new GatewayError('UNSUPPORTED_ENDPOINT', {
      message: `The provider ${provider.id} has no ${call.route.upstreamPath}. To send the request as it is, call /v1/proxy${call.route.upstreamPath}.`,
      param: 'provider',
    });
  }
  if (provider.respond) return ownDialect(provider.respond, body, call, leaf, target, dependencies);
  return overHttp(body, call, leaf, target, dependencies);
}

async function overHttp(
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  { http }: DataplaneDependencies,
): Promise<Exchange> {
  const { provider, base, credential, model } = target;
  const { endpoint, upstreamPath } = call.route;
  if (base === null) throw new Error(`The provider ${provider.id} has neither an address nor an answer.`);
  const path = provider.pathOf?.(endpoint, upstreamPath, model, credential.settings) ?? upstreamPath;
  const query = call.query ? `${path.includes('?') ? '&' : '?'}${call.query}` : '';
  const { content } = body;
  const unsigned = {
    method: call.method,
    origin: base.origin,
    path: `${base.path}${path}${query}`,
    headers: requestHeaders(call, leaf, target),
    body: Buffer.isBuffer(content) ? content : null,
  };
  const pending = provider.authorize(unsigned, credential);
  if (pending) await pending;
  return { request: { ...unsigned, body: content }, body, send: http.send };
}

function ownDialect(
  dialect: Dialect,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  { http }: DataplaneDependencies,
): Exchange {
  const { base, credential, model } = target;
  const headers = dialectHeaders(call, leaf, target);
  const request: Omit<DialectRequest, 'signal'> = {
    endpoint: call.route.endpoint,
    method: call.method,
    path: call.route.upstreamPath,
    body: body.value,
    model,
    base,
    credential,
    headers,
    strict: isStrict(call, leaf),
    fetch: http.fetch,
  };
  return {
    request: {
      origin: base?.origin ?? null,
      path: `${base?.path ?? ''}${call.route.upstreamPath}`,
      method: call.method,
      headers,
      body: body.content,
    },
    body,
    send: sendDialect(dialect, request),
  };
}

/** Either side saying false shows what a provider has beyond OpenAI's format (spec/data-plane.md, sections 1.1 and 2.1). */
function isStrict({ headers }: Call, leaf: Leaf): boolean {
  const asked =
    headers['x-gateway-strict-open-ai-compliance'] ?? headers['x-gateway-strict-openai-compliance'];
  return asked !== 'false' && leaf.strictOpenAiCompliance;
}
