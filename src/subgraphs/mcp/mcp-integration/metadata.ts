import type { CatalogueDocument } from '../../../mcp/catalogue/documents.ts';
import type { UpstreamHealth } from '../../../mcp/index.ts';
import type { McpMetadata } from '../../types.generated.ts';

/** What is shown of the server behind an integration; of one that nobody has read, that it is to be read. */
export const shownMetadata = (
  catalogue: CatalogueDocument | null,
  health: UpstreamHealth | null,
): McpMetadata => ({
  serverName: catalogue?.server?.name ?? null,
  serverVersion: catalogue?.server?.version ?? null,
  protocolVersion: catalogue?.protocolVersion ?? null,
  capabilityFlags: JSON.parse(catalogue?.capabilityFlags ?? '{}'),
  syncStatus: catalogue?.syncStatus ?? 'pending',
  lastSyncedAt: catalogue?.lastSyncedAt ?? null,
  syncError: catalogue?.syncError ?? null,
  title: catalogue?.server?.title ?? null,
  description: catalogue?.server?.description ?? null,
  icons: JSON.parse(catalogue?.server?.icons ?? '[]'),
  websiteUrl: catalogue?.server?.websiteUrl ?? null,
  instructions: catalogue?.instructions ?? null,
  revision: catalogue?.revision ?? 0,
  health,
});
