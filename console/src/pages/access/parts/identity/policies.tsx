import { useState } from 'react';
import { useOperation } from '../../../../data/use-document.ts';
import { Button, type Column, DeleteButton, Notice, say, Table } from '../../../../ui/index.ts';
import { TakeRoleDocument } from '../../documents.ts';
import { GiveRole } from './give-role.tsx';
import { type Account, changes, type Policy, type Role } from './use-identities.ts';

type PoliciesProps = {
  policies: readonly Policy[];
  roles: readonly Role[];
  accounts: readonly Account[];
};

const placeOf = ({ workspaceId, workspace }: Policy): string =>
  workspaceId === null ? 'the tenant and all below it' : (workspace?.name ?? workspaceId);

/** Who has which role, and where. */
export function Policies({ policies, roles, accounts }: PoliciesProps) {
  const [isGiving, setGiving] = useState(false);
  const give = (
    <Button icon="plus" onClick={() => setGiving(true)}>
      Give a role
    </Button>
  );
  const columns: Column<Policy>[] = [
    { key: 'who', head: 'Who', isMono: true, cell: ({ principal }) => principal },
    { key: 'role', head: 'Role', cell: ({ role }) => role },
    { key: 'where', head: 'In', cell: placeOf },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (policy) => <Take policy={policy} />,
    },
  ];
  return (
    <>
      {policies.length === 0 ? (
        <Notice icon="access" title="No access policy yet" action={give}>
          An access policy gives a service account a role, in a tenant or in one workspace.
        </Notice>
      ) : (
        <>
          <Table
            label="Access policies"
            columns={columns}
            rows={policies}
            keyOf={({ id }) => id}
            narrow={(policy) => ({
              lead: policy.principal,
              side: <Take policy={policy} />,
              meta: `${policy.role} in ${placeOf(policy)}`,
            })}
          />
          <div className="px-4 py-3 sm:px-6">{give}</div>
        </>
      )}
      {isGiving && <GiveRole roles={roles} accounts={accounts} onClose={() => setGiving(false)} />}
    </>
  );
}

function Take({ policy: { id, principal, role } }: { policy: Policy }) {
  const take = useOperation(TakeRoleDocument, {
    changes,
    onDone: () => say(`${principal} is not ${role} there any more`),
  });
  return (
    <DeleteButton
      name={`the role ${role} from ${principal}`}
      verb="Take"
      consequence="Tokens that are in use lose it at once."
      refusal={null}
      act={take}
      onConfirm={() => take.mutate({ id })}
    />
  );
}
