import { useState } from 'react';
import { fieldErrors } from '../../../../data/graph-error.ts';
import { useOperation } from '../../../../data/use-document.ts';
import { FormDialog, TextField } from '../../../../ui/index.ts';
import { CreateServiceAccountDocument } from '../../documents.ts';
import type { Credential } from './credential-shown.tsx';
import { changes } from './use-identities.ts';

type CreateAccountProps = { onMade(credential: Credential): void; onClose(): void };

/** A name; then the secret, once. */
export function CreateAccount({ onMade, onClose }: CreateAccountProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useOperation(CreateServiceAccountDocument, {
    changes,
    onDone({ createServiceAccount: { id, clientSecret } }) {
      onMade({ name, id, clientSecret });
      onClose();
    },
  });
  const { at, rest } = fieldErrors(create.error, ['name', 'description']);
  return (
    <FormDialog
      title="New service account"
      description="It may do nothing until an access policy gives it a role."
      verb="Create"
      isBusy={create.isPending}
      problem={rest}
      onSubmit={() => create.mutate({ input: { name, description: description.trim() || null } })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        isMono
        maxLength={63}
        hint="Small letters, digits, dots and dashes; it never changes."
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={at('name')}
      />
      <TextField
        label="What it is for"
        maxLength={500}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        error={at('description')}
      />
    </FormDialog>
  );
}
