import { useMemo, useState } from 'react';
import { fieldErrors } from '../../../../data/graph-error.ts';
import { useOperation } from '../../../../data/use-document.ts';
import { useViewer } from '../../../../shell/session/viewer.ts';
import { Check, Field, FormDialog, SelectField, say, TextField } from '../../../../ui/index.ts';
import { ChangeRoleOfTenantDocument, CreateRoleDocument } from '../../documents.ts';
import { changes, type Role } from './use-identities.ts';

type RoleFormProps = { of: Role | null; roles: readonly Role[]; onClose(): void };

/** The fields of a role, the same for a new one and for one that is changed. A new one begins as another role is. */
export function RoleForm({ of: stored, roles, onClose }: RoleFormProps) {
  const { permissions: own } = useViewer();
  const held = useMemo(() => new Set(own), [own]);
  const [name, setName] = useState(stored?.name ?? '');
  const [slug, setSlug] = useState(stored?.slug ?? '');
  const [like, setLike] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(stored?.permissions));
  const options = {
    changes,
    onDone() {
      say(`${name.trim()} is ${stored ? 'changed' : 'there'}`);
      onClose();
    },
  };
  const create = useOperation(CreateRoleDocument, options);
  const change = useOperation(ChangeRoleOfTenantDocument, options);
  const { at, rest } = fieldErrors(create.error ?? change.error, ['name', 'slug', 'permissions']);
  const all = [...new Set(roles.flatMap(({ permissions }) => permissions))].toSorted();
  const begin = (id: string) => {
    setLike(id);
    const from = roles.find((role) => role.id === id)?.permissions ?? [];
    setChosen(new Set(from.filter((permission) => held.has(permission))));
  };
  const toggle = (permission: string) => {
    const after = new Set(chosen);
    if (!after.delete(permission)) after.add(permission);
    setChosen(after);
  };
  function submit() {
    const input = { name: name.trim(), permissions: [...chosen] };
    if (stored) change.mutate({ id: stored.id, input });
    else create.mutate({ input: { ...input, slug: slug.trim() } });
  }
  return (
    <FormDialog
      title={stored ? `Edit ${stored.name}` : 'New role'}
      verb={stored ? 'Save' : 'Create'}
      size="large"
      isBusy={create.isPending || change.isPending}
      refusal={chosen.size === 0 ? 'It may do nothing yet.' : null}
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
      {!stored && (
        <>
          <TextField
            label="Slug"
            required
            isMono
            maxLength={63}
            hint="It never changes."
            value={slug}
            onChange={({ target }) => setSlug(target.value)}
            error={at('slug')}
          />
          <SelectField
            label="Begins like"
            choices={[
              { value: '', label: 'nothing' },
              ...roles.map((role) => ({ value: role.id, label: role.name })),
            ]}
            value={like}
            onChange={begin}
          />
        </>
      )}
      <Field label={`May (${chosen.size})`} error={at('permissions')}>
        {({ id }) => (
          <div
            id={id}
            role="group"
            aria-label="Permissions"
            className="grid max-h-72 gap-x-4 overflow-y-auto rounded-control border border-line bg-sunken p-3 sm:grid-cols-2"
          >
            {all.map((permission) => (
              <Check
                key={permission}
                label={permission}
                checked={chosen.has(permission)}
                refusal={
                  held.has(permission) || chosen.has(permission)
                    ? null
                    : `You do not have ${permission}, so you cannot give it`
                }
                onChange={() => toggle(permission)}
              />
            ))}
          </div>
        )}
      </Field>
    </FormDialog>
  );
}
