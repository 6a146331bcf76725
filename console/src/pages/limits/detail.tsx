import { useState } from 'react';
import { useDocument, useOperation } from '../../data/use-document.ts';
import { relative } from '../../format/time.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { mayAny, useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { useActivity } from '../../shell/use-activity.ts';
import { Button, DeleteButton, Page, Section, say } from '../../ui/index.ts';
import {
  DeleteRateLimitDocument,
  DeleteUsageLimitDocument,
  LimitShownDocument,
  type LimitShownQuery,
} from './documents.ts';
import { Counters } from './parts/counters.tsx';
import { LimitForm } from './parts/limit-form.tsx';
import {
  allowance,
  amount,
  callsOf,
  keyNamesOf,
  limitIdOf,
  type Policy,
  policiesOf,
  sharedBy,
} from './parts/policy.ts';
import { Refusals, refusalsBy } from './parts/refusals.tsx';

const one = <Row,>(row: Row | null | undefined) => (row ? { data: [row] } : null);
const policyOf = ({ usage, rate }: LimitShownQuery): Policy | undefined =>
  policiesOf({ usage: one(usage), rates: one(rate) })[0];

const DAY_MS = 24 * 3_600_000;

/** One limit: who has used how much of it. */
export function LimitDetail({ id }: { id: string }) {
  const [{ kind }] = useSearch();
  const [isEditing, setEditing] = useState(false);
  // Refusals of all time would be looked for in all logs.
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const viewer = useViewer();
  const update = useMay('policies.update');
  const query = useDocument(LimitShownDocument, {
    id,
    limitId: limitIdOf(id),
    isRate: kind === 'rate',
    mayKeys: mayAny(viewer, ['workspace_service_api_keys.list']),
    mayLogs: mayAny(viewer, ['logs.list']),
    since,
  });
  const { refetch } = query;
  useActivity(mayAny(viewer, ['logs.list']), () => void refetch());
  const policy = query.data && policyOf(query.data);
  const names = keyNamesOf(query.data?.apiKeys);
  const calls = policy ? callsOf(policy, names) : '';
  return (
    <Page
      title={policy?.name ?? 'Limit'}
      answer={policy && `${allowance(policy)} for ${sharedBy(policy)}${calls && ` where ${calls}`}.`}
      actions={
        policy && (
          <>
            <Button icon="edit" refusal={update.refusal} onClick={() => setEditing(true)}>
              Edit
            </Button>
            <DeleteLimit policy={policy} />
          </>
        )
      }
    >
      <Asked query={query} what="The limit">
        {({ limitCounters, limitAlarms, refused }) => (
          <>
            {policy?.description && (
              <p className="max-w-[72ch] px-4 pb-3 text-muted sm:px-6">{policy.description}</p>
            )}
            <Refusals refusals={refusalsBy(limitIdOf(id), refused?.data ?? [])} />
            <Counters counters={limitCounters?.data ?? []} names={names} />
            <Alarms alarms={limitAlarms?.data ?? []} />
          </>
        )}
      </Asked>
      {isEditing && policy && <LimitForm policy={policy} onClose={() => setEditing(false)} />}
    </Page>
  );
}

type Alarm = NonNullable<LimitShownQuery['limitAlarms']>['data'][number];
const happened = {
  limit_threshold: 'was nearly used up',
  limit_exhausted: 'was used up',
  limit_reset: 'was set back',
  limit_overshoot: 'was passed',
  limit_abandoned: 'is held in part by a silent process',
};

function Alarms({ alarms }: { alarms: readonly Alarm[] }) {
  if (alarms.length === 0) return null;
  return (
    <div className="px-4 py-4 sm:px-6">
      <Section title="What happened">
        <ul className="p-4">
          {alarms.map(({ id, kind, valueKey, used, amount: limit, unit, createdAt }) => (
            <li key={id} className="min-h-6">
              {valueKey || 'It'} {happened[kind]} at {amount(used, unit)} of {amount(limit, unit)},{' '}
              <span className="text-muted">{relative(createdAt, Date.now())}</span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function DeleteLimit({ policy: { kind, id, name } }: { policy: Policy }) {
  const go = useGo();
  const { refusal } = useMay('policies.delete');
  const options = {
    changes: ['Limits'],
    onDone() {
      say('The limit holds no more');
      go('limits');
    },
  };
  const usage = useOperation(DeleteUsageLimitDocument, options);
  const rate = useOperation(DeleteRateLimitDocument, options);
  const remove = { usage, rate }[kind];
  return (
    <DeleteButton
      name={name ?? 'the limit'}
      consequence="Calls are refused for it no more, within a second. What was used stays in the record."
      refusal={refusal}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
