import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import {
  Button,
  Code,
  type Column,
  Drawer,
  IconButton,
  Notice,
  Status,
  say,
  Table,
} from '../../../ui/index.ts';
import { SwitchMcpCapabilityDocument } from '../documents.ts';
import type { Capability } from './server.tsx';

/** What a server offers, each with its switch. */
export function Capabilities({
  server,
  capabilities,
}: {
  server: string;
  capabilities: readonly Capability[];
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = capabilities.find((capability) => keyOf(capability) === chosen);
  if (capabilities.length === 0)
    return (
      <Notice icon="tools" title="Nothing was read yet">
        The tools of a server stand here once it has answered. “Test” says what it answers.
      </Notice>
    );
  const columns: Column<Capability>[] = [
    { key: 'name', head: 'Name', isMono: true, cell: ({ name }) => name },
    { key: 'type', head: 'What', cell: ({ type }) => type.replace('_', ' ') },
    {
      key: 'about',
      head: 'Does',
      cell: ({ title, description }) => <span className="text-muted">{title ?? description}</span>,
    },
    { key: 'state', head: 'State', cell: stateOf },
    {
      key: 'acts',
      head: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (capability) => <Switch server={server} capability={capability} />,
    },
  ];
  return (
    <>
      <Table
        label="Capabilities"
        columns={columns}
        rows={capabilities}
        keyOf={keyOf}
        onOpen={(capability) => setChosen(keyOf(capability))}
        narrow={(capability) => ({
          lead: capability.name,
          side: stateOf(capability),
          meta: capability.description,
        })}
      />
      <Drawer isOpen={shown !== undefined} onClose={() => setChosen(null)} label={shown?.name ?? ''}>
        {shown && (
          <div className="flex flex-col gap-3 overflow-y-auto p-4">
            <div className="flex items-start gap-2">
              <h2 className="mono min-w-0 flex-1 truncate text-lead">{shown.name}</h2>
              <Switch server={server} capability={shown} />
              <IconButton icon="cross" label="Close" onClick={() => setChosen(null)} />
            </div>
            <p className="whitespace-pre-wrap">{shown.description}</p>
            {shown.suspicious && <Status tone="warn">{shown.suspicious}</Status>}
            {shown.hidden && <Status tone="warn">{shown.hidden}</Status>}
            {shown.inputSchema !== null && (
              <Code label="arguments" text={JSON.stringify(shown.inputSchema, null, 2)} />
            )}
          </div>
        )}
      </Drawer>
    </>
  );
}

const keyOf = ({ type, name, uri }: Capability): string => `${type} ${name} ${uri ?? ''}`;

function stateOf({ enabled, integrationEnabled, isQuarantined, hidden, missingSince }: Capability) {
  if (missingSince !== null) return <Status tone="none">not offered any more</Status>;
  if (isQuarantined) return <Status tone="warn">kept back: its description changed</Status>;
  if (hidden !== null) return <Status tone="warn">hidden</Status>;
  if (integrationEnabled === false) return <Status tone="none">off for all</Status>;
  return enabled ? <Status tone="ok">on</Status> : <Status tone="none">off</Status>;
}

function Switch({ server, capability }: { server: string; capability: Capability }) {
  const { refusal } = useMay('mcp_servers.update');
  const { name, type, enabled, uri } = capability;
  const turn = useOperation(SwitchMcpCapabilityDocument, {
    changes: ['McpServerShown'],
    onDone: () => say(`${name} is ${enabled ? 'off' : 'on'}`),
  });
  return (
    <Button
      look="quiet"
      refusal={refusal}
      isBusy={turn.isPending}
      aria-label={`Switch ${name} ${enabled ? 'off' : 'on'}`}
      onClick={() =>
        turn.mutate(
          { id: server, input: { capabilities: [{ name: uri ?? name, type, enabled: !enabled }] } },
          { onError: ({ message }) => say(`${name} stays as it is`, { tone: 'bad', detail: message }) },
        )
      }
    >
      {enabled ? 'Switch off' : 'Switch on'}
    </Button>
  );
}
