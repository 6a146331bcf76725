import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Limit } from '../limits/limit.ts';

/** Milliseconds of work before others have their turn. */
const SLICE_MS = 2;

/**
 * The list `after` with those limits that are as they were in `before` as the same objects; `before` itself where all are. What
 * was made of a list that did not change can so be kept. A workspace may have tens of thousands.
 */
export async function withUnchanged(
  before: readonly Limit[],
  after: readonly Limit[],
): Promise<readonly Limit[]> {
  let known: Map<string, Limit> | null = null;
  const formerOf = (limit: Limit, at: number) => {
    const inPlace = before[at];
    if (inPlace?.id === limit.id) return inPlace;
    known ??= byId(before);
    return known.get(limit.id);
  };
  const merged: Limit[] = [];
  let isSame = before.length === after.length;
  let end = performance.now() + SLICE_MS;
  for (const [at, limit] of after.entries()) {
    if (limit === before[at]) {
      merged.push(limit);
      continue;
    }
    const former = formerOf(limit, at);
    const kept = former && isDeepStrictEqual(former, limit) ? former : limit;
    isSame &&= kept === before[at];
    merged.push(kept);
    if (performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + SLICE_MS;
  }
  return isSame ? before : merged;
}

/** Without a pair for each of them, which would be as much garbage. */
function byId(limits: readonly Limit[]): Map<string, Limit> {
  const found = new Map<string, Limit>();
  for (const limit of limits) found.set(limit.id, limit);
  return found;
}
