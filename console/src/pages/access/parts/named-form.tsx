import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fieldErrors, type GraphError } from '../../../data/graph-error.ts';
import { FormDialog, say, TextField } from '../../../ui/index.ts';

type Named = { name: string };
type Act = Pick<UseMutationResult<unknown, GraphError, never>, 'isPending' | 'error'>;

type NamedFormProps<Field extends string> = {
  /** What it is, as it stands in "New …". */
  noun: string;
  /** What is changed; null for a new one. */
  of: Named | null;
  name: string;
  onName(name: string): void;
  /** What the form may do, one at a time. */
  acts: readonly Act[];
  /** Members of the input that have a field beside the name. */
  fields?: readonly Field[];
  description?: string;
  refusal?: string | null;
  size?: 'large';
  onSubmit(): void;
  onClose(): void;
  /** The other fields; `at` is what is wrong with one. */
  children?(at: (field: Field) => string | null): ReactNode;
};

/** The form of something with a name, the same for a new one and for one that is changed. */
export function NamedForm<Field extends string = never>(props: NamedFormProps<Field>) {
  const { noun, of: stored, name, onName, acts, fields = [], children, ...dialog } = props;
  const error = acts.find((act) => act.error)?.error ?? null;
  const { at, rest } = fieldErrors(error, ['name' as const, ...fields]);
  return (
    <FormDialog
      {...dialog}
      title={stored ? `Edit ${stored.name}` : `New ${noun}`}
      verb={stored ? 'Save' : 'Create'}
      isBusy={acts.some(({ isPending }) => isPending)}
      problem={rest}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => onName(target.value)}
        error={at('name')}
      />
      {children?.(at)}
    </FormDialog>
  );
}

/** Says that it is done, and closes the form. */
export const whenDone = (of: Named | null, name: string, onClose: () => void) => () => {
  say(`${name.trim()} is ${of ? 'changed' : 'there'}`);
  onClose();
};
