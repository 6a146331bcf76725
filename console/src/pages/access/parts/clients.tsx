import { useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { Button, type Column, say, Table } from '../../../ui/index.ts';
import { type AccessQuery, EndMcpGrantDocument } from '../documents.ts';

type Grant = NonNullable<AccessQuery['mcpGrants']>['data'][number];

const nameOf = ({ clientName, clientId }: Grant): string => clientName ?? clientId;

/** Which MCP clients act for whom, and where. */
export function Clients({ grants }: { grants: readonly Grant[] }) {
  const now = Date.now();
  const columns: Column<Grant>[] = [
    { key: 'client', head: 'Client', cell: nameOf },
    { key: 'who', head: 'Acts for', cell: ({ userEmail }) => userEmail ?? 'somebody who is gone' },
    { key: 'at', head: 'At', isMono: true, cell: ({ resource }) => resource },
    { key: 'scopes', head: 'May', cell: ({ scopes }) => scopes.join(', ') },
    { key: 'used', head: 'Last used', align: 'end', cell: ({ lastUsedAt }) => relative(lastUsedAt, now) },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (grant) => <End grant={grant} />,
    },
  ];
  return (
    <Table
      label="MCP clients"
      columns={columns}
      rows={grants}
      keyOf={({ id }) => id}
      narrow={(grant) => ({
        lead: nameOf(grant),
        side: <End grant={grant} />,
        meta: `${grant.userEmail ?? ''} · ${grant.resource} · ${relative(grant.lastUsedAt, now)}`,
      })}
    />
  );
}

function End({ grant }: { grant: Grant }) {
  const end = useOperation(EndMcpGrantDocument, {
    changes: ['Access'],
    onDone: () => say(`${nameOf(grant)} has to ask again`),
  });
  return (
    <Button look="quiet" isBusy={end.isPending} onClick={() => end.mutate({ id: grant.id })}>
      Take back
    </Button>
  );
}
