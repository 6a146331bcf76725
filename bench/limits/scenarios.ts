import type { Limit } from '../../src/limits/limit.ts';
import type { Scenario } from './simulator.ts';

/** Nanodollars that a call may cost at most, and the share of the reserved amount that it costs. */
const WORST = 10_000;
const SHARES = { leastShare: 0.05, mostShare: 0.6 };
const MEAN_COST = 0.75 * WORST * 0.325;

/** A budget in nanodollars for ever, which waits for what others hold. */
const budget = (id: string, amount: number): Limit => ({
  id,
  version: 1,
  organisationId: 'organisation',
  workspaceId: null,
  level: 'policy',
  name: id,
  kind: 'usage',
  unit: 'cost',
  amount: Math.round(amount),
  window: { kind: 'forever' },
  enforcement: 'hard',
  waitMs: 1000,
  unpriced: 'count',
  onStoreLoss: 'closed',
  onCrash: 'keep',
  onAbort: 'progress',
  alertThreshold: null,
  alertEmails: [],
  conditions: [],
  groupBy: [],
  target: 'llm',
});

/** So many requests a minute, which wait for nothing. */
const rate = (id: string, amount: number): Limit => ({
  ...budget(id, amount),
  kind: 'rate',
  unit: 'requests',
  window: { kind: 'bucket', seconds: 60 },
  waitMs: 0,
});

/** A budget of so many seconds of demand, asked for three times as long. */
export function base(seed: number, processes: number, seconds: number): Scenario {
  const callsPerSecond = 50 * Math.min(8, processes);
  return {
    seed,
    processes,
    limits: [budget('budget', callsPerSecond * MEAN_COST * seconds)],
    callsPerSecond,
    durationMs: 3000 * seconds,
    worst: WORST,
    ...SHARES,
    lost: 0.001,
    doubled: 0.001,
  };
}

type Make = ((seed: number, processes: number, seconds: number) => Scenario) & { hasKills?: boolean };

const withKills = (more: Pick<Scenario, 'hasJournals'>): Make =>
  Object.assign((...of: Parameters<Make>) => ({ ...base(...of), ...more, killEveryMs: 10_000 }), {
    hasKills: true,
  });

/** What the table of `npm run bench:limits` has a row for. */
export const scenarios: Record<string, Make> = {
  calm: base,
  'five counters a call': (...of) => {
    const scenario = base(...of);
    const [{ amount }] = scenario.limits as [Limit];
    const others = [1, 2, 3, 4].map((index) => budget(`other-${index}`, 2 * amount));
    return { ...scenario, limits: [...scenario.limits, ...others] };
  },
  '90 % on one process': (...of) => ({ ...base(...of), skew: 0.9 }),
  '2 % lost, 2 % doubled': (...of) => ({ ...base(...of), lost: 0.02, doubled: 0.02 }),
  'one stopped up to 8 s, every 2 s': (...of) => ({ ...base(...of), pauseEveryMs: 2000 }),
  'half of them cut off for 15 s': (...of) => {
    const scenario = base(...of);
    const from = scenario.durationMs / 12;
    return { ...scenario, cut: { from, until: from + 15_000 } };
  },
  'a rate of 600 a minute': (seed, processes, seconds) => ({
    ...base(seed, processes, seconds),
    limits: [rate('rate', 600)],
    callsPerSecond: 30,
    durationMs: 7500 * seconds,
    worst: 1,
    leastShare: 1,
    mostShare: 1,
  }),
  'a kill -9 every 10 s, with journals': withKills({ hasJournals: true }),
  'a kill -9 every 10 s, without': withKills({ hasJournals: false }),
};
