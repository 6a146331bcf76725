import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Limit, LimitWindow } from '../../limits/limit.ts';

const DAY_MS = 86_400_000;
/** Nanodollars of a dollar. */
const NANO = 1e9;
/** Milliseconds for which a call waits for a budget that others hold. */
const WAIT_MS = 1000;
/** Limits of one token. */
const MOST = 10;

const seconds = { rps: 1, rpm: 60, rph: 3600, rpd: 86_400, rpw: 604_800 };
const amount = z.number().nonnegative();

const usageShape = z
  .object({
    credit_limit: amount.max(Number.MAX_SAFE_INTEGER / NANO),
    type: z.enum(['cost', 'tokens']).default('cost'),
    periodic_reset: z.enum(['weekly', 'monthly']).nullish(),
    periodic_reset_days: z.number().int().min(1).max(365).nullish(),
    next_usage_reset_at: z.iso.datetime({ offset: true }).nullish(),
  })
  .refine((given) => !given.periodic_reset || !given.periodic_reset_days);

const rateShape = z.object({
  type: z.enum(['requests', 'tokens']).default('requests'),
  unit: z.enum(['rps', 'rpm', 'rph', 'rpd', 'rpw']),
  value: amount.int().max(Number.MAX_SAFE_INTEGER),
});

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value as object).length === 0);

/** One, several, or none: an empty object and null stand for none. */
const listOf = <T extends z.ZodType>(shape: T) =>
  z
    .preprocess(
      (value) => (value === undefined || isNothing(value) ? [] : [value].flat()),
      z.array(shape).max(MOST),
    )
    .optional()
    .transform((list) => list ?? []);

export const usageLimitsClaim = listOf(usageShape);
export const rateLimitsClaim = listOf(rateShape);

/** The limits that a token claims for whoever shows it. */
export type ClaimedLimits = {
  usage: z.output<typeof usageLimitsClaim>;
  rates: z.output<typeof rateLimitsClaim>;
};

/** Whose limits they are. All tokens that claim the same limit for the same subject share its counter. */
export type LimitSubject = { organisationId: string; workspaceId: string; subject: string };

export const claimedLimits = ({ usage, rates }: ClaimedLimits, whose: LimitSubject): readonly Limit[] => [
  ...usage.map((claimed): Limit => {
    const { type, credit_limit } = claimed;
    return {
      ...common(whose, ['usage', type], claimed),
      kind: 'usage',
      unit: type,
      amount: Math.round(type === 'cost' ? credit_limit * NANO : credit_limit),
      window: windowOf(claimed),
      enforcement: 'hard',
      waitMs: WAIT_MS,
      onStoreLoss: 'closed',
    };
  }),
  ...rates.map((claimed): Limit => {
    const { type, unit, value } = claimed;
    return {
      ...common(whose, ['rate', `${type}:${unit}`], claimed),
      kind: 'rate',
      unit: type,
      amount: value,
      window: { kind: 'bucket', seconds: seconds[unit] },
      // What a call may answer at most is far more than it does: reserving that much of a rate would starve its callers.
      enforcement: type === 'tokens' ? 'soft' : 'hard',
      waitMs: 0,
      onStoreLoss: 'local',
    };
  }),
];

function common({ organisationId, workspaceId, subject }: LimitSubject, about: string[], claimed: object) {
  const digest = createHash('sha256')
    .update(JSON.stringify([organisationId, workspaceId, subject, claimed]))
    .digest('base64url')
    .slice(0, 22);
  return {
    id: ['token', digest, ...about].join(':'),
    version: 1,
    organisationId,
    workspaceId,
    level: 'token' as const,
    name: subject,
    unpriced: 'count' as const,
    onCrash: 'keep' as const,
    onAbort: 'progress' as const,
    alertThreshold: null,
    alertEmails: [],
    conditions: [],
    groupBy: [],
    target: 'llm' as const,
  };
}

function windowOf({
  periodic_reset,
  periodic_reset_days,
  next_usage_reset_at,
}: ClaimedLimits['usage'][number]): LimitWindow {
  if (periodic_reset) return { kind: periodic_reset };
  if (!periodic_reset_days) return { kind: 'forever' };
  const from = next_usage_reset_at ? Date.parse(next_usage_reset_at) : 0;
  return { kind: 'days', days: periodic_reset_days, from: from - (from % DAY_MS) };
}
