import { type FormEvent, useId, useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { Button, Dialog, say } from '../../../ui/index.ts';
import { KeyShownDocument, KeysDocument, UpdateKeyDocument } from '../documents.ts';
import type { Key } from './columns.tsx';
import { KeyFields } from './key-fields.tsx';
import { draftOf, inputOf, type KeyDraft } from './key-form.ts';

/** The fields of a key that is there. Requests that come with it follow at once. */
export function EditKey({ of: key, onClose }: { of: Key; onClose(): void }) {
  const form = useId();
  const [draft, setDraft] = useState<KeyDraft>(() => draftOf(key));
  const update = useOperation(UpdateKeyDocument, {
    changes: [KeysDocument.name, KeyShownDocument.name],
    onDone() {
      say(`"${draft.name.trim()}" is changed`);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    update.mutate({ id: key.id, input: inputOf(draft, key) });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Edit "${key.name}"`}
      size="large"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" isBusy={update.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <KeyFields
          draft={draft}
          onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
          error={update.error}
          isNew={false}
        />
      </form>
    </Dialog>
  );
}
