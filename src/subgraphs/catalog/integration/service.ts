import type { QueryFilter } from 'mongoose';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { organisationWorkspaceIds, workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { QueryIntegrationsArgs, UpdateIntegrationInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { providerModel } from '../provider/index.ts';
import { parseSecretMappings } from '../secret-reference/index.ts';
import { parseTags, tagFilter } from '../tags.ts';
import { levelScope, requireAnyLevel, requireLevel, usableIn, visibleIntegrations } from './access.ts';
import { configurationMembers, keyMembers, newKey } from './credential.ts';
import { integrationNotFound, requireIntegration } from './find.ts';
import { integrationById } from './loaders.ts';
import { type IntegrationDocument, integrationModel } from './model.ts';
import { parseAdjustments } from './pricing-adjustments.ts';

type ListArguments = QueryIntegrationsArgs & SortedPageArguments;

export const getIntegration = async (context: GraphContext, id: string): Promise<IntegrationDocument> =>
  (await requireIntegration(context, id, 'read')).integration;

/** For references from other resources: null when the integration is gone or out of the credential's reach. */
export async function referencedIntegration(
  context: GraphContext,
  id: string,
): Promise<IntegrationDocument | null> {
  const principal = requireAnyLevel(context.principal, 'read');
  const found = await integrationById(context).load(id);
  if (found) requireLevel(principal, found.workspaceId, 'read');
  return found;
}

export async function listIntegrations(context: GraphContext, args: ListArguments) {
  const principal = requireAnyLevel(context.principal, 'list');
  const levels: QueryFilter<IntegrationDocument>[] = [];
  if (args.type !== 'workspace' && principal.scopes.has(levelScope(null, 'list')))
    levels.push({ workspaceId: null });
  if (args.type !== 'organisation' && principal.scopes.has(levelScope('any', 'list')))
    levels.push({ workspaceId: { $ne: null } });
  if (levels.length === 0) return { total: 0, data: [] };
  const workspaceId = args.workspaceId && (await workspaceIdFor(context, args.workspaceId));
  return findPage(
    integrationModel(context.db),
    {
      $and: [
        visibleIntegrations(principal),
        { $or: levels },
        tagFilter(args.tags),
        args.status ? { status: args.status } : {},
        args.aiProviderId ? { aiProviderId: args.aiProviderId } : {},
        resourceFilter(args),
        workspaceId ? usableIn(workspaceId) : {},
      ],
    },
    args,
    orderOf(args.sort),
  );
}

export async function updateIntegration(context: GraphContext, id: string, input: UpdateIntegrationInput) {
  const { integration } = await requireIntegration(context, id, 'update');
  const { _id, organisationId } = integration;
  const updated = await integrationModel(context.db)
    .findOneAndUpdate(
      { _id, organisationId, ...ifUnchanged(context) },
      {
        ...(input.name != null && { name: input.name }),
        ...(input.description !== undefined && { description: input.description }),
        ...(input.tags !== undefined && { tags: parseTags(input.tags) }),
        ...(input.secretMappings !== undefined && {
          secretMappings: await parseSecretMappings(context, integration, input.secretMappings),
        }),
        ...(input.configurations !== undefined &&
          configurationMembers(context, integration, input.configurations, newKey(integration, input.key))),
        ...keyMembers(context, integration, input.key),
        ...(input.pricingAdjustments !== undefined && {
          pricingAdjustments: parseAdjustments(input.pricingAdjustments),
        }),
      },
      { returnDocument: 'after' },
    )
    .lean<IntegrationDocument>();
  if (!updated) throw notWritten(context, integrationNotFound());
  await context.changes.publish('integration');
  return updated;
}

export async function deleteIntegration(context: GraphContext, id: string): Promise<string> {
  const { integration } = await requireIntegration(context, id, 'delete');
  const { _id, organisationId } = integration;
  if (await providerModel(context.db).exists({ organisationId, integrationId: _id })) {
    throw new GatewayError('IN_USE', {
      message: 'The integration is used by a provider; delete the provider first.',
    });
  }
  const { deletedCount } = await integrationModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, integrationNotFound());
  await context.changes.publish('integration');
  return _id;
}

/** Number of workspaces that may use the integration. */
export async function countWorkspaces(
  context: GraphContext,
  integration: IntegrationDocument,
): Promise<number> {
  if (integration.workspaceId !== null) return 1;
  const entries = new Map(integration.workspaces.map(({ workspaceId, enabled }) => [workspaceId, enabled]));
  const all = await organisationWorkspaceIds(context);
  return all.filter((id) => entries.get(id) ?? integration.globalWorkspaceAccess.enabled).length;
}
