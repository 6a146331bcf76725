import type { Limit } from '../../src/limits/limit.ts';

/** What somebody sees who watches all processes at once. Amounts are in the unit of the limit. */
export type Judge = {
  admitted(amount: number, now: number): void;
  ended(amount: number, cost: number): void;
  verdict(): { overspent: number; overcommitted: number; utilisation: number };
};

/** `durationMs`: for how long calls come. */
export function judgeOf(limits: readonly Limit[], durationMs: number): Judge {
  const [{ amount, window }] = limits as [Limit];
  return window.kind === 'bucket'
    ? rateJudge(amount, window.seconds * 1000, durationMs)
    : budgetJudge(Math.min(...limits.map(({ amount }) => amount)));
}

function budgetJudge(cap: number): Judge {
  let spent = 0;
  let held = 0;
  let overcommitted = 0;
  return {
    admitted(amount) {
      held += amount;
      overcommitted = Math.max(overcommitted, spent + held - cap);
    },
    ended(amount, cost) {
      held -= amount;
      spent += cost;
    },
    verdict: () => ({ overspent: Math.max(0, spent - cap), overcommitted, utilisation: spent / cap }),
  };
}

/** In no span of time more may be admitted than the capacity and what is refilled in it: what one exact bucket would allow. */
function rateJudge(capacity: number, windowMs: number, durationMs: number): Judge {
  let level = capacity;
  let at = 0;
  let sum = 0;
  let most = 0;
  return {
    admitted(amount, now) {
      level = Math.min(capacity, level + (capacity * (now - at)) / windowMs) - amount;
      at = now;
      sum += amount;
      // Sums of so many parts are off by less.
      if (level < -1e-6) most = Math.max(most, -level);
    },
    ended: () => undefined,
    verdict: () => ({
      overspent: most,
      overcommitted: most,
      utilisation: sum / (capacity + (capacity * durationMs) / windowMs),
    }),
  };
}
