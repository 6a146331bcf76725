import { Code, IconButton, Status } from '../../../ui/index.ts';
import { CapabilitySwitch } from './capability-switch.tsx';
import type { Capability, Server } from './server.tsx';
import { ToolTrial } from './tool-trial.tsx';

type CapabilityShownProps = { server: Server; capability: Capability; onClose(): void };

/** What a server offers, in full; a tool can be called. */
export function CapabilityShown({ server, capability, onClose }: CapabilityShownProps) {
  const { name, type, description, suspicious, hidden, inputSchema } = capability;
  return (
    <div className="flex flex-col gap-3 overflow-y-auto p-4">
      <div className="flex items-start gap-2">
        <h2 className="mono min-w-0 flex-1 truncate text-lead">{name}</h2>
        <CapabilitySwitch server={server.id} capability={capability} />
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </div>
      <p className="whitespace-pre-wrap">{description}</p>
      {suspicious && <Status tone="warn">{suspicious}</Status>}
      {hidden && <Status tone="warn">{hidden}</Status>}
      {type === 'tool' && <ToolTrial key={name} server={server} tool={capability} />}
      {inputSchema !== null && <Code label="arguments" text={JSON.stringify(inputSchema, null, 2)} />}
    </div>
  );
}
