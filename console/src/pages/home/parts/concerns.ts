import { relative } from '../../../format/time.ts';
import type { HomeQuery } from '../documents.ts';

/** Something to see to: what it is, and the page below the workspace that shows it. */
export type Concern = { id: string; tone: 'bad' | 'warn'; text: string; to: string; search?: object };

/** Milliseconds before the end of a key from which on it is to be seen to. */
const SOON_MS = 14 * 24 * 3_600_000;
/** Of each kind, the most urgent ones. */
const SHOWN = 5;

/** What somebody should see to, the worst first. */
export const concernsOf = (
  { circuits, alarms, apiKeys }: Pick<HomeQuery, 'circuits' | 'alarms' | 'apiKeys'>,
  isFailing: boolean,
  now: number,
): Concern[] => [
  ...(isFailing ? [failing] : []),
  ...openCircuits(circuits?.data ?? [], now).slice(0, SHOWN),
  ...usedLimits(alarms?.data ?? [], apiKeys?.data ?? [], now).slice(0, SHOWN),
  ...endingKeys(apiKeys?.data ?? [], now).slice(0, SHOWN),
];

const failing: Concern = {
  id: 'failing',
  tone: 'bad',
  text: 'Requests fail more often than usual',
  to: 'logs',
  search: { q: 'error:yes' },
};

type Config = NonNullable<HomeQuery['circuits']>['data'][number];

const openCircuits = (configs: readonly Config[], now: number): Concern[] =>
  configs.flatMap(({ id, name, circuits }) => {
    const open = circuits.filter(({ isOpen }) => isOpen);
    const ends = Math.max(...open.map(({ openUntil }) => Date.parse(openUntil ?? '')));
    const again = Number.isNaN(ends) ? '' : `; tried again ${relative(ends, now)}`;
    const targets = [...new Set(open.map(({ target }) => target.replace('config.', '')))].join(', ');
    return open.length === 0
      ? []
      : [{ id, tone: 'bad', text: `${name}: no calls to ${targets}${again}`, to: `configs/${id}` } as const];
  });

type Alarm = NonNullable<HomeQuery['alarms']>['data'][number];

/** The latest word about each value of a limit counts, as long as its window lasts. */
function usedLimits(alarms: readonly Alarm[], keys: readonly Key[], now: number): Concern[] {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const latest = new Map<string, Alarm>();
  for (const alarm of alarms) {
    const value = `${alarm.limitId} ${alarm.valueKey}`;
    if (!latest.has(value)) latest.set(value, alarm);
  }
  return [...latest.values()]
    .filter(({ kind, resetsAt }) => kind !== 'limit_reset' && !(resetsAt && Date.parse(resetsAt) < now))
    .sort((one, other) => one.kind.localeCompare(other.kind))
    .map(({ id, kind, limitName, valueKey, used, amount }) => {
      const isUsedUp = kind === 'limit_exhausted';
      const value = valueKey.replace(/api_key:([\w-]+)/, (_, keyId) => names.get(keyId) ?? keyId);
      const whose = value && ` for ${value}`;
      const share = amount > 0 && !isUsedUp ? `${Math.round((used / amount) * 100)} % used` : 'used up';
      return {
        id,
        tone: isUsedUp ? 'bad' : 'warn',
        text: `Limit ${limitName}: ${share}${whose}`,
        to: 'limits',
      };
    });
}

type Key = NonNullable<HomeQuery['apiKeys']>['data'][number];

const endingKeys = (keys: readonly Key[], now: number): Concern[] =>
  keys
    .flatMap(({ id, name, expiresAt }) =>
      expiresAt === null ? [] : [{ id, name, ends: Date.parse(expiresAt) }],
    )
    .filter(({ ends }) => ends - now < SOON_MS)
    .sort((one, other) => one.ends - other.ends)
    .map(({ id, name, ends }) => ({
      id,
      tone: ends < now ? 'bad' : 'warn',
      text: `Key ${name} ${ends < now ? 'expired' : 'expires'} ${relative(ends, now)}`,
      to: `keys/${id}`,
    }));
