import { spliced } from '../../lib/json-text/splice.ts';
import type { CapturedAnswer } from '../../recording/log/answers/capture.ts';
import { isEventStream } from '../answer/relay.ts';
import type { Settled } from '../answer/settled.ts';
import { cachingOf } from '../cache/caching.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { isStrict } from './ask-dialect.ts';
import type { Leg } from './leg.ts';
import type { LegStep, RunLeg } from './leg-step.ts';

/** Looks for an answer in the cache, where the config has one; otherwise keeps the provider's answer there. */
export const lookInCache: LegStep = (leg, dependencies, next) =>
  leg.leaf.cache === null || leg.denied !== null
    ? next(leg, dependencies)
    : throughCache(leg, dependencies, next);

/** What guardrails said of one call is no part of an answer that others get. Null for what is not to be kept. */
function withoutResults(leg: Leg, answer: CapturedAnswer): CapturedAnswer | null {
  if (isEventStream(answer.headers)) return isStrict(leg) ? answer : null;
  if (!answer.isComplete || !answer.head.includes('"hook_results"')) return answer;
  const head = spliced(answer.head, new Map([['hook_results', null]]));
  return { ...answer, head, size: head.length };
}

async function throughCache(leg: Leg, dependencies: DataplaneDependencies, next: RunLeg): Promise<Settled> {
  const { cache } = dependencies;
  const caching = cachingOf(leg, cache.maxAge);
  if (caching === null) return next(leg, dependencies);
  const { status, found, keep } = await cache.lookUp(caching);
  leg.cache = { status, mode: caching.mode, found };
  const settled = await next(leg, dependencies);
  const { result, relayed, capture } = settled;
  if (relayed && result.failure === null && result.defect === null) {
    const answer = leg.guards === null ? capture.taken() : withoutResults(leg, capture.taken());
    if (answer !== null) keep(settled.status, answer);
  }
  return settled;
}
