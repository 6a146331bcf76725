import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { counted } from '../../format/number.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { mayAny, useMay, useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Button, type Column, inputClasses, Notice, Page, Status, Table } from '../../ui/index.ts';
import { LimitsDocument } from './documents.ts';
import { LimitForm } from './parts/limit-form.tsx';
import {
  allowance,
  callsOf,
  type KeyNames,
  keyNamesOf,
  type Policy,
  policiesOf,
  sharedBy,
} from './parts/policy.ts';
import { WeighCall } from './parts/weigh-call.tsx';

export { LimitDetail as Detail } from './detail.tsx';

/** What stops us from overspending? */
export default function Limits() {
  const [{ q }, change] = useSearch();
  const [open, setOpen] = useState<'new' | 'weigh' | null>(null);
  const workspace = useWorkspace();
  const create = useMay('policies.create');
  const weigh = useMay('policies.read');
  const mayKeys = mayAny(useViewer(), ['workspace_service_api_keys.list']);
  const query = useDocument(LimitsDocument, { workspace, name: q ?? null, mayKeys });
  const make = (
    <Button look="primary" icon="plus" refusal={create.refusal} onClick={() => setOpen('new')}>
      New limit
    </Button>
  );
  return (
    <Page
      title="Limits"
      answer={query.data && sentenceOf(policiesOf(query.data))}
      actions={
        <>
          <input
            aria-label="Part of a name"
            placeholder="Name"
            defaultValue={q ?? ''}
            maxLength={255}
            onChange={({ target }) => change({ q: target.value.trim() || null }, true)}
            className={inputClasses('sm:w-44')}
          />
          <Button refusal={weigh.refusal} onClick={() => setOpen('weigh')}>
            Weigh a call
          </Button>
          {make}
        </>
      }
    >
      <Asked query={query} what="Limits">
        {(answer) => {
          const policies = policiesOf(answer);
          return policies.length === 0 ? (
            <Notice icon="limits" title={q ? 'No limit is like that' : 'No limit yet'} action={make}>
              “$500 a month for each key” is a budget, “60 requests a minute for each user” a rate. Keys,
              workspaces and providers can have limits of their own besides.
            </Notice>
          ) : (
            <LimitTable policies={policies} names={keyNamesOf(answer.apiKeys)} />
          );
        }}
      </Asked>
      {open === 'new' && <LimitForm policy={null} onClose={() => setOpen(null)} />}
      {open === 'weigh' && <WeighCall onClose={() => setOpen(null)} />}
    </Page>
  );
}

const ends = { hard: 'refuses', soft: 'refuses late', observe: 'only counts' };

function LimitTable({ policies, names }: { policies: readonly Policy[]; names: KeyNames }) {
  const go = useGo();
  const columns: Column<Policy>[] = [
    { key: 'allowance', head: 'Limit', cell: allowance },
    { key: 'shared', head: 'For', cell: sharedBy },
    { key: 'calls', head: 'Of calls where', cell: (policy) => callsOf(policy, names) || 'all' },
    {
      key: 'name',
      head: 'Name',
      cell: ({ name }) => name ?? <span className="text-faint">none</span>,
    },
    { key: 'workspace', head: 'Workspace', cell: ({ workspace }) => workspace?.name ?? '' },
    {
      key: 'end',
      head: 'Used up, it',
      cell: ({ enforcement }) => (
        <Status tone={enforcement === 'observe' ? 'info' : 'none'}>{ends[enforcement]}</Status>
      ),
    },
  ];
  return (
    <Table
      label="Limits"
      columns={columns}
      rows={policies}
      keyOf={({ id }) => id}
      onOpen={({ id, kind }) => go(`limits/${id}`, { kind })}
      narrow={(policy) => ({
        lead: `${allowance(policy)} for ${sharedBy(policy)}`,
        side: ends[policy.enforcement],
        meta: policy.name ?? callsOf(policy, names),
      })}
    />
  );
}

function sentenceOf(policies: readonly Policy[]): string {
  const budgets = policies.filter(({ kind }) => kind === 'usage').length;
  return `${counted(budgets, 'budget')} and ${counted(policies.length - budgets, 'rate')} of policies.`;
}
