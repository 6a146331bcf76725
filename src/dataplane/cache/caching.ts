import { headerOf } from '../../lib/http/headers.ts';
import type { Endpoint } from '../../providers/index.ts';
import { headerTimeout } from '../call/request-timeout.ts';
import { declinesTracking } from '../call/tracking.ts';
import { acts, isCacheable } from './cacheable.ts';
import { type CachedRequest, identify } from './identity.ts';
import { type Question, questionOf } from './question.ts';

/** What the cache is asked about a leg. */
export type Caching = {
  mode: 'simple' | 'semantic';
  organisationId: string;
  workspaceId: string;
  /** Where an equal call would have put its answer. */
  id: string;
  /** What to compare with like questions; null compares with none. */
  question: Question | null;
  /** Milliseconds that the caller gives an attempt, which a comparison does not outlast; null without such a limit. */
  patience: number | null;
  /** Seconds that an answer is kept. */
  maxAge: number;
  /** Asks the provider whatever is there, and replaces it. */
  refresh: boolean;
  endpoint: Endpoint;
  /** The caller wants a stream. */
  stream: boolean;
  withUsage: boolean;
  /** Gateways that the call came through, this one included. */
  hops: number;
};

const MIN_AGE = 60;
const MAX_AGE = 7_776_000;
export const DEFAULT_MAX_AGE = 604_800;

/**
 * How the cache takes part in a leg; null when it does not: no mode in the config, a body that is not JSON, a path that keeps
 * nothing, a call that does something, or a caller who asks not to be tracked. `ceiling`: seconds, the operator's limit of an
 * answer's age; null for none.
 */
export function cachingOf(request: CachedRequest, ceiling: number | null): Caching | null {
  const { call, leaf, body } = request;
  const { cache } = leaf;
  if (cache === null || body.value === null || call.method !== 'POST') return null;
  if (!isCacheable(call.route) || acts(body.value) || declinesTracking(call)) return null;
  const identity = identify(request, body.value);
  if (identity === null) return null;
  const { endpoint } = call.route;
  const options = body.value.stream_options as { include_usage?: unknown } | undefined | null;
  return {
    mode: cache.mode,
    organisationId: call.key.principal.organisationId,
    workspaceId: call.workspaceId,
    id: identity.id(body.value),
    question: cache.mode === 'semantic' ? questionOf(endpoint, body.value, identity.id) : null,
    patience: headerTimeout(call) ?? leaf.requestTimeout,
    maxAge: ageOf(cache.max_age ?? null, ceiling),
    refresh: headerOf(call.headers, 'x-gateway-cache-force-refresh') === 'true',
    endpoint,
    stream: body.value.stream === true,
    withUsage: options?.include_usage === true,
    hops: call.hops + 1,
  };
}

/** Between a minute and ninety days; the operator's own limit is the default as well as a ceiling. */
function ageOf(asked: number | null, ceiling: number | null): number {
  const wanted = Math.min(asked ?? ceiling ?? DEFAULT_MAX_AGE, ceiling ?? MAX_AGE, MAX_AGE);
  return Math.max(wanted, MIN_AGE);
}
