import { performance } from 'node:perf_hooks';
import type { Leaf } from '../routing-config/plan.ts';
import type { Call } from './call/call.ts';
import { spanOfTry } from './call/trace.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { throughCache } from './leg/look-in-cache.ts';
import { exchangeOf } from './leg/make-request.ts';
import { untilSettled } from './leg/send-until-settled.ts';
import { recordExchange } from './record.ts';
import type { Outcome } from './strategy/walk.ts';
import { resolveTarget } from './target/resolve-target.ts';

/** Calls one target with its retries, streams the accepted answer to the caller and records the whole as one log. */
export async function callTarget(
  leaf: Leaf,
  accept: (status: number) => boolean,
  call: Call,
  dependencies: DataplaneDependencies,
): Promise<Outcome> {
  const startedAt = performance.now();
  call.leaf = leaf;
  const chosen = resolveTarget(leaf, call, dependencies);
  // Nothing to wait for, as a rule, and a wait for nothing would be paid by every call.
  const target = chosen instanceof Promise ? await chosen : chosen;
  call.span = spanOfTry(call.trace, call.plan.kind === 'leaf');
  const made = exchangeOf(call, leaf, target, dependencies);
  const asked = made instanceof Promise ? await made : made;
  const cached = leaf.cache && (await throughCache(asked, leaf, target, call, dependencies.cache));
  const exchange = cached?.exchange ?? asked;
  const settled = await untilSettled(exchange, leaf, target, accept, call, dependencies);
  recordExchange(dependencies, call, { leaf, target, exchange, settled, startedAt });
  cached?.keep(settled);
  return { status: settled.status, relayed: settled.relayed, failure: settled.result.failure };
}
