import { useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Button, type Column, Notice, Status, say, Table } from '../../../ui/index.ts';
import { type McpServerShownQuery, RevokeMcpConnectionDocument } from '../documents.ts';

type Connection = NonNullable<McpServerShownQuery['mcpServerConnections']>['data'][number];

/** The users for whom the gateway may act at the server. */
export function Connections({ server, connections }: { server: string; connections: readonly Connection[] }) {
  const now = Date.now();
  if (connections.length === 0)
    return (
      <Notice icon="access" title="No user has connected">
        Servers that want each user's own authorization lead to their sign-in with the first call.
      </Notice>
    );
  const columns: Column<Connection>[] = [
    { key: 'user', head: 'User', isMono: true, cell: ({ userId }) => userId },
    { key: 'state', head: 'State', cell: stateOf },
    {
      key: 'at',
      head: 'Renewed',
      align: 'end',
      cell: ({ lastUpdatedAt }) => relative(lastUpdatedAt, now),
    },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: ({ userId }) => <Forget server={server} user={userId} />,
    },
  ];
  return (
    <Table
      label="Connections"
      columns={columns}
      rows={connections}
      keyOf={({ userId }) => userId}
      narrow={(connection) => ({
        lead: connection.userId,
        side: <Forget server={server} user={connection.userId} />,
        meta: relative(connection.lastUpdatedAt, now),
      })}
    />
  );
}

const stateOf = ({ connected }: Connection) =>
  connected ? <Status tone="ok">connected</Status> : <Status tone="none">over</Status>;

function Forget({ server, user }: { server: string; user: string }) {
  const { refusal } = useMay('mcp_servers.update');
  const revoke = useOperation(RevokeMcpConnectionDocument, {
    changes: ['McpServerShown'],
    onDone: () => say('The connection is forgotten', { detail: 'The user has to connect again.' }),
  });
  return (
    <Button
      look="quiet"
      refusal={refusal}
      isBusy={revoke.isPending}
      onClick={() =>
        revoke.mutate(
          { id: server, user },
          { onError: ({ message }) => say('The connection stays', { tone: 'bad', detail: message }) },
        )
      }
    >
      Forget
    </Button>
  );
}
