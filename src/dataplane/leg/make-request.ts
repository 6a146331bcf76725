import { GatewayError } from '../../errors/index.ts';
import { streamFormatOf } from '../../formats/index.ts';
import type { Dialect, DialectRequest, Endpoint } from '../../providers/index.ts';
import type { CacheStatus } from '../../recording/log-record.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { withHops } from '../call/hops.ts';
import { keepsBodies } from '../call/tracking.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { gated } from '../leg/layers/gate-stream.ts';
import { translatedSend } from '../leg/layers/translate.ts';
import type { Adapter, Asked } from '../request/adapter.ts';
import { adapterFor, translatedBody } from '../request/adapter.ts';
import { askForUsage, withoutRefusedOptions } from '../request/ask-usage.ts';
import { type OutgoingBody, outgoingBody } from '../request/body.ts';
import { dialectHeaders, requestHeaders } from '../request/headers.ts';
import { refusing, sendDialect } from '../send/in-process.ts';
import type { Send, UpstreamHeaders, UpstreamRequest } from '../send/upstream.ts';
import { Wire } from '../send/wire-tap.ts';
import type { Target } from '../target/target.ts';
import { placingRedirects } from './layers/keep-redirects.ts';

/** One target's part of a call, ready to be sent, as often as retries ask for it. */
export type Exchange = {
  request: UpstreamRequest;
  body: OutgoingBody;
  send: Send;
  /** What the caller's format says where `body` is a translation of it. */
  untranslated?: OutgoingBody;
  /** Where the provider is asked in another format than the caller's, if bodies are logged. */
  wire?: Wire | null;
  /** The cache's part in it; absent where it has none. `captureBytes`: of the answer, to be kept. */
  cache?: { status: CacheStatus; mode: 'simple' | 'semantic'; captureBytes: number };
};

/**
 * How a target takes a call: in this process, in its own dialect, or over HTTP in the format that the caller used; or else,
 * where the provider takes another format in which the same can be said, in that one.
 * Throws UNSUPPORTED_ENDPOINT when it takes it in none.
 */
