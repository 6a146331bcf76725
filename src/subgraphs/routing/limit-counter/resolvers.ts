import { shownAmount } from '../../../dataplane/limits/amounts.ts';
import { type CounterReport, forecastOf } from '../../../limits/engine/index.ts';
import type { LimitUnit } from '../../../limits/limit.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { crossedAt } from './alarms.ts';
import { levelOf, listCounters, listHistory, resetOne, returnHeld } from './service.ts';

type Amount = 'used' | 'held' | 'uncertain' | 'abandoned' | 'remaining' | 'overshoot' | 'cap';

const unitOf = ({ unit }: CounterReport): LimitUnit => unit as LimitUnit;
const amount = (name: Amount) => (counter: CounterReport) => shownAmount(unitOf(counter), counter[name]);
const moment = (at: number | null): Date | null => (at === null ? null : new Date(at));

export const resolvers = {
  Query: {
    limitCounters: (_parent, args, context) => listCounters(context, args),
    limitHistory: (_parent, args, context) => listHistory(context, args),
  },
  Mutation: {
    resetLimitCounter: (_parent, { id }, context) => resetOne(context, id),
    returnAbandoned: (_parent, { id }, context) => returnHeld(context, id),
  },
  LimitCounter: {
    id: ({ _id }) => _id,
    level: levelOf,
    unit: unitOf,
    from: ({ from }) => moment(from),
    until: ({ until }) => moment(until),
    limit: amount('cap'),
    used: amount('used'),
    held: amount('held'),
    uncertain: amount('uncertain'),
    abandoned: amount('abandoned'),
    remaining: amount('remaining'),
    overshoot: amount('overshoot'),
    status: ({ fill, cap }) => (fill >= cap ? 'exhausted' : 'active'),
    alertedAt: async (counter, _args, context) => (await crossedAt(context).load(counter)).alertedAt,
    exhaustedAt: async (counter, _args, context) => (await crossedAt(context).load(counter)).exhaustedAt,
    unpricedRequests: ({ unpriced }) => unpriced,
    forecast(counter) {
      const forecast = forecastOf(counter, Date.now());
      if (forecast === null) return null;
      const { exhaustsAt, usedAtReset, pace } = forecast;
      return {
        exhaustsAt: moment(exhaustsAt),
        usedAtReset: usedAtReset === null ? null : shownAmount(unitOf(counter), usedAtReset),
        paceSeconds: Math.round(pace.ms / 1000),
        paceUsed: shownAmount(unitOf(counter), pace.used),
      };
    },
    leases: (counter, { limit }) =>
      Object.entries(counter.L)
        .slice(0, limit)
        .map(([process, { g, u, h, t }]) => ({
          process,
          granted: shownAmount(unitOf(counter), g),
          used: shownAmount(unitOf(counter), u),
          held: shownAmount(unitOf(counter), h),
          seenAt: new Date(t),
        })),
  },
} satisfies Resolvers;
