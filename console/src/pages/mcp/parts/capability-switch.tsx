import { useOperation } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Button, say } from '../../../ui/index.ts';
import { SwitchMcpCapabilityDocument } from '../documents.ts';
import type { Capability } from './server.tsx';

/** Lets callers of a server have something that it offers, or not. `server`: its id. */
export function CapabilitySwitch({ server, capability }: { server: string; capability: Capability }) {
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