export function exchangeOf(
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Exchange | Promise<Exchange> {
  const { endpoint, upstreamPath } = call.route;
  const body = outgoingBody(call, leaf, target);
  const adapter = adapterFor(endpoint, target, call.headers);
  if (adapter && body.value) return adapted(adapter, body, body.value, call, leaf, target, dependencies);
  const asking = askForUsage(body, endpoint, target.provider, leaf);
  return exchangeIn({ endpoint, upstreamPath, query: call.query }, asking, call, leaf, target, dependencies);
}

async function adapted(
  { asked, translation }: Adapter,
  given: OutgoingBody,
  value: Record<string, unknown>,
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Promise<Exchange> {
  let translated: OutgoingBody;
  try {
    translated = translatedBody(translation, value);
  } catch (error) {
    return { request: notSent(call, target), body: given, send: refusing(error, call.route.endpoint) };
  }
  const body = withoutRefusedOptions(translated, target.provider);
  const exchange = await exchangeIn(asked, body, call, leaf, target, dependencies);
  return { ...exchange, untranslated: given, send: translatedSend(exchange.send, translation, value) };
}

function exchangeIn(
  asked: Asked,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Exchange | Promise<Exchange> {
  const { provider } = target;
  const { endpoint, upstreamPath } = asked;
  const loadDialect = provider.dialects?.[endpoint];
  if (loadDialect || provider.respond) requireHeld(call, target);
  if (loadDialect) {
    return loadDialect().then((dialect) =>
      ownDialect(dialect, asked, body, call, leaf, target, dependencies),
    );
  }
  if (!provider.endpoints.has(endpoint)) {
    const advice = provider.respond
      ? 'It answers in the gateway itself and has no more below /v1/proxy.'
      : `To send the request as it is, call /v1/proxy${upstreamPath}.`;
    throw new GatewayError('UNSUPPORTED_ENDPOINT', {
      message: `The provider ${provider.id} has no ${upstreamPath}. ${advice}`,
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

function overHttp(
  { endpoint, upstreamPath, query }: Asked,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Exchange | Promise<Exchange> {
  const { http, headers, redirects } = dependencies;
  const { provider, base, credential, model } = target;
  if (base === null) throw new Error(`The provider ${provider.id} has neither an address nor an answer.`);
  const { settings } = credential;
  const { content } = body;
  const sent = requestHeaders(call, leaf, target, headers.toIgnore);
  announceLength(sent, call, body.growth);
  const unsigned = {
    // Of those that answer in words of their own, a head is what the gateway makes of a GET.
    method: call.request.method === 'HEAD' ? 'HEAD' : call.method,
    origin: base.origin,
    path: '',
    headers: sent,
    body: Buffer.isBuffer(content) ? content : null,
    isStream: content !== null && !Buffer.isBuffer(content),
  };
  const refusedBy = (error: unknown): Exchange => ({
    request: notSent(call, target),
    body,
    send: refusing(error, endpoint),
  });
  try {
    const path =
      provider.pathOf?.({ endpoint, path: upstreamPath, model, settings, basePath: base.path }) ??
      upstreamPath;
    const suffix = query ? `${path.includes('?') ? '&' : '?'}${query}` : '';
    unsigned.path = `${base.path}${path}${suffix}`;
    const pending = provider.authorize(unsigned, credential, http.fetch);
    // Where the gateway knows the format, a redirect is an error like any other.
    const send = call.route.unified ? http.send : placingRedirects(http.send, provider, base, redirects);
    const wire = endpoint === call.route.endpoint ? null : wireFor(call, dependencies);
    // Only then, since authorizing may change the headers.
    const exchange = (): Exchange => ({
      request: { ...unsigned, body: content, mayRepeat: !unsigned.isStream && isHarmlessTwice(call, sent) },
      body,
      send: attentive(wire ? wire.trying(wire.sending(send)) : send, endpoint, body, call),
      wire,
    });
    return pending ? pending.then(exchange, refusedBy) : exchange();
  } catch (error) {
    return refusedBy(error);
  }
}

/**
 * Whether a request may reach its provider twice: by its method or its key of idempotency, or since it asks a model, which
 * makes nothing that lasts. A POST on a path that is passed on may make something each time.
 */
const isHarmlessTwice = ({ method, route }: Call, headers: UpstreamHeaders): boolean =>
  method !== 'POST' || route.unified || headers['idempotency-key'] !== undefined;

/** Where a request would have gone that was refused on the way. */
const notSent = ({ method, route }: Call, { base }: Target): UpstreamRequest => ({
  origin: base?.origin ?? null,
  path: `${base?.path ?? ''}${route.upstreamPath}`,
  method,
  headers: {},
  body: null,
});

/** A stream that is asked for on a route whose format the gateway knows is held until it has something to show. */
const attentive = (send: Send, endpoint: Endpoint, { value }: OutgoingBody, { route }: Call): Send =>
  route.unified && value?.stream === true ? gated(send, streamFormatOf(endpoint)) : send;

/** What is not held in memory has the length that the caller announced, if it did. */
function announceLength(headers: UpstreamHeaders, { body, headers: announced }: Call, growth: number): void {
  const length = announced['content-length'];
  if (body.kind === 'stream' && length !== undefined)
    headers['content-length'] = String(Number(length) + growth);
}

function ownDialect(
  dialect: Dialect,
  { endpoint, upstreamPath, query }: Asked,
  body: OutgoingBody,
  call: Call,
  leaf: Leaf,
  target: Target,
  dependencies: DataplaneDependencies,
): Exchange {
  const { base, credential, model } = target;
  const { fetch } = dependencies.http;
  const headers = dialectHeaders(call, leaf, target);
  const wire = wireFor(call, dependencies);
  const ask = wire ? wire.fetching(fetch) : fetch;
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
    strict: isStrict(call, leaf),
    fetch,
    ask: target.hasFixedAddress ? ask : withHops(ask, call.hops + 1),
  };
  const send = sendDialect(dialect, request);
  return {
    request: {
      origin: base?.origin ?? null,
      path: `${base?.path ?? ''}${upstreamPath}`,
      method: call.method,
      headers,
      body: body.content,
    },
    body,
    send: attentive(wire ? wire.trying(send) : send, endpoint, body, call),
    wire,
  };
}

const wireFor = (call: Call, { maxLoggedBytes }: DataplaneDependencies): Wire | null =>
  keepsBodies(call) ? new Wire(maxLoggedBytes) : null;

/** Either side saying false shows what a provider has beyond OpenAI's format (spec/data-plane.md, sections 1.1 and 2.1). */
function isStrict({ headers }: Call, leaf: Leaf): boolean {
  const asked =
    headers['x-gateway-strict-open-ai-compliance'] ?? headers['x-gateway-strict-openai-compliance'];
  return asked !== 'false' && leaf.strictOpenAiCompliance;
}
