import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { expiryFilter, resourceFilter } from '../../filters.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateProviderInput, QueryProvidersArgs, UpdateProviderInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { usableIntegration } from '../integration/index.ts';
import { parseTags, tagFilter } from '../tags.ts';
import { idOrSlug } from '../values.ts';
import { providerById } from './loaders.ts';
import { type ProviderDocument, providerModel } from './model.ts';

type Workspace = string | null | undefined;
type ListArguments = QueryProvidersArgs & SortedPageArguments;

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The provider does not exist.' });
const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

/** Finds by id, or by slug in the named workspace, which an organisation-wide credential must name for a slug. */
async function filterOf(context: GraphContext, scope: string, id: string, workspace: Workspace) {
  const principal = requireScope(context.principal, [scope]);
  const { organisationId } = principal;
  if (isUuid(id) && !workspace) return { $and: [idOrSlug(id), tenantFilter(principal)] };
  return { $and: [idOrSlug(id), { organisationId, workspaceId: await workspaceIdFor(context, workspace) }] };
}

export async function getProvider(context: GraphContext, id: string, workspace: Workspace) {
  const filter = await filterOf(context, 'providers.read', id, workspace);
  const found = await providerModel(context.db).findOne(filter).lean<ProviderDocument>();
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the provider is gone or out of the credential's reach. */
export async function referencedProvider(
  context: GraphContext,
  id: string,
): Promise<ProviderDocument | null> {
  requireScope(context.principal, ['providers.read']);
  return providerById(context).load(id);
}

export async function listProviders(context: GraphContext, args: ListArguments) {
  const { organisationId } = requireScope(context.principal, ['providers.list']);
  const workspaceId = await workspaceIdFor(context, args.workspaceId);
  return findPage(
    providerModel(context.db),
    {
      organisationId,
      workspaceId,
      ...(args.integrationId && { integrationId: args.integrationId }),
      ...tagFilter(args.tags),
      ...expiryFilter(args.status, context.now()),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
}

export async function createProvider(context: GraphContext, input: CreateProviderInput) {
  const { organisationId } = requireScope(context.principal, ['providers.create']);
  const owner = { organisationId, workspaceId: await workspaceIdFor(context, input.workspaceId) };
  const integration = await usableIntegration(context.db, owner, input.integrationId);
  if (!integration) {
    throw invalidInput(
      'input.integrationId',
      'integration_id names no active integration that the workspace may use.',
    );
  }
  const created = await orAlreadyExists(
    providerModel(context.db).create({
      _id: uuid(),
      ...owner,
      slug: input.slug ?? slugFrom(input.name),
      name: input.name,
      note: input.note ?? null,
      integrationId: integration._id,
      expiresAt: parseExpiry(context, input.expiresAt),
      tags: parseTags(input.tags),
    }),
  );
  await context.changes.publish('provider');
  return created.toObject<ProviderDocument>();
}

export async function updateProvider(
  context: GraphContext,
  id: string,
  workspace: Workspace,
  input: UpdateProviderInput,
) {
  const filter = await filterOf(context, 'providers.update', id, workspace);
  const updated = await providerModel(context.db)
    .findOneAndUpdate(
      filter,
      {
        ...(input.name != null && { name: input.name }),
        ...(input.note !== undefined && { note: input.note }),
        ...(input.expiresAt !== undefined && { expiresAt: parseExpiry(context, input.expiresAt) }),
        ...(input.tags !== undefined && { tags: parseTags(input.tags) }),
      },
      { returnDocument: 'after' },
    )
    .lean<ProviderDocument>();
  if (!updated) throw notFound();
  await context.changes.publish('provider');
  return updated;
}

export async function deleteProvider(context: GraphContext, id: string, workspace: Workspace) {
  const filter = await filterOf(context, 'providers.delete', id, workspace);
  const deleted = await providerModel(context.db).findOneAndDelete(filter).lean<ProviderDocument>();
  if (!deleted) throw notFound();
  await context.changes.publish('provider');
  return deleted._id;
}

function parseExpiry(context: GraphContext, value: Date | null | undefined): Date | null {
  if (!value) return null;
  if (value <= context.now()) {
    throw invalidInput('input.expiresAt', 'expires_at must be in the future.');
  }
  return value;
}
