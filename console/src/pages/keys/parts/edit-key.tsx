import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { FormDialog, say } from '../../../ui/index.ts';
import { KeyShownDocument, KeysDocument, UpdateKeyDocument } from '../documents.ts';
import type { Key } from './columns.tsx';
import { KeyFields } from './key-fields.tsx';
import { draftOf, inputOf, type KeyDraft } from './key-form.ts';

/** The fields of a key that is there. Requests that come with it follow at once. */
export function EditKey({ of: key, onClose }: { of: Key; onClose(): void }) {
  const [draft, setDraft] = useState<KeyDraft>(() => draftOf(key));
  const update = useOperation(UpdateKeyDocument, {
    changes: [KeysDocument.name, KeyShownDocument.name],
    onDone() {
      say(`"${draft.name.trim()}" is changed`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Edit "${key.name}"`}
      verb="Save"
      size="large"
      isBusy={update.isPending}
      onSubmit={() => update.mutate({ id: key.id, input: inputOf(draft, key) })}
      onClose={onClose}
    >
      <KeyFields
        draft={draft}
        onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
        error={update.error}
        isNew={false}
      />
    </FormDialog>
  );
}
