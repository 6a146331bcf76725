import { useState } from 'react';
import { type Column, Drawer, Notice, Status, Table } from '../../../ui/index.ts';
import { CapabilityShown } from './capability-shown.tsx';
import { CapabilitySwitch } from './capability-switch.tsx';
import type { Capability, Server } from './server.tsx';

/** What a server offers, each with its switch. */
export function Capabilities({
  server,
  capabilities,
}: {
  server: Server;
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
      cell: (capability) => <CapabilitySwitch server={server.id} capability={capability} />,
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
        {shown && <CapabilityShown server={server} capability={shown} onClose={() => setChosen(null)} />}
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
