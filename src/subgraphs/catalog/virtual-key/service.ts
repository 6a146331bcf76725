import { requireScope } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import { isKnownProvider } from '../../../providers/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { requireLimitSetter } from '../../identity/api-key/index.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { changeLimits } from '../../limits/change.ts';
import { bringsLimits, parseLimits } from '../../limits/given.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  CreateVirtualKeyInput,
  QueryVirtualKeysArgs,
  UpdateVirtualKeyInput,
} from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import {
  deleteOwnIntegration,
  type IntegrationDocument,
  integrationModel,
  keyMembers,
} from '../integration/index.ts';
import {
  limitOwner,
  type NamedWorkspace,
  type ProviderDocument,
  parseExpiry,
  providerFilter,
  providerModel,
  providerNotFound,
  statusFilter,
} from '../provider/index.ts';
import { parseSecretMappings } from '../secret-reference/index.ts';
import { virtualKeyFields } from './mappings.ts';
import { parseModelConfig } from './model-config.ts';

/** A provider with the integration that it points at; null once that is gone. */
export type VirtualKeyRow = ProviderDocument & { integration: IntegrationDocument | null };

const notFound = () => providerNotFound('virtual key');

export async function getVirtualKey(context: GraphContext, id: string, workspace: NamedWorkspace) {
  const filter = await providerFilter(context, 'virtual_keys.read', id, workspace);
  return withIntegration(context, await providerModel(context.db).findOne(filter).lean<ProviderDocument>());
}

