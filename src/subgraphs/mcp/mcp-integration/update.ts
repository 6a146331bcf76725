import { GatewayError } from '../../../errors/index.ts';
import { canonicalText } from '../../../lib/canonical.ts';
import { mcpConnectionModel } from '../../../mcp/connections/index.ts';
import type { GraphContext } from '../../context.ts';
import type { UpdateMcpIntegrationInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { askForSync } from '../mcp-capability/index.ts';
import { mcpIntegrationNotFound, requireMcpIntegration } from './find.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';
import { namedGuardrailIds } from './rules/guardrails.ts';
import { parseMcpMappings } from './rules/mappings.ts';
import { requireReachable } from './rules/reachable.ts';
import { requireSameHosts } from './rules/same-host.ts';
import { clearSettings, givenSettings, requireFitting, storedSettings, unsealed } from './settings.ts';

/** Changes an integration; the server is read anew where that may find something else. */
export async function updateMcpIntegration(
  context: GraphContext,
  id: string,
  input: UpdateMcpIntegrationInput,
): Promise<McpIntegrationDocument> {
  const { integration } = await requireMcpIntegration(context, id, 'update');
  const { _id, organisationId } = integration;
  const connection = await changedConnection(context, integration, input);
  const updated = await mcpIntegrationModel(context.db)
    .findOneAndUpdate(
      // What was merged with settings that are no more would bring those back.
      { _id, organisationId, ...(connection && asItWas(integration)), ...ifUnchanged(context) },
      {
        ...(input.name != null && { name: input.name }),
        ...(input.description !== undefined && { description: input.description }),
        ...connection,
      },
      { returnDocument: 'after' },
    )
    .lean<McpIntegrationDocument>();
  if (!updated) throw notWritten(context, connection ? changedByOthers() : mcpIntegrationNotFound());
  if (connection) {
    await voidConnections(context, integration, updated);
    await askForSync(context, updated);
  }
  await context.changes.publish('mcp_integration');
  return updated;
}

const changedByOthers = () =>
  new GatewayError('ALREADY_EXISTS', {
    message: 'The MCP integration is being changed by others; read it again and retry.',
  });

const asItWas = ({ url, configurations, sealedSecrets, authType }: McpIntegrationDocument) => ({
  url,
  configurations,
  sealedSecrets,
  authType,
});

const ofConnection = ['url', 'authType', 'transport', 'configurations', 'secretMappings'] as const;

/** The members that decide how the server is reached, as an update would leave them; null where it names none. */
async function changedConnection(
  context: GraphContext,
  integration: McpIntegrationDocument,
  input: UpdateMcpIntegrationInput,
): Promise<Partial<McpIntegrationDocument> | null> {
  if (ofConnection.every((member) => input[member] === undefined)) return null;
  const { secrets } = context;
  const before = { url: integration.url, configurations: clearSettings(secrets, integration) };
  const stored = unsealed(secrets, integration);
  const given =
    input.configurations === undefined
      ? { configurations: before.configurations, kept: Object.keys(stored) }
      : givenSettings(input.configurations, stored);
  const after = { url: input.url ?? integration.url, configurations: given.configurations };
  const authType = input.authType ?? integration.authType;
  requireReachable(context, after.url, after.configurations);
  requireSameHosts(before, after, given.kept);
  const secretMappings =
    input.secretMappings === undefined
      ? integration.secretMappings
      : await parseMcpMappings(context, integration, input.secretMappings);
  requireFitting(authType, after.configurations, secretMappings);
  return {
    url: after.url,
    authType,
    transport: input.transport ?? integration.transport,
    ...storedSettings(secrets, integration._id, after.configurations),
    secretMappings,
    guardrailIds: await namedGuardrailIds(context, integration, after.configurations),
  };
}

/** Tokens of users are for one server and one issuer: where either is another one, everybody signs in anew. */
async function voidConnections(
  { db, secrets, changes }: GraphContext,
  before: McpIntegrationDocument,
  after: McpIntegrationDocument,
): Promise<void> {
  const said = (integration: McpIntegrationDocument) => {
    const { url, authType } = integration;
    return canonicalText({
      url,
      authType,
      oauth: clearSettings(secrets, integration).oauth_metadata ?? null,
    });
  };
  if (said(before) === said(after)) return;
  const { _id: mcpIntegrationId, organisationId } = after;
  await mcpConnectionModel(db).deleteMany({ organisationId, mcpIntegrationId });
  await changes.publish('mcp_connection');
}
