import type { Endpoint } from '../../providers/index.ts';
import { type Route, routeOf } from '../call/routes.ts';

/** Endpoints whose answers are never kept: uploads and jobs, images made from others, and what is no model's answer. */
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

/** Where an API may begin in front of a model path, e.g. `/v1`, `/openai/v1` or `/openai/deployments/gpt-4o`. */
const beginning = /^(?:\/(?:api|openai|anthropic|inference|v\d[\w.]*)(?=\/))*(?:\/deployments\/[^/]+(?=\/))?/;

/** Paths below such a beginning by which models are asked in formats other than the gateway's, and nothing is created. */
const ownModelPaths: readonly RegExp[] = [
  /\/(?:models|tunedModels|endpoints)\/[^/]+:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens|predict|rawPredict)$/,
  /^\/model\/[^/]+\/(?:converse|invoke|count-tokens)$/,
  /^\/(?:serving-)?endpoints\/[^/]+\/invocations$/,
  /^\/\d{8}\/actions\/(?:chat|embedText|generateText|rerankText)$/,
  /^\/run\/@\w+\/[^/]+\/[^/]+$/,
  /^\/generation\/[^/]+\/text-to-image$/,
  /^\/(?:chat|complete|embed|embedding\/text|fim\/completions|generate)$/,
];

/** Whether a response begins a job, or adds to a conversation that the provider keeps. */
export const acts = ({ background, conversation }: Record<string, unknown>): boolean =>
  background === true || (conversation ?? null) !== null;

/**
 * Whether a route asks a model and does nothing else, so that its answer may be another call's. What goes to a provider
 * as it is may create or cancel something: of its paths only those of models are.
 */
export function isCacheable({ endpoint, upstreamPath }: Route): boolean {
  if (endpoint !== 'proxy') return !uncached.has(endpoint);
  const path = upstreamPath.replace(beginning, '');
  if (ownModelPaths.some((form) => form.test(path))) return true;
  const known = routeOf(path).endpoint;
  return known !== 'proxy' && !uncached.has(known);
}
