import { useOperation } from '../../../data/use-document.ts';
import { relative } from '../../../format/time.ts';
import { Button, Section, say } from '../../../ui/index.ts';
import { EndOwnMcpGrantDocument, OwnSettingsDocument, type OwnSettingsQuery } from '../documents.ts';

type OwnGrant = NonNullable<OwnSettingsQuery['mcpGrants']>['data'][number];

const line = 'flex min-h-10 items-center gap-3 border-b border-line px-4 last:border-0';

/** MCP clients that whoever is signed in has let in. */
export function OwnClients({ grants }: { grants: readonly OwnGrant[] }) {
  const end = useOperation(EndOwnMcpGrantDocument, {
    changes: [OwnSettingsDocument.name],
    onDone: () => say('The client has to ask again'),
  });
  return (
    <Section title="MCP clients that act for you">
      <ul>
        {grants.length === 0 && <li className={line}>None. A client that signs you in is listed here.</li>}
        {grants.map(({ id, clientId, clientName, resource, lastUsedAt }) => (
          <li key={id} className={line}>
            <span className="min-w-0 flex-1 truncate">
              {clientName ?? clientId} <span className="text-muted">at {resource}</span>
            </span>
            <span className="text-muted">{relative(lastUsedAt, Date.now())}</span>
            <Button look="quiet" onClick={() => end.mutate({ id })}>
              Take back
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
