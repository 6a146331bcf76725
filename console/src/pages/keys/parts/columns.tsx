import { money } from '../../../format/money.ts';
import { NONE, percent, shortCount } from '../../../format/number.ts';
import { coarse, relative } from '../../../format/time.ts';
import { type Column, Meter, type NarrowRow, Status } from '../../../ui/index.ts';
import type { KeyLineFragment } from '../documents.ts';

export type Key = KeyLineFragment;
export type Uses = ReadonlyMap<string | null, { requests: number; cost: number }>;

const types: Record<string, string> = {
  'organisation-service': 'organisation',
  'workspace-service': 'workspace',
  'workspace-user': 'person',
};

/** What kind of key it is, in a word. */
export const typeOf = ({ type }: Key): string => types[type] ?? type;

export const ownerOf = ({ user, workspace }: Key): string =>
  user
    ? [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email
    : (workspace?.name ?? 'organisation');

/** The state of a key, with what is going on. */
export function KeyState({ of: key }: { of: Key }) {
  if (key.status === 'expired') return <Status tone="bad">expired</Status>;
  if (key.status === 'exhausted') return <Status tone="bad">used up</Status>;
  const ends = key.keyTransitionExpiresAt;
  const left = ends === null ? 0 : Date.parse(ends) - Date.now();
  if (left > 0) return <Status tone="warn">rotating, old works {coarse(left)}</Status>;
  return <Status tone="ok">active</Status>;
}

/** How much of the budget is used. */
export function KeyBudget({ of: { usageLimits } }: { of: Key }) {
  if (!usageLimits) return <span className="text-faint">{NONE}</span>;
  const { creditLimit, currentUsage, type, periodicReset } = usageLimits;
  const share = currentUsage / creditLimit;
  const amount = type === 'cost' ? money(creditLimit * 100) : `${shortCount(creditLimit)} ${type}`;
  return (
    <span className="inline-flex items-center gap-2">
      {amount}
      {periodicReset ? `/${periodicReset === 'monthly' ? 'month' : 'week'}` : ''}
      <Meter
        share={share}
        label={`${percent(share)} of ${amount} used`}
        tone={share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'accent'}
        className="w-14"
      />
      <span className="text-muted">{percent(share)}</span>
    </span>
  );
}

export function keyColumns(uses: Uses, hasUses: boolean): Column<Key>[] {
  const use = (key: Key) => uses.get(key.id);
  return [
    { key: 'name', head: 'Name', cell: (key) => <span className="font-[560]">{key.name}</span> },
    { key: 'type', head: 'Type', cell: (key) => <span className="text-muted">{typeOf(key)}</span> },
    { key: 'owner', head: 'Belongs to', cell: ownerOf },
    {
      key: 'may',
      head: 'May',
      cell: ({ scopes }) => `${scopes.length} ${scopes.length === 1 ? 'scope' : 'scopes'}`,
    },
    {
      key: 'used',
      head: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="text-faint">never</span> : relative(lastUsedAt, Date.now()),
    },
    ...(hasUses
      ? [
          {
            key: 'requests',
            head: 'Requests, 30 d',
            align: 'end' as const,
            cell: (key: Key) => shortCount(use(key)?.requests ?? 0),
          },
          {
            key: 'cost',
            head: 'Cost, 30 d',
            align: 'end' as const,
            cell: (key: Key) => (use(key) ? money(use(key)?.cost) : NONE),
          },
        ]
      : []),
    { key: 'budget', head: 'Budget', cell: (key) => <KeyBudget of={key} /> },
    {
      key: 'expires',
      head: 'Expires',
      cell: ({ expiresAt }) =>
        expiresAt === null ? <span className="text-faint">never</span> : relative(expiresAt, Date.now()),
    },
    { key: 'state', head: 'State', cell: (key) => <KeyState of={key} /> },
  ];
}

/** A key where the page is narrow. */
export const narrowKey =
  (uses: Uses) =>
  (key: Key): NarrowRow => ({
    lead: <span className="font-[560]">{key.name}</span>,
    side: <KeyState of={key} />,
    meta: [
      typeOf(key),
      ownerOf(key),
      key.lastUsedAt === null ? 'never used' : `used ${relative(key.lastUsedAt, Date.now())}`,
      `${shortCount(uses.get(key.id)?.requests ?? 0)} requests in 30 d`,
    ].join(' · '),
  });
