import DataLoader from 'dataloader';
import type { CatalogueDocument } from '../../../mcp/catalogue/documents.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { mcpCatalogueModel } from '../mcp-capability/index.ts';
import { visibleMcpIntegrations } from './access.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';

export const mcpIntegrationById = loaderById(mcpIntegrationModel, visibleMcpIntegrations);

/** The integrations of MCP servers that the caller may read, whatever has become of their grants. */
export const integrationOfServer = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, McpIntegrationDocument | null>(async (ids) => {
      const organisationId = context.principal?.organisationId ?? '';
      const found = await mcpIntegrationModel(context.db)
        .find({ organisationId, _id: { $in: [...ids] } })
        .lean<McpIntegrationDocument[]>();
      const byId = new Map(found.map((integration) => [integration._id, integration]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** What is known of the server behind an integration, by the integration's id. */
export const catalogueOf = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, CatalogueDocument | null>(async (ids) => {
      const organisationId = context.principal?.organisationId ?? '';
      const found = await mcpCatalogueModel(context.db)
        .find({ organisationId, _id: { $in: [...ids] } })
        .lean<CatalogueDocument[]>();
      const byId = new Map(found.map((catalogue) => [catalogue._id, catalogue]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);
