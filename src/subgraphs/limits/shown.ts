import DataLoader from 'dataloader';
import { limitCounterModel } from '../../limits/counters/model.ts';
import { counterId, windowAt } from '../../limits/counters/window.ts';
import { type GraphContext, perRequest } from '../context.ts';
import type { RateLimit, UsageLimit, UsageLimitTerms } from '../types.generated.ts';
import { shownRateBehaviour, shownUsageBehaviour } from './behaviour.ts';
import { lastReset, nextPeriod } from './periods.ts';
import type { StoredLimits, StoredUsageLimit } from './stored.ts';
import { type LimitOwner, usageLimitOf } from './to-limit.ts';

/** Nanodollars of a dollar. */
const NANO = 1e9;
/** Of a limit that is counted as a whole. */
const NO_GROUPS = '';

/** What counters have counted, in their own unit, by their id; 0 for one that does not exist yet. */
const usedOf = perRequest(
  ({ db, principal }: GraphContext) =>
    new DataLoader<string, number>(async (ids) => {
      if (!principal) return ids.map(() => 0);
      const { organisationId } = principal;
      const found = await limitCounterModel(db)
        .find({ _id: { $in: [...ids] }, organisationId }, { fill: 1 })
        .lean<{ _id: string; fill: number }[]>();
      const used = new Map(found.map(({ _id, fill }) => [_id, fill]));
      return ids.map((id) => used.get(id) ?? 0);
    }),
);

/** Usage limits as callers see them, with what has been used. */
export const shownUsageLimits = (
  context: GraphContext,
  owner: LimitOwner,
  { usageLimits = [] }: StoredLimits,
): Promise<UsageLimit[]> => Promise.all(usageLimits.map((limit) => shownUsage(context, owner, limit)));

async function shownUsage(
  context: GraphContext,
  owner: LimitOwner,
  stored: StoredUsageLimit,
): Promise<UsageLimit> {
  const now = context.now();
  const limit = usageLimitOf(owner, stored);
  const used = await usedOf(context).load(counterId(limit, NO_GROUPS, windowAt(limit.window, now.getTime())));
  const { type, creditLimit, alertThreshold, periodicReset, periodicResetDays } = stored;
  return {
    ...{ type, creditLimit, alertThreshold, periodicReset, periodicResetDays },
    ...shownUsageBehaviour(stored),
    nextUsageResetAt: nextPeriod(stored, now),
    lastResetAt: lastReset(stored, now),
    currentUsage: type === 'cost' ? used / NANO : used,
    status: used >= limit.amount ? 'exhausted' : 'active',
  };
}

/** Whether nothing is left of one of the usage limits of an owner. */
export const isExhausted = async (
  context: GraphContext,
  owner: LimitOwner,
  limits: StoredLimits,
): Promise<boolean> =>
  (await shownUsageLimits(context, owner, limits)).some(({ status }) => status === 'exhausted');

/** Usage limits that several have, each with a usage of its own. */
export const shownUsageTerms = (
  { now }: Pick<GraphContext, 'now'>,
  { usageLimits = [] }: StoredLimits,
): UsageLimitTerms[] =>
  usageLimits.map((stored) => {
    const { type, creditLimit, alertThreshold, periodicReset, periodicResetDays } = stored;
    return {
      ...{ type, creditLimit, alertThreshold, periodicReset, periodicResetDays },
      ...shownUsageBehaviour(stored),
      nextUsageResetAt: nextPeriod(stored, now()),
    };
  });

export const shownRateLimits = ({ rateLimits = [] }: StoredLimits): RateLimit[] =>
  rateLimits.map((stored) => {
    const { type, unit, value } = stored;
    return { type, unit, value, ...shownRateBehaviour(stored) };
  });
