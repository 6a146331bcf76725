import { useState } from 'react';
import { useOperation } from '../../../../data/use-document.ts';
import { day } from '../../../../format/time.ts';
import { useViewer } from '../../../../shell/session/viewer.ts';
import { useZone } from '../../../../shell/stored.ts';
import { Button, type Column, DeleteButton, say, Table } from '../../../../ui/index.ts';
import { CreateTenantDocument, DeleteTenantDocument } from '../../documents.ts';
import { NamedForm, whenDone } from '../named-form.tsx';
import { changes, type Tenant } from './use-identities.ts';

type Placed = Tenant & { depth: number };

/** Each tenant behind the one above it, and deeper by one. */
function treeOf(tenants: readonly Tenant[]): Placed[] {
  const known = new Set(tenants.map(({ id }) => id));
  const below = Map.groupBy(tenants, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : null,
  );
  const from = (parent: string | null, depth: number): Placed[] =>
    (below.get(parent) ?? []).flatMap((tenant) => [{ ...tenant, depth }, ...from(tenant.id, depth + 1)]);
  return from(null, 0);
}

/** The tenant and those below it, each with an organisation of its own. */
export function Tenants({ tenants }: { tenants: readonly Tenant[] }) {
  const [isCreating, setCreating] = useState(false);
  const [zone] = useZone();
  const { tsgId } = useViewer();
  const columns: Column<Placed>[] = [
    {
      key: 'name',
      head: 'Name',
      cell: ({ name, depth }) => (
        <span className="font-[560]">
          {'— '.repeat(depth)}
          {name}
        </span>
      ),
    },
    { key: 'id', head: 'Id', isMono: true, cell: ({ id }) => id },
    { key: 'made', head: 'Made', align: 'end', cell: ({ createdAt }) => day(createdAt, zone) },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (tenant) => <Remove tenant={tenant} isOwn={tenant.id === tsgId} />,
    },
  ];
  return (
    <>
      <Table
        label="Tenants"
        columns={columns}
        rows={treeOf(tenants)}
        keyOf={({ id }) => id}
        narrow={(tenant) => ({
          lead: `${'— '.repeat(tenant.depth)}${tenant.name}`,
          side: <Remove tenant={tenant} isOwn={tenant.id === tsgId} />,
          meta: tenant.id,
        })}
      />
      <div className="px-4 py-3 sm:px-6">
        <Button icon="plus" onClick={() => setCreating(true)}>
          New tenant
        </Button>
      </div>
      {isCreating && <CreateTenant onClose={() => setCreating(false)} />}
    </>
  );
}

function CreateTenant({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const create = useOperation(CreateTenantDocument, { changes, onDone: whenDone(null, name, onClose) });
  return (
    <NamedForm
      noun="tenant"
      of={null}
      name={name}
      onName={setName}
      acts={[create]}
      description="It gets an organisation of its own, below this one."
      onSubmit={() => create.mutate({ input: { name: name.trim() } })}
      onClose={onClose}
    />
  );
}

function Remove({ tenant: { id, name }, isOwn }: { tenant: Tenant; isOwn: boolean }) {
  const remove = useOperation(DeleteTenantDocument, { changes, onDone: () => say(`${name} is deleted`) });
  return (
    <DeleteButton
      name={name}
      consequence="Its workspaces, people, service accounts, roles and access policies go with it."
      refusal={isOwn ? 'It is your own.' : null}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
