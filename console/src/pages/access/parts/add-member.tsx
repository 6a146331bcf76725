import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Select } from '../../../ui/index.ts';
import { AddMemberDocument, type MemberRole } from '../documents.ts';
import { memberRoles } from './members.tsx';
import type { Person } from './workspaces.tsx';

/** Takes somebody of the organisation into a workspace. */
export function AddMember({ workspace, people }: { workspace: string; people: readonly Person[] }) {
  const [chosen, setChosen] = useState('');
  const [role, setRole] = useState<MemberRole>('member');
  const { refusal } = useMay('workspace_users.create');
  const add = useOperation(AddMemberDocument, {
    changes: ['WorkspaceMembers', 'Access'],
    onDone: () => setChosen(''),
  });
  if (people.length === 0) return null;
  const id = people.some((person) => person.id === chosen) ? chosen : '';
  return (
    <div className="flex flex-col gap-2 px-4 py-3">
      {add.error && <Banner tone="bad">{add.error.message}</Banner>}
      <div className="flex flex-wrap items-center gap-2">
        <Select<string>
          label="Person"
          className="min-w-44"
          choices={[
            { value: '', label: 'Somebody else …' },
            ...people.map(({ id: value, firstName, lastName, email }) => ({
              value,
              label: `${firstName} ${lastName}`.trim() || email,
              note: email,
            })),
          ]}
          value={id}
          onChange={setChosen}
        />
        <Select<MemberRole> label="Role" choices={memberRoles} value={role} onChange={setRole} />
        <Button
          icon="plus"
          refusal={refusal ?? (id === '' ? 'Choose somebody.' : null)}
          isBusy={add.isPending}
          onClick={() => add.mutate({ workspace, input: { users: [{ id, role }] } })}
        >
          Add
        </Button>
      </div>
    </div>
  );
}
