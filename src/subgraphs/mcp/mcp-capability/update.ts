import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { CapabilityDocument } from '../../../mcp/catalogue/documents.ts';
import type { GraphContext } from '../../context.ts';
import type { McpCapabilityInput, UpdateMcpCapabilitiesInput } from '../../types.generated.ts';
import { requireMcpIntegration } from '../mcp-integration/index.ts';
import { requireMcpServer } from '../mcp-server/index.ts';
import { mcpCapabilityModel, mcpCatalogueModel, mcpSwitchModel } from './model.ts';

type Named = Pick<CapabilityDocument, '_id' | 'type' | 'key' | 'name'>;
type Change = { capability: Named; enabled: boolean };
type Owner = { organisationId: string; mcpIntegrationId: string };

const done = { success: true };

/** Sets switches that hold for every workspace; what is enabled is out of quarantine, and pinned as it is now. */
export async function updateIntegrationCapabilities(
  context: GraphContext,
  id: string,
  { capabilities }: UpdateMcpCapabilitiesInput,
) {
  const { integration } = await requireMcpIntegration(context, id, 'update');
  const owner = { organisationId: integration.organisationId, mcpIntegrationId: integration._id };
  const changes = await changesOf(context, owner, capabilities);
  const lastUpdatedAt = context.now();
  await mcpCapabilityModel(context.db).bulkWrite(
    changes.map(({ capability, enabled }) => ({
      updateOne: {
        filter: { _id: capability._id, ...owner },
        update: { $set: { enabled, ...(enabled && { isQuarantined: false }), lastUpdatedAt } },
      },
    })),
    { timestamps: false },
  );
  const { organisationId } = owner;
  await mcpCatalogueModel(context.db).updateOne(
    { _id: integration._id, organisationId },
    { $inc: { revision: 1 } },
  );
  await context.changes.publish('mcp_catalogue');
  return done;
}

/** Sets switches that hold for the callers of one MCP server. */
export async function updateServerCapabilities(
  context: GraphContext,
  id: string,
  { capabilities }: UpdateMcpCapabilitiesInput,
) {
  const server = await requireMcpServer(context, id, 'mcp_servers.update');
  const { _id: mcpServerId, organisationId, mcpIntegrationId } = server;
  const changes = await changesOf(context, { organisationId, mcpIntegrationId }, capabilities);
  const now = context.now();
  await mcpSwitchModel(context.db).bulkWrite(
    changes.map(({ capability: { type, key }, enabled }) => ({
      updateOne: {
        filter: { mcpServerId, organisationId, type, key },
        update: { $set: { enabled, lastUpdatedAt: now }, $setOnInsert: { _id: uuid(), createdAt: now } },
        upsert: true,
      },
    })),
    { timestamps: false },
  );
  await context.changes.publish('mcp_server');
  return done;
}

/** What an input means, in its order; throws NOT_FOUND for a name that the integration does not know. */
async function changesOf(
  { db }: GraphContext,
  owner: Owner,
  given: readonly McpCapabilityInput[],
): Promise<Change[]> {
  const names = { $in: given.map(({ name }) => name) };
  const found = await mcpCapabilityModel(db)
    .find({ ...owner, $or: [{ key: names }, { name: names }] }, { type: 1, key: 1, name: 1 })
    .lean<Named[]>();
  const changes = new Map<string, Change>();
  for (const [index, { name, type, enabled }] of given.entries()) {
    const ofType = found.filter((each) => each.type === type);
    const byKey = ofType.filter((each) => each.key === name);
    const meant = byKey.length > 0 ? byKey : ofType.filter((each) => each.name === name);
    if (meant.length === 0) throw unknown(index, type, name);
    for (const capability of meant) changes.set(capability._id, { capability, enabled });
  }
  return [...changes.values()];
}

const unknown = (index: number, type: string, name: string): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: `The server offers no ${type.replace('_', ' ')} called ${name.slice(0, 255)}: nothing was changed.`,
    param: `input.capabilities[${index}].name`,
  });
