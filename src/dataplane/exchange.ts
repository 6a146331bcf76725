import { GatewayError } from '../errors/index.ts';
import type { Dialect, DialectRequest, Endpoint, Provider } from '../providers/index.ts';
import type { Call } from './call.ts';
import type { Leaf } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { askForUsage, withoutRefusedOptions } from './frames/ask-usage.ts';
import { formatOf } from './frames/format.ts';
import { gated } from './frames/gated.ts';
import { chatBody, type Ingress, ingressOf, throughChat } from './ingress/index.ts';
import { type OutgoingBody, outgoingBody } from './request-body.ts';
import { dialectHeaders, requestHeaders } from './request-headers.ts';
import type { Route } from './routes.ts';
import type { Target } from './target.ts';
import { sendDialect } from './upstream/local.ts';
import type { Send, UpstreamRequest } from './upstream/upstream.ts';

/** One target's part of a call, ready to be sent, as often as retries ask for it. */
export type Exchange = { request: UpstreamRequest; body: OutgoingBody; send: Send };

/** What is asked of a provider: as a rule what the caller asks of the gateway. */
type Asked = Pick<Route, 'endpoint' | 'upstreamPath'> & { query: string };

/**
 * How a target takes a call: in this process, in its own dialect, or over HTTP in the format that the caller used; or else,
 * where the format can be said in chat completions, as one of those.
 * Throws UNSUPPORTED_ENDPOINT when it takes it in none.
 */
export function exchangeOf(
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Promise<Exchange> {
  const body = outgoingBody(call, leaf, target);
  const { endpoint, upstreamPath } = call.route;
  const ingress = ingressOf(endpoint);
  if (ingress && body.value && !takes(target.provider, endpoint) && takes(target.provider, 'chatComplete'))
    return inChat(ingress, body.value, call, leaf, target, dependencies);
  const asking = askForUsage(body, endpoint, target.provider, leaf);
  return exchangeIn({ endpoint, upstreamPath, query: call.query }, asking, call, leaf, target, dependencies);
}

const takes = ({ endpoints, dialects }: Provider, endpoint: Endpoint): boolean =>
  dialects?.[endpoint] !== undefined || endpoints.has(endpoint);

const chat: Asked = { endpoint: 'chatComplete', upstreamPath: '/chat/completions', query: '' };

/** The same question as a chat completion (spec/data-plane.md, section 10.2). */
async function inChat(
  ingress: Ingress,
  value: Record<string, unknown>,
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Promise<Exchange> {
  const body = withoutRefusedOptions(chatBody(ingress, value), target.provider);
  const exchange = await exchangeIn(chat, body, call, leaf, target, dependencies);
  return { ...exchange, send: throughChat(exchange.send, ingress, value) };
}

async function exchangeIn(
  asked: Asked,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Promise<Exchange> {
  const { provider } = target;
  const { endpoint, upstreamPath } = asked;
  const loadDialect = provider.dialects?.[endpoint];
  if (loadDialect || provider.respond) requireHeld(call, target);
  if (loadDialect) return ownDialect(await loadDialect(), asked, body, call, leaf, target, dependencies);
  if (!provider.endpoints.has(endpoint)) {
    throw new GatewayError('UNSUPPORTED_ENDPOINT', {
      message: `The provider ${provider.id} has no ${upstreamPath}. To send the request as it is, call /v1/proxy${upstreamPath}.`,
      param: 'provider',
    });
  }
  if (provider.respond) return ownDialect(provider.respond, asked, body, call, leaf, target, dependencies);
  return overHttp(asked, body, call, leaf, target, dependencies);
}

/** Code that translates a request has to see it. */
function requireHeld({ body, route }: Call, { provider }: Target): void {
  if (body.kind !== 'stream') return;
  throw new GatewayError('UNSUPPORTED_ENDPOINT', {
    message: `The provider ${provider.id} takes no ${route.upstreamPath} unread: its format is another one, or the body is too large to translate.`,
    param: 'provider',
  });
}

async function overHttp(
  { endpoint, upstreamPath, query }: Asked,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  { http, headers }: DataplaneDependencies,
): Promise<Exchange> {
  const { provider, base, credential, model } = target;
  if (base === null) throw new Error(`The provider ${provider.id} has neither an address nor an answer.`);
  const path = provider.pathOf?.(endpoint, upstreamPath, model, credential.settings) ?? upstreamPath;
  const suffix = query ? `${path.includes('?') ? '&' : '?'}${query}` : '';
  const { content } = body;
  const unsigned = {
    method: call.method,
    origin: base.origin,
    path: `${base.path}${path}${suffix}`,
    headers: { ...requestHeaders(call, leaf, target, headers.toIgnore), ...streamLength(call, body) },
    body: Buffer.isBuffer(content) ? content : null,
  };
  const pending = provider.authorize(unsigned, credential, http.fetch);
  if (pending) await pending;
  return { request: { ...unsigned, body: content }, body, send: attentive(http.send, endpoint, body, call) };
}

/** A stream that is asked for on a route whose format the gateway knows is held until it has something to show. */
const attentive = (send: Send, endpoint: Endpoint, { value }: OutgoingBody, { route }: Call): Send =>
  route.unified && value?.stream === true ? gated(send, formatOf(endpoint)) : send;

/** What is not held in memory has the length that the caller announced, if it did. */
function streamLength({ body, headers }: Call, { growth }: OutgoingBody): Record<string, string> {
  const length = headers['content-length'];
  if (body.kind !== 'stream' || length === undefined) return {};
  return { 'content-length': String(Number(length) + growth) };
}

function ownDialect(
  dialect: Dialect,
  { endpoint, upstreamPath, query }: Asked,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  { http }: DataplaneDependencies,
): Exchange {
  const { base, credential, model } = target;
  const headers = dialectHeaders(call, leaf, target);
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
    strict: isStrict(call, leaf),
    fetch: http.fetch,
  };
  return {
    request: {
      origin: base?.origin ?? null,
      path: `${base?.path ?? ''}${upstreamPath}`,
      method: call.method,
      headers,
      body: body.content,
    },
    body,
    send: attentive(sendDialect(dialect, request), endpoint, body, call),
  };
}

/** Either side saying false shows what a provider has beyond OpenAI's format (spec/data-plane.md, sections 1.1 and 2.1). */
function isStrict({ headers }: Call, leaf: Leaf): boolean {
  const asked =
    headers['x-gateway-strict-open-ai-compliance'] ?? headers['x-gateway-strict-openai-compliance'];
  return asked !== 'false' && leaf.strictOpenAiCompliance;
}
