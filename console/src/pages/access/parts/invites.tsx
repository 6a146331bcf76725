import type { ReactNode } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Button, type Column, Notice, say, Table } from '../../../ui/index.ts';
import { type AccessQuery, WithdrawInviteDocument } from '../documents.ts';

type Invite = NonNullable<AccessQuery['invites']>['data'][number];

/** Links that nobody has opened yet. */
export function Invites({ invites, action }: { invites: readonly Invite[]; action: ReactNode }) {
  const now = Date.now();
  if (invites.length === 0)
    return (
      <Notice icon="link" title="No open invites" action={action}>
        An invite is a link that works for seven days; whoever opens it is in.
      </Notice>
    );
  const columns: Column<Invite>[] = [
    { key: 'email', head: 'Address', cell: ({ email }) => email },
    { key: 'role', head: 'Role', cell: ({ role }) => role },
    {
      key: 'by',
      head: 'Invited by',
      cell: ({ inviter }) => (inviter ? `${inviter.firstName} ${inviter.lastName}` : '–'),
    },
    { key: 'ends', head: 'Ends', align: 'end', cell: ({ expiresAt }) => relative(expiresAt, now) },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (one) => <Withdraw invite={one} />,
    },
  ];
  return (
    <Table
      label="Open invites"
      columns={columns}
      rows={invites}
      keyOf={({ id }) => id}
      narrow={(invite) => ({
        lead: invite.email,
        side: <Withdraw invite={invite} />,
        meta: `${invite.role} · ends ${relative(invite.expiresAt, now)}`,
      })}
    />
  );
}

function Withdraw({ invite: { id, email } }: { invite: Invite }) {
  const { refusal } = useMay('organisation_users.delete');
  const withdraw = useOperation(WithdrawInviteDocument, {
    changes: ['Access'],
    onDone: () => say(`The invite of ${email} leads nowhere now`),
  });
  return (
    <Button
      look="quiet"
      refusal={refusal}
      isBusy={withdraw.isPending}
      onClick={() => withdraw.mutate({ id })}
    >
      Withdraw
    </Button>
  );
}
