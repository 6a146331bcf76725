import type { GraphContext } from '../../context.ts';
import { mcpCapabilityModel, mcpCatalogueModel } from './model.ts';

type Owner = { _id: string; organisationId: string };

/** Notes that the server behind a new integration is to be read. */
export async function addCatalogue(context: GraphContext, { _id, organisationId }: Owner): Promise<void> {
  await mcpCatalogueModel(context.db).create({ _id, organisationId, nextSyncAt: context.now() });
  context.mcp.wake();
}

/** Has the server behind an integration read again as soon as may be: in what era it lives is to be found out anew. */
export async function askForSync(context: GraphContext, { _id, organisationId }: Owner): Promise<void> {
  await mcpCatalogueModel(context.db).updateOne(
    { _id, organisationId },
    { nextSyncAt: context.now(), era: null, eraAt: null },
    { upsert: true },
  );
  context.mcp.wake();
}

/** Forgets what the server behind an integration offered. */
export async function removeCatalogue(context: GraphContext, { _id, organisationId }: Owner): Promise<void> {
  await mcpCapabilityModel(context.db).deleteMany({ organisationId, mcpIntegrationId: _id });
  await mcpCatalogueModel(context.db).deleteOne({ _id, organisationId });
}
