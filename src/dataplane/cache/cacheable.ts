import type { Endpoint } from '../../providers/index.ts';
import { isCacheablePath, pathBelowApi } from '../../providers/native-api.ts';
import { type Route, routeOf } from '../call/routes.ts';

/** Endpoints whose answers are never cached: uploads, jobs, images made from others, and what no model answers. */
const uncached: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'files',
  'batches',
  'batchOutput',
  'fineTuning',
  'storedResponse',
  'imageEdit',
  'imageVariation',
  'models',
  'realtime',
]);

/** Whether a response begins a job, or adds to a conversation that the provider keeps. */
export const acts = ({ background, conversation }: Record<string, unknown>): boolean =>
  background === true || (conversation ?? null) !== null;

/**
 * Whether a route asks a model and does nothing else, so that its answer may be another call's. What goes to a provider
 * as it is may create or cancel something: of its paths only those of models are.
 */
export function isCacheable({ endpoint, upstreamPath }: Route): boolean {
  if (endpoint !== 'proxy') return !uncached.has(endpoint);
  const path = pathBelowApi(upstreamPath);
  if (isCacheablePath(path)) return true;
  const known = routeOf(path).endpoint;
  return known !== 'proxy' && !uncached.has(known);
}
