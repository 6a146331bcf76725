import { useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { Button, type Column, Status, say, Table } from '../../../ui/index.ts';
import { type AccessQuery, EndSignInDocument } from '../documents.ts';

type SignIn = NonNullable<AccessQuery['signIns']>['data'][number];

/** Who is signed in, and from where. */
export function SignIns({ signIns }: { signIns: readonly SignIn[] }) {
  const now = Date.now();
  const columns: Column<SignIn>[] = [
    { key: 'who', head: 'Who', cell: ({ name }) => name },
    { key: 'how', head: 'By', cell: ({ method }) => method },
    { key: 'from', head: 'From', isMono: true, cell: ({ clientIp }) => clientIp },
    {
      key: 'agent',
      head: 'Browser',
      cell: ({ userAgent }) => <span className="text-muted">{userAgent}</span>,
    },
    { key: 'seen', head: 'Last seen', align: 'end', cell: ({ lastSeenAt }) => relative(lastSeenAt, now) },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (one) => <End signIn={one} />,
    },
  ];
  return (
    <Table
      label="Sign-ins"
      columns={columns}
      rows={signIns}
      keyOf={({ id }) => id}
      narrow={(signIn) => ({
        lead: signIn.name,
        side: <End signIn={signIn} />,
        meta: `${signIn.method} · ${signIn.clientIp} · ${relative(signIn.lastSeenAt, now)}`,
      })}
    />
  );
}

function End({ signIn: { id, name, isCurrent } }: { signIn: SignIn }) {
  const end = useOperation(EndSignInDocument, {
    changes: ['Access'],
    onDone: () => say(`A sign-in of ${name} has ended`),
  });
  if (isCurrent) return <Status tone="info">this one</Status>;
  return (
    <Button look="quiet" isBusy={end.isPending} onClick={() => end.mutate({ id })}>
      End
    </Button>
  );
}
