import { createHash } from 'node:crypto';
import { wholeFormatOf } from '../../formats/index.ts';
import { canonicalJson } from '../../lib/canonical.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { inexactNumbers } from '../../lib/json-text/numbers.ts';
import { isNestedDeeperThan } from '../../lib/storable.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import type { OutgoingBody } from '../request/body.ts';
import { forwardedNames } from '../request/headers.ts';
import type { UpstreamHeaders, UpstreamRequest } from '../send/upstream.ts';
import type { Target } from '../target/target.ts';
import { isPassing } from './passing-headers.ts';

type Json = Record<string, unknown>;

/** A request to a provider whose answer the cache may have. */
export type CachedRequest = {
  call: Call;
  leaf: Leaf;
  target: Target;
  request: Pick<UpstreamRequest, 'headers'>;
  body: OutgoingBody;
};

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
 * further, with one it alone does. Null for bodies too deep to be compared.
 */
export function identify(
  { call, leaf, target, request, body }: CachedRequest,
  value: Json,
): { id(body: Json): string } | null {
  if (isNestedDeeperThan(MAX_DEPTH, value)) return null;
  const namespace = headerOf(call.headers, 'x-gateway-cache-namespace') ?? leaf.cache?.namespace;
  const { organisationId, kind, id, userId } = call.key.principal;
  const place = canonicalJson([
    organisationId,
    call.workspaceId,
    [kind, id, userId],
    [call.route.endpoint, call.path, call.query],
    [target.provider.id, target.record?.id ?? target.credential.key, target.base, target.credential.settings],
    [call.providerAuthorization, toldHeaders(call, leaf, target, request.headers)],
    [leaf.strictOpenAiCompliance, call.headers[STRICT] ?? null],
    // Numbers that the provider may tell apart, although they have become one here.
    ...(Buffer.isBuffer(body.content) ? inexactNumbers(body.content) : []),
    namespace === undefined ? { metadata: call.metadata, headers: relevantHeaders(call) } : { namespace },
  ]);
  // Only where one form of an answer can be made of the other.
  const isReplayed = wholeFormatOf(call.route.endpoint) !== undefined;
  return {
    id(asked) {
      const { stream: _stream, stream_options: _options, ...members } = asked;
      return createHash('sha256')
        .update(place)
        .update('\n')
        .update(canonicalJson(isReplayed ? members : asked))
        .digest('base64url');
    },
  };
}

const STRICT = 'x-gateway-strict-open-ai-compliance';

/** What the provider is told in headers: they may say for whom it answers. Where the gateway knows the format, each was chosen. */
function toldHeaders(call: Call, leaf: Leaf, { customHeaders }: Target, sent: UpstreamHeaders) {
  const meant = new Set([...forwardedNames(call, leaf), ...Object.keys(customHeaders).map(lowerCase)]);
  return Object.entries(sent).filter(([name]) => !isPassing(name, call.route.unified || meant.has(name)));
}

const lowerCase = (name: string): string => name.toLowerCase();

const relevantHeaders = ({ headers }: Call): Json =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('x-gateway-') && !irrelevant.has(name)),
  );
