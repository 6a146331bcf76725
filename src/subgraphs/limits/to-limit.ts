import type { Limit, LimitLevel, LimitWindow } from '../../limits/limit.ts';
import { shownRateBehaviour, shownUsageBehaviour } from './behaviour.ts';
import { windowOf } from './periods.ts';
import type { RateUnit, StoredLimits, StoredRateLimit, StoredUsageLimit } from './stored.ts';

/** Whose limit it is. */
export type LimitOwner = {
  level: LimitLevel;
  id: string;
  organisationId: string;
  /** Null for the organisation itself. */
  workspaceId: string | null;
  /** What messages call it. */
  name: string;
  alertEmails?: readonly string[];
};

/** Nanodollars of a dollar. */
const NANO = 1e9;

const secondsOf: Record<RateUnit, number> = { rps: 1, rpm: 60, rph: 3600, rpd: 86_400, rpw: 604_800 };

const none: readonly Limit[] = [];

/** What is enforced for an owner; the same empty list for all that have no limits. */
export function limitsOf(owner: LimitOwner, { usageLimits, rateLimits }: StoredLimits): readonly Limit[] {
  if (!usageLimits?.length && !rateLimits?.length) return none;
  return [
    ...(usageLimits ?? []).map((stored) => usageLimitOf(owner, stored)),
    ...(rateLimits ?? []).map((stored) => rateLimitOf(owner, stored)),
  ];
}

export function usageLimitOf(owner: LimitOwner, stored: StoredUsageLimit): Limit {
  const { type, version, alertThreshold } = stored;
  return {
    ...ownership(owner),
    id: idOf(owner, 'usage', type, stored.since),
    version,
    kind: 'usage',
    unit: type,
    amount: inUnits(type, stored.creditLimit),
    ...shownUsageBehaviour(stored),
    window: windowOf(stored),
    alertThreshold: alertThreshold === null ? null : inUnits(type, alertThreshold),
  };
}

export function rateLimitOf(owner: LimitOwner, stored: StoredRateLimit): Limit {
  const { type, unit, version, value } = stored;
  return {
    ...ownership(owner),
    id: idOf(owner, 'rate', `${type}:${unit}`, stored.since),
    version,
    kind: 'rate',
    unit: type,
    amount: value,
    ...shownRateBehaviour(stored),
    window: rateWindow(stored),
    unpriced: 'count',
    onCrash: 'keep',
    onAbort: 'progress',
    alertThreshold: null,
  };
}

const ownership = ({ organisationId, workspaceId, level, name, alertEmails = [] }: LimitOwner) => ({
  organisationId,
  workspaceId,
  level,
  name,
  alertEmails,
  conditions: [],
  groupBy: [],
  target: 'llm' as const,
});

/** A policy has one limit for as long as it exists; others may set one, take it away and set one anew. */
const idOf = ({ level, id }: LimitOwner, kind: 'usage' | 'rate', unit: string, since: Date): string =>
  level === 'policy' ? `policy:${id}` : `${level}:${id}:${kind}:${unit}:${since.getTime().toString(36)}`;

const inUnits = (type: StoredUsageLimit['type'], amount: number): number =>
  Math.round(type === 'cost' ? amount * NANO : amount);

function rateWindow({ unit, window }: StoredRateLimit): LimitWindow {
  if (window !== 'calendar') return { kind: 'bucket', seconds: secondsOf[unit] };
  // A week of the calendar begins on a Monday, which is no multiple of seven days since the epoch.
  return unit === 'rpw' ? { kind: 'weekly' } : { kind: 'fixed', seconds: secondsOf[unit] };
}
