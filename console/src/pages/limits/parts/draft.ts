import type {
  LimitEnforcement,
  LimitReset,
  RateLimitPolicyUnit,
  RateLimitTarget,
  UsageLimitType,
} from '../documents.ts';
import type { Policy } from './policy.ts';

/** A fact of a call, as it is chosen; `name` is that of the metadata. */
export type Fact = { id: number; key: string; name: string; is: string; not: string };

/** What somebody has written into the form. */
export type LimitDraft = {
  kind: Policy['kind'];
  name: string;
  description: string;
  /** Slug. */
  workspace: string;
  amount: string;
  counts: UsageLimitType;
  period: LimitReset | 'days' | 'never';
  days: string;
  unit: RateLimitPolicyUnit;
  target: RateLimitTarget;
  alert: string;
  enforcement: LimitEnforcement;
  conditions: readonly Fact[];
  groups: readonly Fact[];
};

let facts = 0;
export const blankFact = (key: string): Fact => ({ id: facts++, key, name: '', is: '', not: '' });

export const METADATA = 'metadata';

export const blankLimit = (workspace: string): LimitDraft => ({
  kind: 'usage',
  name: '',
  description: '',
  workspace,
  amount: '',
  counts: 'cost',
  period: 'monthly',
  days: '30',
  unit: 'rpm',
  target: 'llm',
  alert: '',
  enforcement: 'hard',
  conditions: [],
  groups: [blankFact('api_key')],
});

const written = (value: unknown): string =>
  value === null || value === undefined ? '' : Array.isArray(value) ? value.join(', ') : String(value);

function factFrom(key: string, is?: unknown, not?: unknown): Fact {
  const [kind = key, ...name] = key.split('.');
  return { id: facts++, key: kind, name: name.join('.'), is: written(is), not: written(not) };
}

export function draftOf(policy: Policy): LimitDraft {
  const { kind, name, description, workspace, workspaceId, type, enforcement, conditions, groupBy } = policy;
  const own = {
    ...blankLimit(workspace?.slug ?? workspaceId),
    ...{ kind, name: name ?? '', description: description ?? '', counts: type, enforcement },
    conditions: conditions.map(({ key, value, excludes }) => factFrom(key, value, excludes)),
    groups: groupBy.map(({ key }) => factFrom(key)),
  };
  if (policy.kind === 'rate')
    return { ...own, amount: String(policy.value), unit: policy.unit, target: policy.target };
  const { creditLimit, alertThreshold, periodicReset, periodicResetDays } = policy;
  return {
    ...own,
    amount: String(creditLimit),
    alert: written(alertThreshold),
    period: periodicReset ?? (periodicResetDays === null ? 'never' : 'days'),
    days: written(periodicResetDays ?? 30),
  };
}

/** What has to be filled in first, as a sentence; null where everything is there. */
export function missingIn({ amount, groups, conditions, workspace }: LimitDraft): string | null {
  if (workspace === '') return 'Choose a workspace.';
  if (!(Number(amount) > 0)) return 'Say how much.';
  if (groups.length === 0) return 'Say what shares it.';
  const nameless = [...groups, ...conditions].some(({ key, name }) => key === METADATA && name.trim() === '');
  return nameless ? 'Name the metadata.' : null;
}