export async function listVirtualKeys(
  context: GraphContext,
  args: QueryVirtualKeysArgs & SortedPageArguments,
) {
  const { organisationId } = requireScope(context.principal, ['virtual_keys.list']);
  const workspaceId = await workspaceIdFor(context, args.workspaceId);
  const { total, data } = await findPage(
    providerModel(context.db),
    {
      ...{ organisationId, workspaceId },
      ...(await statusFilter(context, organisationId, args.status)),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
  const ids = [...new Set(data.map(({ integrationId }) => integrationId))];
  const found = await integrationModel(context.db)
    .find({ _id: { $in: ids }, organisationId })
    .lean<IntegrationDocument[]>();
  const byId = new Map(found.map((integration) => [integration._id, integration]));
  return {
    total,
    data: data.map((provider) => ({ ...provider, integration: byId.get(provider.integrationId) ?? null })),
  };
}

/** Makes a provider, and an integration of the workspace that holds its credential and is deleted with it. */
export async function createVirtualKey(
  context: GraphContext,
  input: CreateVirtualKeyInput,
): Promise<VirtualKeyRow> {
  const { organisationId } = requireScope(context.principal, ['virtual_keys.create']);
  const workspaceId = await workspaceIdFor(context, input.workspaceId);
  if (!isKnownProvider(input.provider))
    throw invalidInput('input.provider', `${input.provider} is not a provider that this gateway knows.`);
  const owner = { organisationId, workspaceId, name: input.name };
  const expiresAt = parseExpiry(context, input.expiresAt);
  const configurations = parseModelConfig(input.provider, input);
  if (bringsLimits(input)) await requireLimitSetter(context);
  const limits = parseLimits(input, {}, context.now());
  const kind = { aiProviderId: input.provider, ofVirtualKey: true };
  const secretMappings = await parseMappings(context, { ...owner, integration: kind }, input.secretMappings);
  const integrationId = uuid();
  const integration = await integrationModel(context.db).create({
    _id: integrationId,
    ...owner,
    ...kind,
    slug: slugFrom(input.name),
    ...keyMembers(context, { _id: integrationId, keyMask: null }, input.key),
    configurations,
  });
  const own = { organisationId, integrationId };
  const creating = providerModel(context.db).create({
    _id: uuid(),
    ...owner,
    integrationId,
    slug: input.slug ?? slugFrom(input.name),
    note: input.note ?? null,
    expiresAt,
    secretMappings,
    ...limits,
  });
  const created = await orAlreadyExists(creating).catch(async (error: unknown) => {
    await deleteOwnIntegration(context.db, own);
    throw error;
  });
  await context.changes.publish('provider');
  return {
    ...created.toObject<ProviderDocument>(),
    integration: integration.toObject<IntegrationDocument>(),
  };
}

export async function updateVirtualKey(
  context: GraphContext,
  id: string,
  workspace: NamedWorkspace,
  input: UpdateVirtualKeyInput,
) {
  const filter = await providerFilter(context, 'virtual_keys.update', id, workspace);
  const before = await withIntegration(
    context,
    await providerModel(context.db).findOne(filter).lean<ProviderDocument>(),
  );
  const expiresAt = parseExpiry(context, input.expiresAt);
  const credential = credentialMembers(context, before, input);
  const secretMappings =
    input.secretMappings === undefined ? null : await parseMappings(context, before, input.secretMappings);
  if (bringsLimits(input)) await requireLimitSetter(context);
  const { _id, organisationId, integrationId } = before;
  const model = providerModel(context.db);
  const updated = await changeLimits<ProviderDocument>(context, {
    ...{ input, present: before, ownerOf: limitOwner },
    read: () => model.findOne({ _id, organisationId }).lean<ProviderDocument>(),
    write: (limits, unchanged) =>
      model
        .findOneAndUpdate(
          { _id, organisationId, ...unchanged },
          {
            ...(input.name != null && { name: input.name }),
            ...(input.note !== undefined && { note: input.note }),
            ...(input.expiresAt !== undefined && { expiresAt }),
            ...(secretMappings && { secretMappings }),
            ...limits,
          },
          { returnDocument: 'after' },
        )
        .lean<ProviderDocument>(),
  });
  if (updated && Object.keys(credential).length > 0)
    await integrationModel(context.db).updateOne({ _id: integrationId, organisationId }, credential);
  await context.changes.publish('provider');
  return withIntegration(context, updated);
}

type Mapped = Pick<ProviderDocument, 'organisationId' | 'workspaceId'> & {
  integration: Pick<IntegrationDocument, 'aiProviderId' | 'ofVirtualKey'> | null;
};

const parseMappings = (
  context: GraphContext,
  { organisationId, workspaceId, integration }: Mapped,
  given: CreateVirtualKeyInput['secretMappings'],
) =>
  parseSecretMappings(
    context,
    { organisationId, workspaceId, aiProviderId: integration?.aiProviderId ?? '' },
    given,
    virtualKeyFields(integration),
  );

/** What an update changes of the credential; refused where that belongs to more than this virtual key. */
function credentialMembers(
  context: GraphContext,
  { integration }: VirtualKeyRow,
  { key, name, deploymentConfig }: UpdateVirtualKeyInput,
): Partial<IntegrationDocument> {
  if (!integration?.ofVirtualKey) {
    for (const [member, value] of Object.entries({ key, deploymentConfig }))
      if (value !== undefined) throw notOwn(member, integration);
    return {};
  }
  return {
    ...(name != null && { name }),
    ...keyMembers(context, integration, key),
    ...(deploymentConfig != null && {
      configurations: {
        ...integration.configurations,
        ...parseModelConfig(integration.aiProviderId, { deploymentConfig }),
      },
    }),
  };
}

const notOwn = (member: string, integration: IntegrationDocument | null) =>
  invalidInput(
    `input.${member}`,
    `The credential belongs to the integration${integration ? ` ${integration.slug}` : ''}: change it there.`,
  );

export async function deleteVirtualKey(context: GraphContext, id: string, workspace: NamedWorkspace) {
  const filter = await providerFilter(context, 'virtual_keys.delete', id, workspace);
  const deleted = await providerModel(context.db).findOneAndDelete(filter).lean<ProviderDocument>();
  if (!deleted) throw notFound();
  await deleteOwnIntegration(context.db, deleted);
  await context.changes.publish('provider');
  return deleted._id;
}

async function withIntegration(
  { db }: GraphContext,
  provider: ProviderDocument | null,
): Promise<VirtualKeyRow> {
  if (!provider) throw notFound();
  const { organisationId, integrationId: _id } = provider;
  const integration = await integrationModel(db).findOne({ _id, organisationId }).lean<IntegrationDocument>();
  return { ...provider, integration };
}
