import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limit } from '../limit.ts';
import { type LimitStage, stageOf } from './facts.ts';
import { LimitIndex } from './limit-index.ts';
import type { SeenValues } from './value-key.ts';

/** The limits of a workspace by when they can be found; null where there are none. */
export type LimitIndexes = Readonly<Record<LimitStage, LimitIndex | null>>;

/** Milliseconds of work before others have their turn. */
const SLICE_MS = 2;
/** Limits between two looks at the clock. */
const BATCH = 50;
const order: readonly LimitStage[] = ['arrival', 'call', 'target'];

/** The latest stage of all that a limit needs to know. */
export function stageOfLimit({ conditions, groupBy }: Pick<Limit, 'conditions' | 'groupBy'>): LimitStage {
  let latest: LimitStage = 'arrival';
  for (const key of [...conditions.map((each) => each.key), ...groupBy]) {
    const stage = stageOf(key);
    if (order.indexOf(stage) > order.indexOf(latest)) latest = stage;
  }
  return latest;
}

/** Makes the indexes of those limits that are about `target`; a few at once, many in slices. */
export function compileLimits(
  limits: readonly Limit[],
  seen: SeenValues,
  target: Limit['target'] = 'llm',
): LimitIndexes | Promise<LimitIndexes> {
  const work = steps(
    limits.filter((limit) => limit.target === target),
    seen,
  );
  const first = slice(work);
  return first ?? rest(work);
}

async function rest(work: Iterator<undefined, LimitIndexes>): Promise<LimitIndexes> {
  for (;;) {
    await nextTurn();
    const made = slice(work);
    if (made) return made;
  }
}

/** Works for one slice of time; null while there is more to do. */
function slice(work: Iterator<undefined, LimitIndexes>): LimitIndexes | null {
  const end = performance.now() + SLICE_MS;
  do {
    const { done, value } = work.next();
    if (done) return value;
  } while (performance.now() < end);
  return null;
}

function* steps(limits: readonly Limit[], seen: SeenValues): Generator<undefined, LimitIndexes> {
  const counts = new Map<string, Map<string, number>>();
  for (const [at, { conditions }] of limits.entries()) {
    for (const { key, values } of conditions) {
      let ofKey = counts.get(key);
      if (!ofKey) {
        ofKey = new Map();
        counts.set(key, ofKey);
      }
      for (const value of values) ofKey.set(value, (ofKey.get(value) ?? 0) + 1);
    }
    if (at % BATCH === BATCH - 1) yield;
  }
  const frequency = (key: string, value: string) => counts.get(key)?.get(value) ?? 0;
  const indexes = {
    arrival: new LimitIndex(seen),
    call: new LimitIndex(seen),
    target: new LimitIndex(seen),
  };
  for (const [at, limit] of limits.entries()) {
    indexes[stageOfLimit(limit)].add(limit, frequency);
    if (at % BATCH === BATCH - 1) yield;
  }
  const orNull = (index: LimitIndex) => (index.size === 0 ? null : index);
  return { arrival: orNull(indexes.arrival), call: orNull(indexes.call), target: orNull(indexes.target) };
}
