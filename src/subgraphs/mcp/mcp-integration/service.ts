import type { QueryFilter } from 'mongoose';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import { usableIn } from '../../catalog/integration/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { organisationWorkspaceIds, workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { requireOwnOrganisation } from '../../own-organisation.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateMcpIntegrationInput, QueryMcpIntegrationsArgs } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { addCatalogue } from '../mcp-capability/index.ts';
import { mcpLevelScope, requireAnyMcpLevel, requireMcpLevel, visibleMcpIntegrations } from './access.ts';
import { isGrantedTo, requireMcpIntegration } from './find.ts';
import { mcpIntegrationById } from './loaders.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from './model.ts';
import { namedGuardrailIds } from './rules/guardrails.ts';
import { parseMcpMappings } from './rules/mappings.ts';
import { requireReachable } from './rules/reachable.ts';
import { givenSettings, requireFitting, storedSettings } from './settings.ts';

type ListArguments = QueryMcpIntegrationsArgs & SortedPageArguments;

export const getMcpIntegration = async (context: GraphContext, id: string): Promise<McpIntegrationDocument> =>
  (await requireMcpIntegration(context, id, 'read')).integration;

/** For references from other resources: null when it is gone or out of the credential's reach. */
export async function referencedMcpIntegration(
  context: GraphContext,
  id: string,
): Promise<McpIntegrationDocument | null> {
  const principal = requireAnyMcpLevel(context.principal, 'read');
  const found = await mcpIntegrationById(context).load(id);
  return found && principal.scopes.has(mcpLevelScope(found.workspaceId, 'read')) ? found : null;
}

export async function listMcpIntegrations(context: GraphContext, args: ListArguments) {
  const principal = requireAnyMcpLevel(context.principal, 'list');
  requireOwnOrganisation(principal, args.organisationId);
  const levels: QueryFilter<McpIntegrationDocument>[] = [];
  if (args.type !== 'workspace' && principal.scopes.has(mcpLevelScope(null, 'list')))
    levels.push({ workspaceId: null });
  if (args.type !== 'organisation' && principal.scopes.has(mcpLevelScope('any', 'list')))
    levels.push({ workspaceId: { $ne: null } });
  const workspaceId = args.workspaceId && (await workspaceIdFor(context, args.workspaceId));
  if (levels.length === 0) return { total: 0, data: [], hasMore: false };
  const page = await findPage(
    mcpIntegrationModel(context.db),
    {
      $and: [
        visibleMcpIntegrations(principal),
        { $or: levels },
        resourceFilter({ name: args.search }),
        workspaceId ? usableIn(workspaceId) : {},
      ],
    },
    args,
    orderOf(args.sort),
  );
  return { ...page, hasMore: (args.currentPage + 1) * args.pageSize < page.total };
}

export async function createMcpIntegration(context: GraphContext, input: CreateMcpIntegrationInput) {
  const principal = requireAnyMcpLevel(context.principal, 'create');
  requireOwnOrganisation(principal, input.organisationId);
  const { organisationId } = principal;
  const workspaceId =
    input.workspaceId || principal.workspaceId ? await workspaceIdFor(context, input.workspaceId) : null;
  requireMcpLevel(principal, workspaceId, 'create');
  const { configurations } = givenSettings(input.configurations, {});
  requireReachable(context, input.url, configurations);
  const secretMappings = await parseMcpMappings(
    context,
    { organisationId, workspaceId },
    input.secretMappings,
  );
  requireFitting(input.authType, configurations, secretMappings);
  const guardrailIds = await namedGuardrailIds(context, { organisationId, workspaceId }, configurations);
  const _id = uuid();
  const created = await orAlreadyExists(
    mcpIntegrationModel(context.db).create({
      _id,
      organisationId,
      workspaceId,
      slug: input.slug ?? slugFrom(input.name),
      name: input.name,
      description: input.description ?? null,
      url: input.url,
      authType: input.authType,
      transport: input.transport,
      ownerId: principal.userId ?? principal.id,
      ...storedSettings(context.secrets, _id, configurations),
      secretMappings,
      guardrailIds,
    }),
  );
  await addCatalogue(context, created);
  await context.changes.publish('mcp_integration');
  return created.toObject<McpIntegrationDocument>();
}

/** Number of workspaces that may use the integration. */
export async function countMcpWorkspaces(
  context: GraphContext,
  integration: McpIntegrationDocument,
): Promise<number> {
  if (integration.workspaceId !== null) return 1;
  const all = await organisationWorkspaceIds(context);
  return all.filter((id) => isGrantedTo(integration, id)).length;
}
