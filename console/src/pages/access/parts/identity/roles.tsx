import { useState } from 'react';
import { useOperation } from '../../../../data/use-document.ts';
import { counted } from '../../../../format/number.ts';
import { Button, type Column, DeleteButton, Drawer, IconButton, say, Table } from '../../../../ui/index.ts';
import { DeleteRoleDocument } from '../../documents.ts';
import { RoleForm } from './role-form.tsx';
import { changes, type Role } from './use-identities.ts';

/** What access policies can give. */
export function Roles({ roles }: { roles: readonly Role[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [edited, setEdited] = useState<Role | 'new' | null>(null);
  const shown = roles.find(({ id }) => id === chosen);
  const columns: Column<Role>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => <span className="font-[560]">{name}</span> },
    { key: 'id', head: 'Named as', isMono: true, cell: ({ id }) => id },
    { key: 'kind', head: 'Kind', cell: kindOf },
    {
      key: 'may',
      head: 'May',
      align: 'end',
      cell: ({ permissions }) => counted(permissions.length, 'thing'),
    },
  ];
  return (
    <>
      <Table
        label="Roles"
        columns={columns}
        rows={roles}
        keyOf={({ id }) => id}
        onOpen={({ id }) => setChosen(id)}
        narrow={(role) => ({
          lead: role.name,
          side: counted(role.permissions.length, 'thing'),
          meta: `${role.id} · ${kindOf(role)}`,
        })}
      />
      <div className="px-4 py-3 sm:px-6">
        <Button icon="plus" onClick={() => setEdited('new')}>
          New role
        </Button>
      </div>
      <Drawer isOpen={shown !== undefined} onClose={() => setChosen(null)} label={shown?.name ?? ''}>
        {shown && <Shown role={shown} onEdit={() => setEdited(shown)} onClose={() => setChosen(null)} />}
      </Drawer>
      {edited && (
        <RoleForm of={edited === 'new' ? null : edited} roles={roles} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

const kindOf = ({ builtIn }: Role): string => (builtIn ? 'built in' : 'of this tenant');

function Shown({ role, onEdit, onClose }: { role: Role; onEdit(): void; onClose(): void }) {
  const remove = useOperation(DeleteRoleDocument, {
    changes,
    onDone: () => say(`${role.name} is deleted`),
  });
  const refusal = role.builtIn ? 'Every tenant has it.' : null;
  return (
    <div className="flex flex-col gap-3 overflow-y-auto p-4">
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 truncate text-lead">{role.name}</h2>
        <Button icon="edit" refusal={refusal} onClick={onEdit}>
          Edit
        </Button>
        <DeleteButton
          name={role.name}
          consequence="It is refused while an access policy gives it."
          refusal={refusal}
          act={remove}
          onConfirm={() => remove.mutate({ id: role.id })}
        />
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </div>
      <p className="text-muted">{role.description}</p>
      <ul aria-label="Permissions" className="flex flex-wrap gap-1.5">
        {role.permissions.map((permission) => (
          <li key={permission} className="mono rounded-[4px] bg-sunken px-1.5 text-muted">
            {permission}
          </li>
        ))}
      </ul>
    </div>
  );
}
