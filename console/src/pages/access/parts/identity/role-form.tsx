import { useMemo, useState } from 'react';
import { useOperation } from '../../../../data/use-document.ts';
import { useViewer } from '../../../../shell/session/viewer.ts';
import { Check, Field, SelectField, TextField } from '../../../../ui/index.ts';
import { ChangeRoleOfTenantDocument, CreateRoleDocument } from '../../documents.ts';
import { NamedForm, whenDone } from '../named-form.tsx';
import { changes, type Role } from './use-identities.ts';

type RoleFormProps = { of: Role | null; roles: readonly Role[]; onClose(): void };

/** What a role is called, and what it may do. A new one begins as another role is. */
export function RoleForm({ of: stored, roles, onClose }: RoleFormProps) {
  const { permissions: own } = useViewer();
  const held = useMemo(() => new Set(own), [own]);
  const [name, setName] = useState(stored?.name ?? '');
  const [slug, setSlug] = useState(stored?.slug ?? '');
  const [like, setLike] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(stored?.permissions));
  const options = { changes, onDone: whenDone(stored, name, onClose) };
  const create = useOperation(CreateRoleDocument, options);
  const change = useOperation(ChangeRoleOfTenantDocument, options);
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
    <NamedForm
      noun="role"
      of={stored}
      name={name}
      onName={setName}
      acts={[create, change]}
      fields={['slug', 'permissions']}
      size="large"
      refusal={chosen.size === 0 ? 'It may do nothing yet.' : null}
      onSubmit={submit}
      onClose={onClose}
    >
      {(at) => (
        <>
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
        </>
      )}
    </NamedForm>
  );
}
