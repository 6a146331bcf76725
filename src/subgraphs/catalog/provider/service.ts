import type { QueryFilter } from 'mongoose';
import { requireScope } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { requireLimitSetter } from '../../identity/api-key/index.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { changeLimits } from '../../limits/change.ts';
import { bringsLimits, parseLimits } from '../../limits/given.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateProviderInput, QueryProvidersArgs, UpdateProviderInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import { deleteOwnIntegration, usableIntegration } from '../integration/index.ts';
import type { SecretMapping } from '../secret-reference/index.ts';
import { parseTags, tagFilter } from '../tags.ts';
import { type NamedWorkspace, parseExpiry, providerFilter, providerNotFound, statusFilter } from './find.ts';
import { providerById } from './loaders.ts';
import { parseMappings, parseMappingsOf } from './mappings.ts';
import { limitOwner, type ProviderDocument, providerModel } from './model.ts';

type ListArguments = QueryProvidersArgs & SortedPageArguments;

export async function getProvider(context: GraphContext, id: string, workspace: NamedWorkspace) {
  const filter = await providerFilter(context, 'providers.read', id, workspace);
  return getProviderBy(context, filter);
}

async function getProviderBy({ db }: GraphContext, filter: QueryFilter<ProviderDocument>) {
  const found = await providerModel(db).findOne(filter).lean<ProviderDocument>();
  if (!found) throw providerNotFound();
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
      ...(await statusFilter(context, organisationId, args.status)),
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
  if (bringsLimits(input)) await requireLimitSetter(context);
  const limits = parseLimits(input, {}, context.now());
  const created = await orAlreadyExists(
    providerModel(context.db).create({
      _id: uuid(),
      ...owner,
      slug: input.slug ?? slugFrom(input.name),
      name: input.name,
      note: input.note ?? null,
      integrationId: integration._id,
      expiresAt: parseExpiry(context, input.expiresAt),
      secretMappings: await parseMappings(context, owner, integration, input.secretMappings),
      tags: parseTags(input.tags),
      ...limits,
    }),
  );
  await context.changes.publish('provider');
  return created.toObject<ProviderDocument>();
}

export async function updateProvider(
  context: GraphContext,
  id: string,
  workspace: NamedWorkspace,
  input: UpdateProviderInput,
) {
  const filter = await providerFilter(context, 'providers.update', id, workspace);
  const secretMappings = await changedMappings(context, filter, input.secretMappings);
  if (bringsLimits(input)) await requireLimitSetter(context);
  const model = providerModel(context.db);
  const updated = await changeLimits(context, {
    ...{ input, ownerOf: limitOwner },
    present: await getProviderBy(context, filter),
    read: () => model.findOne(filter).lean<ProviderDocument>(),
    write: (limits, unchanged) =>
      model
        .findOneAndUpdate(
          { ...filter, ...ifUnchanged(context), ...unchanged },
          {
            ...(input.name != null && { name: input.name }),
            ...(input.note !== undefined && { note: input.note }),
            ...(input.expiresAt !== undefined && { expiresAt: parseExpiry(context, input.expiresAt) }),
            ...(secretMappings && { secretMappings }),
            ...(input.tags !== undefined && { tags: parseTags(input.tags) }),
            ...limits,
          },
          { returnDocument: 'after' },
        )
        .lean<ProviderDocument>(),
  });
  if (!updated) throw notWritten(context, providerNotFound());
  await context.changes.publish('provider');
  return updated;
}

/** Null where an update leaves the mappings as they are. */
async function changedMappings(
  context: GraphContext,
  filter: QueryFilter<ProviderDocument>,
  given: UpdateProviderInput['secretMappings'],
): Promise<SecretMapping[] | null> {
  if (given === undefined) return null;
  const provider = await providerModel(context.db).findOne(filter).lean<ProviderDocument>();
  if (!provider) throw providerNotFound();
  return parseMappingsOf(context, provider, given);
}

export async function deleteProvider(context: GraphContext, id: string, workspace: NamedWorkspace) {
  const filter = await providerFilter(context, 'providers.delete', id, workspace);
  const deleted = await providerModel(context.db)
    .findOneAndDelete({ ...filter, ...ifUnchanged(context) })
    .lean<ProviderDocument>();
  if (!deleted) throw notWritten(context, providerNotFound());
  await deleteOwnIntegration(context.db, deleted);
  await context.changes.publish('provider');
  return deleted._id;
}
