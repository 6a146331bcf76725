import { Status } from '../../../ui/index.ts';
import type { McpServerRowFragment, McpServerShownQuery } from '../documents.ts';

export type Server = McpServerRowFragment;
export type Capability = NonNullable<McpServerShownQuery['mcpServerCapabilities']>['data'][number];

/** How far the reading of a server has come, and why it did not. */
export function ReadState({ of: { status, metadata } }: { of: Pick<Server, 'status' | 'metadata'> }) {
  if (status === 'archived') return <Status tone="none">archived</Status>;
  const { syncStatus, syncError } = metadata;
  if (syncStatus === 'failed')
    return (
      <span title={syncError ?? undefined}>
        <Status tone="bad">cannot be read</Status>
      </span>
    );
  return syncStatus === 'success' ? <Status tone="ok">read</Status> : <Status tone="info">being read</Status>;
}
