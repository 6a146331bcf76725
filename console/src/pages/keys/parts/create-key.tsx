import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { FirstCall } from '../../../shell/first-call/first-call.tsx';
import { useViewer } from '../../../shell/session/viewer.ts';
import { Button, Dialog, FormDialog } from '../../../ui/index.ts';
import {
  CreateOrganisationKeyDocument,
  CreatePersonalKeyDocument,
  CreateWorkspaceKeyDocument,
  KeysDocument,
} from '../documents.ts';
import { KeyFields } from './key-fields.tsx';
import { emptyDraft, inputOf, type KeyDraft } from './key-form.ts';
import { Secret } from './secret.tsx';

const options = { changes: [KeysDocument.name] };

/** A new key: what it may do, then its secret, once, with a program that uses it. */
export function CreateKey({ onClose }: { onClose(): void }) {
  const workspace = useWorkspace();
  const { workspaces } = useViewer();
  const [draft, setDraft] = useState<KeyDraft>(() => emptyDraft(workspace ?? workspaces[0]?.slug ?? ''));
  const organisation = useOperation(CreateOrganisationKeyDocument, options);
  const program = useOperation(CreateWorkspaceKeyDocument, options);
  const person = useOperation(CreatePersonalKeyDocument, options);
  const used = {
    'organisation-service': organisation,
    'workspace-service': program,
    'workspace-user': person,
  }[draft.type];
  const created = used.data?.created;

  function submit() {
    const input = inputOf(draft, null);
    if (draft.type === 'organisation-service') organisation.mutate({ input });
    else if (draft.type === 'workspace-service')
      program.mutate({ input: { ...input, workspaceId: draft.workspace } });
    else person.mutate({ input: { ...input, workspaceId: draft.workspace } });
  }

  if (created)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`The secret of "${draft.name.trim()}"`}
        description="This is the only time that it is shown. Put it where the program finds it."
        size="large"
        actions={
          <Button look="primary" onClick={onClose}>
            I have kept it
          </Button>
        }
      >
        <Secret value={created.key} />
        {draft.scopes.includes('completions.write') && (
          <div className="mt-4">
            <FirstCall
              keyId={created.id}
              secret={created.key}
              model="@mock/mock-1"
              workspace={draft.workspace || null}
            />
          </div>
        )}
      </Dialog>
    );
  return (
    <FormDialog
      title="New key"
      verb="Create"
      size="large"
      isBusy={used.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <KeyFields
        draft={draft}
        onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
        error={used.error}
        isNew
      />
    </FormDialog>
  );
}
