import { money } from '../../../format/money.ts';
import { count } from '../../../format/number.ts';
import type { LimitShownQuery, RateLimitLineFragment, UsageLimitLineFragment } from '../documents.ts';

/** A policy of either sort: an amount to use up, or an amount within a time. */
export type Policy =
  | ({ kind: 'usage' } & UsageLimitLineFragment)
  | ({ kind: 'rate' } & RateLimitLineFragment);
export type Counter = NonNullable<LimitShownQuery['limitCounters']>['data'][number];

/** Names of keys by their ids, which policies hold. */
export type KeyNames = ReadonlyMap<string, string>;
export const keyNamesOf = (
  found: { data: readonly { id: string; name: string }[] } | null | undefined,
): KeyNames => new Map((found?.data ?? []).map(({ id, name }) => [id, name]));

type Found = {
  usage?: { data: readonly UsageLimitLineFragment[] } | null;
  rates?: { data: readonly RateLimitLineFragment[] } | null;
};

export const policiesOf = ({ usage, rates }: Found): Policy[] => [
  ...(usage?.data ?? []).map((policy) => ({ kind: 'usage' as const, ...policy })),
  ...(rates?.data ?? []).map((policy) => ({ kind: 'rate' as const, ...policy })),
];

/** Under which counters, alarms and refusals name it. */
export const limitIdOf = (id: string): string => `policy:${id}`;

/** `$500`, `1,000 tokens`; amounts of money are dollars. */
export const amount = (value: number, unit: string): string =>
  unit === 'cost' ? money(value * 100) : `${count(value)} ${value === 1 ? unit.replace(/s$/, '') : unit}`;

const times = { rpm: 'a minute', rph: 'an hour', rpd: 'a day', rpw: 'a week' };
const resets = { weekly: 'a week', monthly: 'a month' };

/** `$500 a month`, `60 requests a minute`. */
export function allowance(policy: Policy): string {
  if (policy.kind === 'rate') return `${amount(policy.value, policy.type)} ${times[policy.unit]}`;
  const { creditLimit, type, periodicReset, periodicResetDays } = policy;
  const period = periodicReset
    ? resets[periodicReset]
    : periodicResetDays
      ? `every ${periodicResetDays} days`
      : 'in all';
  return `${amount(creditLimit, type)} ${period}`;
}

const facts: Readonly<Record<string, string>> = {
  api_key: 'key',
  virtual_key: 'virtual key',
  workspace_id: 'workspace',
  organisation_id: 'organisation',
  endpoint_type: 'kind of call',
  mcp_server: 'MCP server',
  mcp_tool: 'tool',
};

/** A fact of a call in words; `team` for `metadata.team`. */
export const factOf = (key: string): string => facts[key] ?? key.replace(/^metadata\./, '');

/** `each key and model`. */
export const sharedBy = ({ groupBy }: Policy): string =>
  groupBy.every(({ key }) => key === 'workspace_id')
    ? 'the workspace as a whole'
    : `each ${groupBy.map(({ key }) => factOf(key)).join(' and ')}`;

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]).map(String);

/** `team is search`; empty for a policy that is about all calls of its workspace. */
export function callsOf({ conditions, workspace }: Policy, names: KeyNames): string {
  const own = new Set(['*', workspace?.id, workspace?.slug]);
  const told = conditions.filter(({ key, value, excludes }) => {
    const isAll = texts(value).every((text) => text === '*' || (key === 'workspace_id' && own.has(text)));
    return !isAll || texts(excludes).length > 0;
  });
  return told
    .map(({ key, value, excludes }) => {
      const named = (text: string) => (key === 'api_key' ? (names.get(text) ?? text) : text);
      const is = texts(value).map(named).join(' or ');
      const not = texts(excludes).map(named).join(' or ');
      return `${factOf(key)} is ${is === '*' ? 'anything' : is}${not && ` but not ${not}`}`;
    })
    .join(' and ');
}

/** `metadata._user:alice` as `alice`, the id of a key as its name. */
export function valueIn({ values, valueKey }: Pick<Counter, 'values' | 'valueKey'>, names: KeyNames): string {
  const own = Object.values((values ?? {}) as Record<string, unknown>).map(String);
  return own.length === 0 ? valueKey || 'all' : own.map((text) => names.get(text) ?? text).join(' · ');
}
