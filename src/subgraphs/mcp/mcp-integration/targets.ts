import type { Connection } from 'mongoose';
import type { SyncTarget } from '../../../mcp/catalogue/index.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { loadSecretReferences, mappedSecrets, referencesOf } from '../../catalog/secret-reference/index.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';
import { clearSettings } from './settings.ts';

/** Active integrations with their credentials in the clear, for the reading of their servers. */
export async function loadSyncTargets(
  db: Connection,
  secrets: Secrets,
  ids: readonly string[],
): Promise<SyncTarget[]> {
  const found = await mcpIntegrationModel(db)
    .find({ _id: { $in: ids }, status: 'active' })
    .lean<McpIntegrationDocument[]>();
  return upstreamTargets(db, secrets, found);
}

/** Integrations with their credentials in the clear. */
export async function upstreamTargets(
  db: Connection,
  secrets: Secrets,
  integrations: readonly McpIntegrationDocument[],
): Promise<SyncTarget[]> {
  const references = await loadSecretReferences(
    db,
    secrets,
    integrations.flatMap(({ secretMappings }) => referencesOf(secretMappings)),
  );
  return integrations.map((integration) => ({
    id: integration._id,
    organisationId: integration.organisationId,
    url: integration.url,
    transport: integration.transport,
    authType: integration.authType,
    configurations: clearSettings(secrets, integration),
    mappedSecrets: mappedSecrets(integration.secretMappings, integration, references),
  }));
}
