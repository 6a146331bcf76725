import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { counted } from '../../format/number.ts';
import { useSearch } from '../../shell/address.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Button, Notice, Tabs } from '../../ui/index.ts';
import { Page } from '../../ui/page.tsx';
import { AccessDocument, type AccessQuery } from './documents.ts';
import { Clients } from './parts/clients.tsx';
import { identityTabs } from './parts/identity/identity-tabs.tsx';
import { useIdentities } from './parts/identity/use-identities.ts';
import { InvitePerson } from './parts/invite-person.tsx';
import { Invites } from './parts/invites.tsx';
import { People } from './parts/people.tsx';
import { SignIns } from './parts/sign-ins.tsx';
import { Workspaces } from './parts/workspaces.tsx';

/** Who may do what? */
export default function Access() {
  const [{ view = 'people' }, change] = useSearch();
  const [isInviting, setInviting] = useState(false);
  const { may: mayWorkspaces } = useMay('workspaces.list');
  const query = useDocument(AccessDocument, { mayWorkspaces });
  const { data: identities } = useIdentities();
  const { refusal } = useMay('organisation_users.create');
  const invite = (
    <Button look="primary" icon="plus" refusal={refusal} onClick={() => setInviting(true)}>
      Invite somebody
    </Button>
  );
  return (
    <Page title="Access" answer={query.data && sentenceOf(query.data)} actions={invite}>
      <Asked query={query} what="People">
        {({ users, invites, signIns, mcpGrants, workspaces }) => {
          const tabs = [
            {
              value: 'people',
              label: 'People',
              note: users?.total,
              panel:
                users?.total === 0 ? (
                  <Notice icon="access" title="Nobody is here yet" action={invite}>
                    Programs come with keys; people come by a link that you give them.
                  </Notice>
                ) : (
                  <People people={users?.data ?? []} />
                ),
            },
            ...(workspaces
              ? [
                  {
                    value: 'workspaces',
                    label: 'Workspaces',
                    note: workspaces.total,
                    panel: <Workspaces workspaces={workspaces.data} people={users?.data ?? []} />,
                  },
                ]
              : []),
            {
              value: 'invites',
              label: 'Invites',
              note: invites?.total,
              panel: <Invites invites={invites?.data ?? []} action={invite} />,
            },
            {
              value: 'sign-ins',
              label: 'Sign-ins',
              note: signIns?.total,
              panel: <SignIns signIns={signIns?.data ?? []} />,
            },
            {
              value: 'clients',
              label: 'MCP clients',
              note: mcpGrants?.total,
              panel: <Clients grants={mcpGrants?.data ?? []} />,
            },
            ...identityTabs(identities),
          ];
          return (
            <Tabs label="Access" tabs={tabs} value={view} onChange={(value) => change({ view: value })} />
          );
        }}
      </Asked>
      {isInviting && <InvitePerson onClose={() => setInviting(false)} />}
    </Page>
  );
}

function sentenceOf({ users, invites }: AccessQuery): string {
  const owners = users?.data.filter(({ role }) => role === 'owner').length ?? 0;
  return `${counted(users?.total ?? 0, 'person', 'people')}, ${counted(owners, 'owner')}; ${counted(invites?.total ?? 0, 'open invite')}.`;
}
