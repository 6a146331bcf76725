import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { money } from '../../format/money.ts';
import { count, percent } from '../../format/number.ts';
import { dateAndTime, day, relative } from '../../format/time.ts';
import { useGo } from '../../shell/address.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { useZone } from '../../shell/stored.ts';
import {
  Bars,
  Button,
  Failure,
  Figure,
  Id,
  Notice,
  Page,
  Section,
  SkeletonRows,
  useIsNarrow,
} from '../../ui/index.ts';
import { KeyShownDocument, type KeyShownQuery } from './documents.ts';
import { KeyBudget, KeyState, ownerOf, typeOf } from './parts/columns.tsx';
import { DangerZone } from './parts/danger-zone.tsx';
import { EditKey } from './parts/edit-key.tsx';
import { monthBefore } from './parts/month.ts';

type ShownKey = NonNullable<KeyShownQuery['apiKey']>;

const families = ['organisation_service_api_keys', 'workspace_service_api_keys', 'workspace_user_api_keys'];
const verb = (name: string): string[] => families.map((family) => `${family}.${name}`);

/** One key: who uses it, what it may do, and how it comes to an end. */
export function KeyDetail({ id }: { id: string }) {
  const go = useGo();
  const [month] = useState(monthBefore);
  const [isEditing, setEditing] = useState(false);
  const { may: use } = useMay('analytics.view');
  const update = useMay(...verb('update'));
  const { data, error, isPending, refetch } = useDocument(KeyShownDocument, { id, ids: [id], ...month, use });
  const key = data?.apiKey;
  if (error)
    return error.code === 'NOT_FOUND' ? (
      <Notice
        icon="keys"
        title="There is no such key"
        action={<Button onClick={() => go('keys')}>All keys</Button>}
      >
        It was deleted, or it is of a workspace that you are not in.
      </Notice>
    ) : (
      <Failure title="The key cannot be read" message={error.message} onRetry={() => void refetch()} />
    );
  if (isPending || !key) return <SkeletonRows />;
  return (
    <Page
      title={key.name}
      answer={key.description}
      actions={
        <>
          <Button icon="logs" onClick={() => go('logs', { q: `key:${quoted(key.name)}`, range: '30d' })}>
            Logs
          </Button>
          <Button icon="edit" refusal={update.refusal} onClick={() => setEditing(true)}>
            Edit
          </Button>
        </>
      }
    >
      <div className="grid gap-4 px-4 pb-8 sm:px-6 xl:grid-cols-[1fr_400px]">
        <div className="flex min-w-0 flex-col gap-4">
          {data.analytics && <Use use={data.analytics} />}
          <Section title={`May do (${key.scopes.length})`}>
            <ul className="flex flex-wrap gap-1.5 p-4">
              {key.scopes.map((scope) => (
                <li key={scope} className="mono rounded-[4px] bg-sunken px-1.5 text-muted">
                  {scope}
                </li>
              ))}
            </ul>
          </Section>
          <DangerZone keyShown={key} />
        </div>
        <Facts of={key} />
      </div>
      {isEditing && <EditKey of={key} onClose={() => setEditing(false)} />}
    </Page>
  );
}

const quoted = (name: string): string => (/[\s"]/.test(name) ? JSON.stringify(name) : name);

function Use({ use }: { use: NonNullable<KeyShownQuery['analytics']> }) {
  const [zone] = useZone();
  const isNarrow = useIsNarrow();
  const { requests, errors, cost } = use;
  const total = requests.summary.total;
  const bars = requests.dataPoints.map((point, index) => {
    const failed = errors.dataPoints[index]?.total ?? 0;
    return {
      at: Date.parse(point.timestamp),
      label: day(point.timestamp, zone),
      parts: [
        { name: 'Errors', value: failed, colour: 'bad' as const },
        { name: 'Successful', value: point.total - failed, colour: 1 as const },
      ],
    };
  });
  return (
    <Section title="The last 30 days">
      <div className="flex flex-col gap-4 p-4">
        <div className="grid grid-cols-3 gap-4">
          <Figure label="Requests" value={count(total)} />
          <Figure label="Errors" value={total === 0 ? '0' : percent(errors.summary.total / total)} />
          <Figure label="Cost" value={money(cost.summary.total)} />
        </div>
        <Bars
          bars={bars}
          height={isNarrow ? 72 : 96}
          hasEnds
          format={count}
          title={`${count(total)} requests with this key in 30 days, ${count(errors.summary.total)} errors`}
        />
      </div>
    </Section>
  );
}

function Facts({ of: key }: { of: ShownKey }) {
  const [zone] = useZone();
  const now = Date.now();
  const when = (value: string | null, none: string) =>
    value === null ? none : `${dateAndTime(value, zone)} (${relative(value, now)})`;
  const facts: [string, React.ReactNode][] = [
    ['State', <KeyState key="state" of={key} />],
    ['Secret', <Id key="secret">{key.key}</Id>],
    ['Id', <Id key="id">{key.id}</Id>],
    ['Type', typeOf(key)],
    ['Belongs to', ownerOf(key)],
    ['Budget', <KeyBudget key="budget" of={key} />],
    ['Last used', when(key.lastUsedAt, 'never')],
    ['Expires', when(key.expiresAt, 'never')],
    ['Made', when(key.createdAt, '')],
    ['Rotated', when(key.lastRotatedAt, 'never')],
    ...(key.rotationPolicy
      ? [['Next rotation', when(key.rotationPolicy.nextRotationAt, 'none')] as [string, string]]
      : []),
    ...(key.alertEmails.length > 0 ? [['Mails to', key.alertEmails.join(', ')] as [string, string]] : []),
  ];
  return (
    <Section title="Key" className="self-start">
      <dl className="p-4">
        {facts.map(([name, value]) => (
          <div key={name} className="grid min-h-8 grid-cols-[96px_1fr] items-center gap-2">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
