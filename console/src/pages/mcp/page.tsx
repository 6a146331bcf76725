import { useState } from 'react';
import { useDocument } from '../../data/use-document.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { counted } from '../../format/number.ts';
import { useGo, useSearch } from '../../shell/address.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { Button, type Column, inputClasses, Notice, Page, Table } from '../../ui/index.ts';
import { McpServersDocument } from './documents.ts';
import { AddServer } from './parts/add-server.tsx';
import { ReadState, type Server } from './parts/server.tsx';

export { McpServerDetail as Detail } from './detail.tsx';

/** Which tools can our people and programs use? */
export default function Mcp() {
  const [{ q }, change] = useSearch();
  const [isAdding, setAdding] = useState(false);
  const workspace = useWorkspace();
  const { refusal } = useMay('mcp_servers.create');
  const query = useDocument(McpServersDocument, { workspace, search: q ?? null });
  const add = (
    <Button look="primary" icon="plus" refusal={refusal} onClick={() => setAdding(true)}>
      Add a server
    </Button>
  );
  return (
    <Page
      title="MCP"
      answer={query.data?.mcpServers && sentenceOf(query.data.mcpServers.data)}
      actions={
        <>
          <input
            aria-label="Part of a name"
            placeholder="Name"
            defaultValue={q ?? ''}
            maxLength={255}
            onChange={({ target }) => change({ q: target.value.trim() || null }, true)}
            className={inputClasses('sm:w-44')}
          />
          {add}
        </>
      }
    >
      <Asked query={query} what="MCP servers">
        {({ mcpServers }) =>
          !mcpServers || mcpServers.total === 0 ? (
            <Notice icon="tools" title={q ? 'No server is like that' : 'No MCP server yet'} action={add}>
              A server is added by its address. Its tools are read, can be switched off one by one, and every
              call of one is logged. mock://server is built in.
            </Notice>
          ) : (
            <ServerTable rows={mcpServers.data} />
          )
        }
      </Asked>
      {isAdding && <AddServer onClose={() => setAdding(false)} />}
    </Page>
  );
}

function ServerTable({ rows }: { rows: readonly Server[] }) {
  const go = useGo();
  const columns: Column<Server>[] = [
    { key: 'name', head: 'Name', cell: ({ name }) => name },
    { key: 'slug', head: 'Slug', isMono: true, cell: ({ slug }) => slug },
    { key: 'state', head: 'State', cell: (server) => <ReadState of={server} /> },
    { key: 'at', head: 'Answers at', isMono: true, cell: ({ mcpIntegrationUrl }) => mcpIntegrationUrl ?? '' },
    { key: 'workspace', head: 'Workspace', cell: ({ workspaceName }) => workspaceName ?? '' },
    { key: 'users', head: 'Others', cell: ({ defaultUserAccess }) => others[defaultUserAccess] },
  ];
  return (
    <Table
      label="MCP servers"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ slug }) => go(`mcp/${slug}`)}
      narrow={(server) => ({
        lead: server.name,
        side: <ReadState of={server} />,
        meta: `${server.slug} · ${server.workspaceName ?? ''}`,
      })}
    />
  );
}

/** What holds for users without an entry of their own. */
const others = { allow: 'may call', deny: 'may not call' };

function sentenceOf(servers: readonly Server[]): string {
  const failing = servers.filter(({ metadata }) => metadata.syncStatus === 'failed');
  const state =
    failing.length === 0
      ? 'all that were read answer'
      : `${failing.map(({ name }) => name).join(', ')} cannot be read`;
  return `${counted(servers.length, 'server')}; ${state}.`;
}
