import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { useMay, useViewer } from '../../../shell/session/viewer.ts';
import { type Column, Confirm, IconButton, Menu, Status, say, Table } from '../../../ui/index.ts';
import { type AccessQuery, ChangeRoleDocument, RemovePersonDocument } from '../documents.ts';
import { SignInLink } from './sign-in-link.tsx';

type Person = NonNullable<AccessQuery['users']>['data'][number];

const nameOf = ({ firstName, lastName }: Person): string => `${firstName} ${lastName}`;

/** Who belongs to the organisation, and as what. */
export function People({ people }: { people: readonly Person[] }) {
  const [asked, setAsked] = useState<{ act: 'remove' | 'link'; person: Person } | null>(null);
  const close = () => setAsked(null);
  const now = Date.now();
  const columns: Column<Person>[] = [
    { key: 'name', head: 'Name', cell: nameOf },
    { key: 'email', head: 'Address', cell: ({ email }) => <span className="text-muted">{email}</span> },
    { key: 'role', head: 'Role', cell: ({ role }) => role },
    { key: 'places', head: 'Workspaces', cell: placesOf },
    { key: 'status', head: 'State', cell: stateOf },
    {
      key: 'seen',
      head: 'Last seen',
      align: 'end',
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : relative(lastSeenAt, now)),
    },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      width: '48px',
      cell: (person) => <Acts person={person} onAsk={(act) => setAsked({ act, person })} />,
    },
  ];
  return (
    <>
      <Table
        label="People"
        columns={columns}
        rows={people}
        keyOf={({ id }) => id}
        narrow={(person) => ({
          lead: nameOf(person),
          side: <Acts person={person} onAsk={(act) => setAsked({ act, person })} />,
          meta: `${person.role} · ${person.email}`,
        })}
      />
      {asked?.act === 'remove' && <RemovePerson person={asked.person} onClose={close} />}
      {asked?.act === 'link' && (
        <SignInLink user={asked.person.id} name={nameOf(asked.person)} onClose={close} />
      )}
    </>
  );
}

const placesOf = ({ role, workspaces }: Person): string =>
  role === 'member'
    ? (workspaces ?? []).flatMap((workspace) => (workspace ? [workspace.name] : [])).join(', ') || 'none'
    : 'all';

const stateOf = ({ status }: Person) =>
  status === 'active' ? <Status tone="ok">active</Status> : <Status tone="none">{status}</Status>;

function Acts({ person, onAsk }: { person: Person; onAsk(act: 'remove' | 'link'): void }) {
  const viewer = useViewer();
  const mayChange = useMay('organisation_users.update');
  const mayRemove = useMay('organisation_users.delete');
  const changeRole = useOperation(ChangeRoleDocument, {
    changes: ['Access'],
    onDone: ({ updateUser }) => say(`${nameOf(person)} is ${updateUser.role} now`),
  });
  const next = person.role === 'member' ? 'admin' : 'member';
  const isSelf = viewer.id === person.id ? 'This is you.' : null;
  return (
    <Menu
      trigger={<IconButton icon="more" label={`Actions for ${nameOf(person)}`} />}
      entries={[
        {
          label: next === 'admin' ? 'Make an admin' : 'Make a member',
          refusal:
            mayChange.refusal ?? (person.role === 'owner' ? 'An owner hands the ownership over.' : isSelf),
          onChoose: () =>
            changeRole.mutate(
              { id: person.id, role: next },
              { onError: ({ message }) => say('The role stays', { tone: 'bad', detail: message }) },
            ),
        },
        {
          label: 'Make a sign-in link',
          icon: 'link',
          refusal:
            mayChange.refusal ?? (person.role === 'owner' ? 'Owners get theirs on the machine.' : null),
          onChoose: () => onAsk('link'),
        },
        'line',
        {
          label: 'Remove',
          icon: 'trash',
          isDanger: true,
          refusal: mayRemove.refusal ?? (person.role === 'owner' ? 'The last owner stays.' : isSelf),
          onChoose: () => onAsk('remove'),
        },
      ]}
    />
  );
}

function RemovePerson({ person, onClose }: { person: Person; onClose(): void }) {
  const remove = useOperation(RemovePersonDocument, {
    changes: ['Access'],
    onDone() {
      say(`${nameOf(person)} is removed`);
      onClose();
    },
  });
  return (
    <Confirm
      title={`Remove ${nameOf(person)}?`}
      consequence="Their sign-ins and their own keys end within a second."
      verb="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ id: person.id })}
      onClose={onClose}
    />
  );
}
