import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { TextArea, TextField } from '../../../ui/index.ts';
import { ChangeWorkspaceDocument, CreateWorkspaceDocument } from '../documents.ts';
import { NamedForm, whenDone } from './named-form.tsx';
import type { Workspace } from './workspaces.tsx';

type WorkspaceFormProps = { of: Workspace | null; onClose(): void };

/** What a workspace is called, and what it is for. */
export function WorkspaceForm({ of: stored, onClose }: WorkspaceFormProps) {
  const [name, setName] = useState(stored?.name ?? '');
  const [slug, setSlug] = useState(stored?.slug ?? '');
  const [description, setDescription] = useState(stored?.description ?? '');
  const options = {
    // The choice in the top bar has it too.
    changes: ['Access', 'Viewer'],
    onDone: whenDone(stored, name, onClose),
  };
  const create = useOperation(CreateWorkspaceDocument, options);
  const change = useOperation(ChangeWorkspaceDocument, options);

  function submit() {
    const input = { name: name.trim(), description: description.trim() || null };
    if (stored) change.mutate({ id: stored.id, input });
    else create.mutate({ input: { ...input, ...(slug.trim() && { slug: slug.trim() }) } });
  }

  return (
    <NamedForm
      noun="workspace"
      of={stored}
      name={name}
      onName={setName}
      acts={[create, change]}
      fields={['slug', 'description']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(at) => (
        <>
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
        </>
      )}
    </NamedForm>
  );
}
