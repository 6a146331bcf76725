import type { IndexPlan } from './planner.ts';

/** An index that narrows a selection. */
export type Candidate = {
  plan: IndexPlan;
  score: number;
  /** Its fields that the selection fixes to values. */
  fixed: readonly string[];
  /** Each of its intervals holds one document at most. */
  isUnique: boolean;
};

/** Counts the entries that a plan would read, up to a number. */
export type CountEntries = (plan: IndexPlan, most: number) => number;

/** Entries that are read within a millisecond. */
const FEW = 128;
/** Entries up to which it is worth counting. */
const MANY = 8192;
const STEP = 8;

/**
 * The candidate to take: the one with the highest score, unless one that is narrowed by other fields has fewer entries. What
 * scores tell is how many fields are fixed, and two that fix an owner may leave a million documents where one that fixes a
 * thread leaves ten. `isPage`: the first documents of the best one in its order may suffice.
 */
export function fewest(
  best: Candidate,
  candidates: readonly Candidate[],
  { count, isPage }: { count: CountEntries; isPage: boolean },
): Candidate {
  if (best.isUnique) return best;
  return candidates
    .filter(({ fixed }) => fixed.some((name) => !best.fixed.includes(name)))
    .sort((one, other) => other.score - one.score)
    .reduce((found, other) => (hasFewer(other, found, count, isPage) ? other : found), best);
}

/** Counts both in steps until one has come to its end, so that counting takes no longer than reading the shorter one. */
function hasFewer(other: Candidate, best: Candidate, count: CountEntries, isPage: boolean): boolean {
  for (let most = FEW; most <= (isPage ? FEW : MANY); most *= STEP) {
    const found = count(other.plan, most);
    if (found < most) return count(best.plan, found + 1) > found;
    if (count(best.plan, most) < most) return false;
  }
  return false;
}
