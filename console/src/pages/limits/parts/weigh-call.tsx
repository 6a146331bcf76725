import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { money } from '../../../format/money.ts';
import { count } from '../../../format/number.ts';
import {
  type Column,
  FormDialog,
  SelectField,
  Status,
  Table,
  TextArea,
  TextField,
} from '../../../ui/index.ts';
import { LimitCallersDocument, WeighCallDocument, type WeighCallQuery } from '../documents.ts';
import { amount } from './policy.ts';

type Weighed = NonNullable<WeighCallQuery['checkAdmission']>;
type WeighedLimit = Weighed['limits'][number];

/** What the limits would say to a call, without one. */
export function WeighCall({ onClose }: { onClose(): void }) {
  const workspace = useWorkspace();
  const [draft, setDraft] = useState({ key: '', model: '@mock/mock-1', text: 'Hello' });
  const callers = useDocument(LimitCallersDocument, {}, { freshFor: 60_000 });
  const keys = (callers.data?.apiKeys?.data ?? []).filter(
    (key) => key.workspace && (workspace === null || key.workspace.slug === workspace),
  );
  const key = draft.key || (keys[0]?.id ?? '');
  const weigh = useOperation(WeighCallDocument);
  const weighed = weigh.data?.checkAdmission;
  return (
    <FormDialog
      title="Would a call go through?"
      description="Nothing is taken, and no provider is asked."
      verb="Weigh it"
      size="large"
      isBusy={weigh.isPending}
      refusal={key === '' ? 'There is no key of a workspace.' : null}
      problem={weigh.error?.message}
      onSubmit={() =>
        weigh.mutate({
          input: {
            apiKeyId: key,
            path: '/v1/chat/completions',
            body: { model: draft.model, messages: [{ role: 'user', content: draft.text }] },
          },
        })
      }
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="With the key"
          choices={keys.map(({ id, name }) => ({ value: id, label: name }))}
          value={key}
          onChange={(chosen) => setDraft({ ...draft, key: chosen })}
        />
        <TextField
          label="To the model"
          isMono
          value={draft.model}
          onChange={({ target }) => setDraft({ ...draft, model: target.value })}
        />
      </div>
      <TextArea
        label="Message"
        rows={2}
        value={draft.text}
        onChange={({ target }) => setDraft({ ...draft, text: target.value })}
      />
      {weighed && <Verdict of={weighed} />}
    </FormDialog>
  );
}

function Verdict({ of: { admitted, refusal, estimate, limits } }: { of: Weighed }) {
  const most = estimate
    ? ` It comes to ${count(estimate.tokens)} tokens and ${estimate.cost === null ? 'an unknown price' : money(estimate.cost * 100)} at most.`
    : '';
  const columns: Column<WeighedLimit>[] = [
    { key: 'name', head: 'Limit', cell: ({ name, level }) => `${name} (${level.replace('_', ' ')})` },
    { key: 'left', head: 'Left', align: 'end', cell: ({ remaining, unit }) => amount(remaining, unit) },
    { key: 'needed', head: 'Needed', align: 'end', cell: ({ needed, unit }) => amount(needed, unit) },
    {
      key: 'verdict',
      head: 'Says',
      cell: ({ verdict }) => <Status tone={verdict === 'fits' ? 'ok' : 'bad'}>{verdict}</Status>,
    },
  ];
  return (
    <div className="flex flex-col gap-3">
      <p>
        <Status tone={admitted ? 'ok' : 'bad'}>{admitted ? 'It goes through.' : 'It is refused.'}</Status>
        <span className="text-muted">
          {' '}
          {refusal && `${refusal.status}: ${refusal.message}`}
          {most}
        </span>
      </p>
      {limits.length > 0 && (
        <Table
          label="Limits of the call"
          columns={columns}
          rows={limits}
          keyOf={({ limitId, valueKey }) => `${limitId} ${valueKey}`}
          narrow={({ name, remaining, unit, verdict }) => ({
            lead: name,
            side: verdict,
            meta: `${amount(remaining, unit)} left`,
          })}
        />
      )}
    </div>
  );
}
