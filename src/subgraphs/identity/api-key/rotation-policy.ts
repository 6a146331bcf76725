import { invalidInput } from '../../../errors/index.ts';
import type { RotationPolicyInput } from '../../types.generated.ts';
import type { RotationPolicy } from './model.ts';

const DAY_MS = 86_400_000;
/** Days of the shortest month. */
const SHORTEST_MONTH = 28;
/** Milliseconds; the schema says so too. */
const DEFAULT_TRANSITION_MS = 1_800_000;

type Period = Pick<RotationPolicy, 'rotationPeriod' | 'rotationPeriodDays'>;

/** A policy as it is stored, its first rotation in the future; throws VALIDATION_FAILED naming what is wrong. */
export function parsePolicy(input: RotationPolicyInput | null | undefined, now: Date): RotationPolicy | null {
  if (!input) return null;
  const param = 'input.rotationPolicy';
  const period = {
    rotationPeriod: input.rotationPeriod ?? null,
    rotationPeriodDays: input.rotationPeriodDays ?? null,
  };
  const { nextRotationAt: named } = input;
  if (period.rotationPeriod !== null && period.rotationPeriodDays !== null) {
    throw invalidInput(
      `${param}.rotationPeriodDays`,
      'rotation_period and rotation_period_days exclude each other: send one of them.',
    );
  }
  if (named && named <= now)
    throw invalidInput(`${param}.nextRotationAt`, 'next_rotation_at must be in the future.');
  const beginsAt = named ?? nth(period, now, 1);
  if (beginsAt === null) {
    throw invalidInput(
      param,
      'rotation_policy needs rotation_period (weekly or monthly), rotation_period_days (1 to 365) or next_rotation_at.',
    );
  }
  const keyTransitionPeriodMs = input.keyTransitionPeriodMs ?? DEFAULT_TRANSITION_MS;
  const days = daysOf(period);
  if (days !== null && keyTransitionPeriodMs >= days * DAY_MS) {
    throw invalidInput(
      `${param}.keyTransitionPeriodMs`,
      `key_transition_period_ms must be shorter than the period, so less than ${days * DAY_MS}.`,
    );
  }
  return { ...period, nextRotationAt: beginsAt, keyTransitionPeriodMs, beginsAt };
}

/** The policy with its first rotation after `now`; null when none is to come. */
export function advanced(policy: RotationPolicy, now: Date): RotationPolicy | null {
  const { beginsAt } = policy;
  const days = daysOf(policy);
  if (days === null) return null;
  // Months are longer than their shortest, so that this begins too late by no period and too early by a few at most.
  const longest = (policy.rotationPeriod === 'monthly' ? 31 : days) * DAY_MS;
  let count = Math.max(1, Math.floor((now.getTime() - beginsAt.getTime()) / longest));
  for (;;) {
    const next = nth(policy, beginsAt, count);
    if (next === null || next > now) return next && { ...policy, nextRotationAt: next };
    count++;
  }
}

/** Days of a period at least; null for a policy of a date alone. */
const daysOf = ({ rotationPeriod, rotationPeriodDays }: Period): number | null =>
  rotationPeriod === 'weekly' ? 7 : rotationPeriod === 'monthly' ? SHORTEST_MONTH : rotationPeriodDays;

function nth(period: Period, from: Date, count: number): Date | null {
  if (period.rotationPeriod === 'monthly') return monthsLater(from, count);
  const days = daysOf(period);
  return days === null ? null : new Date(from.getTime() + count * days * DAY_MS);
}

/** The same day and time of a later month, its last day where it has no such day. */
function monthsLater(from: Date, count: number): Date {
  const later = new Date(from);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + count);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return later;
}
