import type { CreateRateLimitPolicyInput, CreateUsageLimitPolicyInput, RateLimitType } from '../documents.ts';
import { type Fact, type LimitDraft, METADATA } from './draft.ts';

const keyOf = ({ key, name }: Fact): string => (key === METADATA ? `${key}.${name.trim()}` : key);

/** One text, or a list of those that commas part. */
function texts(value: string): string | string[] | undefined {
  const list = value
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean);
  return list.length > 1 ? list : list[0];
}

/** What may change of a policy of either sort. Without a condition it is about all calls of its workspace. */
const sharedInput = ({ name, description, enforcement, conditions, workspace }: LimitDraft) => ({
  ...(name.trim() !== '' && { name: name.trim() }),
  description: description.trim() || null,
  enforcement,
  conditions:
    conditions.length === 0
      ? [{ key: 'workspace_id', value: workspace }]
      : conditions.map((fact) => ({
          key: keyOf(fact),
          value: texts(fact.is) ?? '*',
          ...(fact.not.trim() !== '' && { excludes: texts(fact.not) }),
        })),
});

export const usageInput = (draft: LimitDraft) => ({
  ...sharedInput(draft),
  creditLimit: Number(draft.amount),
  alertThreshold: draft.alert.trim() === '' ? null : Number(draft.alert),
  periodicReset: draft.period === 'weekly' || draft.period === 'monthly' ? draft.period : null,
  periodicResetDays: draft.period === 'days' ? Number(draft.days) : null,
});

export const rateInput = (draft: LimitDraft) => ({
  ...sharedInput(draft),
  unit: draft.unit,
  value: Number(draft.amount),
});

/** What cannot change later. */
const madeWith = ({ groups, workspace }: LimitDraft) => ({
  groupBy: groups.map((fact) => ({ key: keyOf(fact) })),
  workspaceId: workspace,
});

export const newUsageInput = (draft: LimitDraft): CreateUsageLimitPolicyInput => ({
  ...usageInput(draft),
  ...madeWith(draft),
  type: draft.counts,
});

export const newRateInput = (draft: LimitDraft): CreateRateLimitPolicyInput => ({
  ...rateInput(draft),
  ...madeWith(draft),
  type: draft.counts as RateLimitType,
  target: draft.target,
});
