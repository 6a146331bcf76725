import { type Principal, requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import { parseSavedConfig, requireBounded } from '../../../routing-config/schema.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { CreateConfigInput, QueryConfigsArgs } from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import { configNotFound, requireConfig } from './find.ts';
import { type ConfigGuardrails, requireGuardrails } from './guardrails.ts';
import { configById } from './loaders.ts';
import { type ConfigDocument, configModel, type StoredConfig } from './model.ts';
import { requireProviders, requireUnused } from './references.ts';
import { restoreMasked, sealConfig } from './sealing.ts';
import { addVersion, removeVersion, removeVersionsOf } from './versions.ts';

type ListArguments = QueryConfigsArgs & SortedPageArguments;

/** Who a change is put down to: the user behind the credential, else the credential. */
export const authorOf = (principal: Principal): string => principal.userId ?? principal.id;

export const getConfig = (context: GraphContext, id: string): Promise<ConfigDocument> =>
  requireConfig(context, id, 'configs.read');

/** For references from other resources: null when the config is gone or out of the credential's reach. */
export async function referencedConfig(context: GraphContext, id: string): Promise<ConfigDocument | null> {
  requireScope(context.principal, ['configs.read']);
  return configById(context).load(id);
}

export async function listConfigs(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, ['configs.list']);
  return findPage(
    configModel(context.db),
    {
      ...tenantFilter(principal),
      ...(args.workspaceId && { workspaceId: await workspaceIdFor(context, args.workspaceId) }),
      ...(args.status && { status: args.status }),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
}

export async function createConfig(context: GraphContext, input: CreateConfigInput): Promise<ConfigDocument> {
  const principal = requireScope(context.principal, ['configs.create']);
  const owner = {
    _id: uuid(),
    organisationId: principal.organisationId,
    workspaceId: await workspaceIdFor(context, input.workspaceId),
    name: input.name,
  };
  const { sealed, guardrails } = await checkedConfig(context, owner, input.config, null);
  const author = authorOf(principal);
  const version = await addVersion(context, owner, { sealed, number: 1, createdBy: author });
  const slug = input.slug ?? slugFrom(input.name, 'pc-');
  const document = {
    ...owner,
    slug,
    config: sealed,
    ...guardrails,
    versionId: version._id,
    ownerId: author,
    updatedBy: author,
  };
  try {
    const created = await orAlreadyExists(configModel(context.db).create(document));
    const config = created.toObject<ConfigDocument>();
    if (input.isDefault) await makeDefault(context, config);
    await context.changes.publish('config');
    return { ...config, isDefault: input.isDefault ? 1 : 0 };
  } catch (error) {
    await configModel(context.db).deleteOne({ _id: owner._id, organisationId: owner.organisationId });
    await removeVersion(context, version);
    throw error;
  }
}

/** The config to store: valid, and its credentials sealed; and the guardrails that it names. */
export async function checkedConfig(
  context: GraphContext,
  owner: Pick<ConfigDocument, '_id' | 'organisationId' | 'workspaceId'>,
  value: unknown,
  present: StoredConfig | null,
): Promise<{ sealed: StoredConfig; guardrails: ConfigGuardrails }> {
  const { content, guardrails } = await requireValid(context, owner, value, present);
  return { sealed: sealConfig(content, context.secrets, owner._id), guardrails };
}

/**
 * The config in the clear, its masks resolved by the present one. Throws INVALID_CONFIG for one that is not valid, or names
 * providers or guardrails that the workspace does not have.
 */
export async function requireValid(
  context: GraphContext,
  owner: Pick<ConfigDocument, 'organisationId' | 'workspaceId'>,
  value: unknown,
  present: StoredConfig | null,
): Promise<{ content: StoredConfig; guardrails: ConfigGuardrails }> {
  requireBounded(value);
  const content = restoreMasked(value, present);
  const config = parseSavedConfig(content);
  await requireProviders(context, owner, config);
  return { content, guardrails: await requireGuardrails(context, owner, config) };
}

/** Takes the default away from the workspace's other configs first; a unique index keeps racing calls from having two. */
export async function makeDefault(
  context: GraphContext,
  config: ConfigDocument,
  attempts = 3,
): Promise<void> {
  const { organisationId, workspaceId, _id } = config;
  const model = configModel(context.db);
  await model.updateMany({ organisationId, workspaceId, isDefault: 1 }, { isDefault: 0 });
  try {
    await orAlreadyExists(model.updateOne({ _id, organisationId }, { isDefault: 1 }).exec());
  } catch (error) {
    const another = error instanceof GatewayError && error.code === 'ALREADY_EXISTS';
    if (!another || attempts <= 1) throw error;
    await makeDefault(context, config, attempts - 1);
  }
}

export async function deleteConfig(context: GraphContext, id: string): Promise<string> {
  const config = await requireConfig(context, id, 'configs.delete');
  await requireUnused(context, config);
  const { _id, organisationId } = config;
  const { deletedCount } = await configModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, configNotFound());
  await removeVersionsOf(context, config);
  await context.changes.publish('config');
  return _id;
}
