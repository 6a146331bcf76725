import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limit } from '../limit.ts';
import { LimitIndexes } from './limit-indexes.ts';
import type { SeenValues } from './value-key.ts';

/** Milliseconds of work before others have their turn. */
const SLICE_MS = 2;
/** Limits between two looks at the clock. */
const BATCH = 50;
/** Changes beyond which a list is compiled anew, in slices. */
const MOST_CHANGES = 200;

type Target = Limit['target'];

/** Makes the indexes of those limits that are about `target`; a few at once, many in slices. */
export function compileLimits(
  limits: readonly Limit[],
  seen: SeenValues,
  target: Target = 'llm',
): LimitIndexes | Promise<LimitIndexes> {
  const work = steps(
    limits.filter((limit) => limit.target === target),
    seen,
  );
  const first = slice(work);
  return first ?? rest(work);
}

/**
 * Brings the indexes of the list `before` to the list `after`, in which most limits are the same objects, by what is between
 * those that both begin and end with. False where that is too much, and nothing was done.
 */
export function updateLimits(
  indexes: LimitIndexes,
  before: readonly Limit[],
  after: readonly Limit[],
  target: Target,
): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++;
  const [former, present] = [before, after].map((list) =>
    list.slice(start, list.length - end).filter((limit) => limit.target === target),
  ) as [Limit[], Limit[]];
  if (former.length + present.length > MOST_CHANGES) return false;
  for (const limit of former) if (!present.includes(limit)) indexes.remove(limit);
  for (const limit of present) {
    if (former.includes(limit)) continue;
    indexes.announce(limit);
    indexes.add(limit);
  }
  return true;
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
  const indexes = new LimitIndexes(seen);
  for (const [at, limit] of limits.entries()) {
    indexes.announce(limit);
    if (at % BATCH === BATCH - 1) yield;
  }
  for (const [at, limit] of limits.entries()) {
    indexes.add(limit);
    if (at % BATCH === BATCH - 1) yield;
  }
  return indexes;
}
