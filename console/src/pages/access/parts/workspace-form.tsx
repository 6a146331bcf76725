import { useState } from 'react';
import { fieldErrors } from '../../../data/graph-error.ts';
import { useOperation } from '../../../data/use-document.ts';
import { FormDialog, say, TextArea, TextField } from '../../../ui/index.ts';
import { ChangeWorkspaceDocument, CreateWorkspaceDocument } from '../documents.ts';
import type { Workspace } from './workspaces.tsx';

type WorkspaceFormProps = { of: Workspace | null; onClose(): void };

/** The fields of a workspace, the same for a new one and for one that is changed. */
export function WorkspaceForm({ of: stored, onClose }: WorkspaceFormProps) {
  const [name, setName] = useState(stored?.name ?? '');
  const [slug, setSlug] = useState(stored?.slug ?? '');
  const [description, setDescription] = useState(stored?.description ?? '');
  const options = {
    // The choice in the top bar has it too.
    changes: ['Access', 'Viewer'],
    onDone() {
      say(`${name.trim()} is ${stored ? 'changed' : 'there'}`);
      onClose();
    },
  };
  const create = useOperation(CreateWorkspaceDocument, options);
  const change = useOperation(ChangeWorkspaceDocument, options);
  const { at, rest } = fieldErrors(create.error ?? change.error, ['name', 'slug', 'description']);

  function submit() {
    const input = { name: name.trim(), description: description.trim() || null };
    if (stored) change.mutate({ id: stored.id, input });
    else create.mutate({ input: { ...input, ...(slug.trim() && { slug: slug.trim() }) } });
  }

  return (
    <FormDialog
      title={stored ? `Edit ${stored.name}` : 'New workspace'}
      verb={stored ? 'Save' : 'Create'}
      isBusy={create.isPending || change.isPending}
      problem={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={at('name')}
      />
      <TextField
        label="Slug"
        isMono
        maxLength={255}
        disabled={stored !== null}
        placeholder="made of the name"
        hint="As addresses and programs name it; it never changes."
        value={slug}
        onChange={({ target }) => setSlug(target.value)}
        error={at('slug')}
      />
      <TextArea
        label="What it is for"
        rows={2}
        maxLength={500}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        error={at('description')}
      />
    </FormDialog>
  );
}
