import { useState } from 'react';
import { fieldErrors } from '../../../data/graph-error.ts';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { FormDialog, say } from '../../../ui/index.ts';
import {
  CreateRateLimitDocument,
  CreateUsageLimitDocument,
  LimitCallersDocument,
  UpdateRateLimitDocument,
  UpdateUsageLimitDocument,
} from '../documents.ts';
import { blankLimit, draftOf, missingIn } from './draft.ts';
import { LimitFields, limitFields } from './limit-fields.tsx';
import { newRateInput, newUsageInput, rateInput, usageInput } from './limit-input.ts';
import type { Policy } from './policy.ts';

const changes = ['Limits', 'LimitShown'];

/** A new limit, or one that is there. */
export function LimitForm({ policy, onClose }: { policy: Policy | null; onClose(): void }) {
  const workspace = useWorkspace();
  const { workspaces } = useViewer();
  const [draft, setDraft] = useState(() =>
    policy ? draftOf(policy) : blankLimit(workspace ?? workspaces[0]?.slug ?? ''),
  );
  const options = {
    changes,
    onDone() {
      say(policy ? 'The limit is changed' : 'The limit holds now', {
        detail: 'Calls follow within a second.',
      });
      onClose();
    },
  };
  const create = {
    usage: useOperation(CreateUsageLimitDocument, options),
    rate: useOperation(CreateRateLimitDocument, options),
  };
  const update = {
    usage: useOperation(UpdateUsageLimitDocument, options),
    rate: useOperation(UpdateRateLimitDocument, options),
  };
  const used = (policy ? update : create)[draft.kind];

  function submit() {
    if (policy && draft.kind === 'usage') update.usage.mutate({ id: policy.id, input: usageInput(draft) });
    else if (policy) update.rate.mutate({ id: policy.id, input: rateInput(draft) });
    else if (draft.kind === 'usage') create.usage.mutate({ input: newUsageInput(draft) });
    else create.rate.mutate({ input: newRateInput(draft) });
  }

  return (
    <FormDialog
      title={policy ? 'Change the limit' : 'New limit'}
      verb={policy ? 'Save' : 'Create'}
      size="large"
      isBusy={used.isPending}
      refusal={missingIn(draft)}
      problem={fieldErrors(used.error, limitFields).rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <LimitFields
        draft={draft}
        onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
        error={used.error}
        isNew={policy === null}
      />
      <KeyIds />
    </FormDialog>
  );
}

/** Ids of keys to choose from, with their names. */
function KeyIds() {
  const { may } = useMay('workspace_service_api_keys.list', 'workspace_user_api_keys.list');
  const { data } = useDocument(LimitCallersDocument, {}, { isEnabled: may, freshFor: 60_000 });
  return (
    <datalist id="limit-values">
      {data?.apiKeys?.data.map(({ id, name }) => (
        <option key={id} value={id} label={name} />
      ))}
    </datalist>
  );
}
