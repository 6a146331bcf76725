import { useState } from 'react';
import { fieldErrors } from '../../../../data/graph-error.ts';
import { useOperation } from '../../../../data/use-document.ts';
import { useViewer } from '../../../../shell/session/viewer.ts';
import { FormDialog, SelectField, say, TextField } from '../../../../ui/index.ts';
import { GiveRoleDocument } from '../../documents.ts';
import { type Account, changes, type Role } from './use-identities.ts';

type GiveRoleProps = { roles: readonly Role[]; accounts: readonly Account[]; onClose(): void };

/** Who, which role, and where. */
export function GiveRole({ roles, accounts, onClose }: GiveRoleProps) {
  const { workspaces, tsgId } = useViewer();
  const [principal, setPrincipal] = useState(accounts[0]?.displayName ?? '');
  const [role, setRole] = useState(roles[0]?.id ?? '');
  const [workspace, setWorkspace] = useState('');
  const give = useOperation(GiveRoleDocument, {
    changes,
    onDone() {
      say(`${principal} is ${role} there`);
      onClose();
    },
  });
  const { at, rest } = fieldErrors(give.error, ['principal', 'role', 'resource']);
  const input = { principal: principal.trim(), role, resource: `prn:${tsgId}::::${workspace}` };
  return (
    <FormDialog
      title="Give a role"
      verb="Give it"
      isBusy={give.isPending}
      refusal={principal.trim() === '' ? 'Say who.' : role === '' ? 'Choose a role.' : null}
      problem={rest}
      onSubmit={() => give.mutate({ input })}
      onClose={onClose}
    >
      <TextField
        label="Who"
        required
        isMono
        maxLength={320}
        list="principals"
        hint="A service account as name@tenant.iam…, or a person's address."
        value={principal}
        onChange={({ target }) => setPrincipal(target.value)}
        error={at('principal')}
      />
      <datalist id="principals">
        {accounts.map(({ id, displayName }) => (
          <option key={id} value={displayName} />
        ))}
      </datalist>
      <SelectField
        label="Role"
        choices={roles.map(({ id, name }) => ({ value: id, label: name, note: id }))}
        value={role}
        onChange={setRole}
        error={at('role')}
      />
      <SelectField
        label="In"
        choices={[
          { value: '', label: 'the tenant and all below it' },
          ...workspaces.map(({ slug, name }) => ({ value: slug, label: name })),
        ]}
        value={workspace}
        onChange={setWorkspace}
        error={at('resource')}
      />
    </FormDialog>
  );
}
