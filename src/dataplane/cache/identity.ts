import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/canonical.ts';
import { isNestedDeeperThan } from '../../lib/storable.ts';
import { type Call, headerOf } from '../call.ts';
import type { Leaf } from '../config/plan.ts';
import type { Target } from '../target.ts';
import type { UpstreamHeaders } from '../upstream/upstream.ts';

type Json = Record<string, unknown>;

/** Levels of JSON that are put in order; whoever sends more gets no cache. */
const MAX_DEPTH = 200;

/** Headers that say nothing about the answer. */
const irrelevant = new Set(
  [
    'api-key',
    'workspace-id',
    'trace-id',
    'span-id',
    'span-name',
    'parent-span-id',
    'cache-force-refresh',
    'cache-namespace',
    'request-timeout',
    'sensitive-headers',
    'debug',
    'runtime',
    'runtime-version',
    'package-version',
    // What the target and the body are made of stands in the hash as such.
    'config',
    'provider',
    'virtual-key',
    'metadata',
  ].map((name) => `x-gateway-${name}`),
);

/**
 * What an answer depends on, as a hash of it together with a body. Tenant, workspace and credential stand before all else:
 * nobody ever finds what another one's call has left. Without a namespace metadata and gateway headers divide the cache
 * further, with one it alone does (section 4). Null for bodies too deep to be compared.
 */
export function identify(
  call: Call,
  leaf: Leaf,
  target: Target,
  sent: UpstreamHeaders,
  body: Json,
): { id(body: Json): string } | null {
  if (isNestedDeeperThan(MAX_DEPTH, body)) return null;
  const namespace = headerOf(call.headers, 'x-gateway-cache-namespace') ?? leaf.cache?.namespace;
  const { organisationId, kind, id, userId } = call.key.principal;
  const place = canonicalJson([
    organisationId,
    call.workspaceId,
    [kind, id, userId],
    [call.route.endpoint, call.path, call.query],
    [target.provider.id, target.record?.id ?? target.credential.key, target.base, target.credential.settings],
    [call.providerAuthorization, toldHeaders(sent)],
    [leaf.strictOpenAiCompliance, call.headers[STRICT] ?? null],
    namespace === undefined ? { metadata: call.metadata, headers: relevantHeaders(call) } : { namespace },
  ]);
  return {
    id({ stream: _stream, stream_options: _options, ...members }) {
      return createHash('sha256')
        .update(place)
        .update('\n')
        .update(canonicalJson(members))
        .digest('base64url');
    },
  };
}

const STRICT = 'x-gateway-strict-open-ai-compliance';

/** Headers of a request to a provider that are another one every time, or say nothing that an answer could depend on. */
const passing =
  /^(authorization|traceparent|tracestate|baggage|idempotency-key|content-length|user-agent|accept-encoding|x-amz-.*|x-stainless-.*)$/;

/** What the provider is told in headers: forwarded ones may say for whom it answers. */
const toldHeaders = (sent: UpstreamHeaders): [string, unknown][] =>
  Object.entries(sent).filter(([name]) => !passing.test(name));

const relevantHeaders = ({ headers }: Call): Json =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('x-gateway-') && !irrelevant.has(name)),
  );
