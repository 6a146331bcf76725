import { hasOwnCredential } from '../../authentication/own-credentials.ts';
import { GatewayError } from '../../errors/index.ts';
import { headerOf } from '../../lib/http/headers.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import { refusedForwardHeaders } from '../../routing-config/rules.ts';
import type { Call } from '../call/call.ts';
import { connectionNames, isHopByHop } from '../call/hop-by-hop.ts';
import { HOPS_HEADER } from '../call/hops.ts';
import { traceparentOf } from '../call/trace.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import { requireModelsInHeaders } from '../target/restricted-models.ts';
import type { Target } from '../target/target.ts';

// What a unified route sends of the caller's own headers, beside those that the provider wants. `accept-encoding` is not
// among them: plain answers let the gateway read the token counts.
const unifiedHeaders = ['content-type', 'accept', 'idempotency-key'];

// Never sent on: they belong to this hop, are set by the HTTP client, or carry the caller's relation to the gateway.
const notForwarded = new Set(['host', 'content-length', 'expect', 'authorization']);

/**
 * The headers that go to the provider. `ignored`: names that the operator keeps back on paths that are passed on. The
 * provider's credential is added later and always wins.
 */
export function requestHeaders(
  call: Call,
  leaf: Leaf,
  target: Target,
  ignored: readonly string[],
): UpstreamHeaders {
  const headers: UpstreamHeaders = {};
  if (call.route.unified) {
    for (const name of unifiedHeaders) copy(call, name, headers);
    for (const name of target.provider.callerHeaders ?? []) copy(call, name, headers);
  } else {
    const named = connectionNames(call.headers.connection);
    for (const name in call.headers) {
      if (notForwarded.has(name) || isHopByHop(name) || name.startsWith('x-gateway-') || named?.has(name))
        continue;
      copy(call, name, headers);
    }
    for (const name of ignored) delete headers[name];
    if (call.method === 'GET' && call.body.kind === 'none') delete headers['content-type'];
  }
  addFurther(call, leaf, target, headers);
  passAuthorization(call, target, headers);
  // Last, so that nothing which the caller or an administrator adds can reset the count.
  if (!target.hasFixedAddress) headers[HOPS_HEADER] = String(call.hops + 1);
  return headers;
}

/** Headers for a provider whose own code writes the request: those that config, request or integration add to it. */
export function dialectHeaders(call: Call, leaf: Leaf, target: Target): UpstreamHeaders {
  const headers: UpstreamHeaders = {};
  for (const name of target.provider.callerHeaders ?? []) copy(call, name, headers);
  addFurther(call, leaf, target, headers);
  return headers;
}

function addFurther(call: Call, leaf: Leaf, target: Target, headers: UpstreamHeaders): void {
  const traceparent = traceparentOf(call.trace, call.span);
  if (traceparent !== null) {
    copy(call, 'tracestate', headers);
    headers.traceparent = traceparent;
  }
  for (const name of forwardedNames(call, leaf)) copy(call, name, headers);
  requireModelsInHeaders(target, leaf, headers);
  for (const [name, value] of Object.entries(target.customHeaders)) headers[name.toLowerCase()] = value;
}

function copy(call: Call, name: string, headers: UpstreamHeaders): void {
  const value = call.headers[name];
  // A copy of the gateway key under any other name stays here as well, and so do other gateway keys and access tokens.
  if (value === undefined || value.includes(call.secret) || hasOwnCredential(String(value))) return;
  headers[name] = value;
}

/** What the caller put in Authorization is not for a provider whose credential comes from elsewhere. */
function passAuthorization(call: Call, target: Target, headers: UpstreamHeaders): void {
  if (target.record || target.credential.key !== null) delete headers.authorization;
  else if (call.providerAuthorization) headers.authorization = call.providerAuthorization;
}

/** `x-gateway-forward-headers` (a comma list, or a JSON array as some SDKs send it) beats the config's list. */
export function forwardedNames(call: Call, leaf: Leaf): readonly string[] {
  const listed = headerOf(call.headers, 'x-gateway-forward-headers');
  if (!listed) return leaf.forwardHeaders.filter(mayForward);
  return listed
    .split(',')
    .map((name) => name.replace(/["'[\]\s]/g, '').toLowerCase())
    .filter((name) => name !== '' && mayForward(requireForwardable(name)));
}

/** Throws for the names that a config may not list either. */
function requireForwardable(name: string): string {
  if (!refusedForwardHeaders.test(name)) return name;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${name} may not be forwarded.`,
    param: 'x-gateway-forward-headers',
  });
}

const mayForward = (name: string): boolean =>
  !name.startsWith('x-gateway-') && !notForwarded.has(name) && !isHopByHop(name);
