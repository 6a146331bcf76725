import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Button, Select, say } from '../../../ui/index.ts';
import {
  ChangeMemberDocument,
  type MemberRole,
  RemoveMemberDocument,
  type WorkspaceMembersQuery,
} from '../documents.ts';

type Member = NonNullable<WorkspaceMembersQuery['members']>['data'][number];

export const memberRoles: readonly { value: MemberRole; label: string; note: string }[] = [
  { value: 'member', label: 'Member', note: 'reads what is in it' },
  { value: 'manager', label: 'Manager', note: 'all but its budgets' },
  { value: 'admin', label: 'Admin', note: 'everything in it' },
];

const nameOf = ({ firstName, lastName, email }: Member): string =>
  [firstName, lastName].filter(Boolean).join(' ') || (email ?? 'Somebody');

/** Who is in a workspace, and as what. A role that is taken away counts within a second. */
export function Members({ workspace, members }: { workspace: string; members: readonly Member[] }) {
  if (members.length === 0)
    return (
      <p className="px-4 py-3 text-muted">
        Nobody yet. Owners and admins of the organisation are in every workspace.
      </p>
    );
  return (
    <ul aria-label="Members" className="border-t border-line">
      {members.map((member) => (
        <MemberLine key={member.userId} workspace={workspace} member={member} />
      ))}
    </ul>
  );
}

const changes = ['WorkspaceMembers', 'Access'];

function MemberLine({ workspace, member }: { workspace: string; member: Member }) {
  const { userId, email, role, groupRole } = member;
  const name = nameOf(member);
  const mayChange = useMay('workspace_users.update').may;
  const { refusal } = useMay('workspace_users.delete');
  const change = useOperation(ChangeMemberDocument, {
    changes,
    onDone: ({ updateMember }) => say(`${name} is ${updateMember.role} there`),
  });
  const remove = useOperation(RemoveMemberDocument, { changes, onDone: () => say(`${name} is out`) });
  const onError = ({ message }: Error) => say(`${name} stays as before`, { tone: 'bad', detail: message });
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1">
      <span className="min-w-0 flex-1 truncate">
        {name} <span className="text-muted">{email}</span>
      </span>
      {groupRole && <span className="text-meta text-muted">{groupRole} by a group</span>}
      {mayChange ? (
        <Select<MemberRole>
          label={`Role of ${name}`}
          choices={memberRoles}
          value={role}
          onChange={(chosen) => change.mutate({ workspace, user: userId, role: chosen }, { onError })}
        />
      ) : (
        role
      )}
      <Button
        look="quiet"
        refusal={refusal}
        isBusy={remove.isPending}
        aria-label={`Remove ${name} from the workspace`}
        onClick={() => remove.mutate({ workspace, user: userId }, { onError })}
      >
        Remove
      </Button>
    </li>
  );
}
