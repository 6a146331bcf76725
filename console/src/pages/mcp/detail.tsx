import { useEffect } from 'react';
import { useDocument, useOperation } from '../../data/use-document.ts';
import { duration } from '../../format/time.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Banner, Button, DeleteButton, Page, say, Tabs } from '../../ui/index.ts';
import { DeleteMcpServerDocument, McpServerShownDocument, TestMcpServerDocument } from './documents.ts';
import { Capabilities } from './parts/capabilities.tsx';
import { Clients } from './parts/clients.tsx';
import { ConnectYourself } from './parts/connect-yourself.tsx';
import { Connections } from './parts/connections.tsx';
import type { Server } from './parts/server.tsx';

/** Milliseconds between two looks at a server that is being read. */
const LOOK_MS = 1000;

/** One server: whether it answers, what it offers, and who may act there. */
export function McpServerDetail({ id }: { id: string }) {
  const [{ view = 'tools' }, change] = useSearch();
  const query = useDocument(McpServerShownDocument, { id });
  const mayTest = useMay('mcp_servers.read');
  const test = useOperation(TestMcpServerDocument, { changes: [McpServerShownDocument.name] });
  const server = query.data?.mcpServer;
  const tested = test.data?.testMcpServer;
  const isRead = !['pending', 'syncing'].includes(server?.metadata.syncStatus ?? 'pending');
  const { refetch, dataUpdatedAt } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every answer that is not the last begins another look
  useEffect(() => {
    if (isRead || !server) return;
    const timer = setTimeout(() => void refetch(), LOOK_MS);
    return () => clearTimeout(timer);
  }, [isRead, server, dataUpdatedAt, refetch]);
  return (
    <Page
      title={server?.name ?? id}
      answer={server && answerOf(server)}
      actions={
        server && (
          <>
            <Button
              refusal={mayTest.refusal}
              isBusy={test.isPending}
              onClick={() => test.mutate({ id: server.id })}
            >
              Test
            </Button>
            <DeleteServer server={server} />
          </>
        )
      }
    >
      {(test.error || tested) && (
        <div className="px-4 pb-3 sm:px-6">
          <Banner tone={tested?.success ? 'ok' : 'bad'}>
            {tested?.success
              ? `It answers as ${tested.serverName || 'a server without a name'}, in ${duration(tested.responseTimeMs)}.`
              : (test.error?.message ?? tested?.error)}
          </Banner>
        </div>
      )}
      <Asked query={query} what="The MCP server">
        {({ mcpServer, mcpServerCapabilities, mcpServerConnections }) =>
          mcpServer && (
            <>
              <ConnectYourself server={mcpServer} connections={mcpServerConnections?.data ?? []} />
              <Tabs
                label="Views of the server"
                value={view}
                onChange={(value) => change({ view: value })}
                tabs={[
                  {
                    value: 'tools',
                    label: 'Capabilities',
                    note: mcpServerCapabilities?.total,
                    panel: (
                      <Capabilities server={mcpServer} capabilities={mcpServerCapabilities?.data ?? []} />
                    ),
                  },
                  {
                    value: 'connections',
                    label: 'Connections',
                    note: mcpServerConnections?.total,
                    panel: (
                      <Connections server={mcpServer.id} connections={mcpServerConnections?.data ?? []} />
                    ),
                  },
                  { value: 'clients', label: 'Connect to it', panel: <Clients server={mcpServer} /> },
                ]}
              />
            </>
          )
        }
      </Asked>
    </Page>
  );
}

function answerOf({ metadata, mcpIntegrationUrl, workspaceName }: Server): string {
  const { serverName, serverVersion, syncError } = metadata;
  if (syncError) return `It cannot be read: ${syncError}`;
  const who = serverName ? `${serverName} ${serverVersion ?? ''}`.trim() : 'A server that was not read yet';
  return `${who} at ${mcpIntegrationUrl ?? 'an address that is gone'}, for callers of ${workspaceName ?? 'a workspace that is gone'}.`;
}

function DeleteServer({ server: { id, name } }: { server: Server }) {
  const go = useGo();
  const { refusal } = useMay('mcp_servers.delete');
  const remove = useOperation(DeleteMcpServerDocument, {
    changes: ['McpServers'],
    onDone() {
      say(`${name} is deleted`);
      go('mcp');
    },
  });
  return (
    <DeleteButton
      name={name}
      consequence="Callers are refused at once. The connection stays, for other workspaces."
      refusal={refusal}
      act={remove}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}
