import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import { requireConfig } from './find.ts';
import {
  type ConfigDocument,
  type ConfigVersionDocument,
  configVersionModel,
  type StoredConfig,
} from './model.ts';

type Owner = Pick<ConfigDocument, '_id' | 'organisationId' | 'workspaceId' | 'name'>;

/** Keeps a state of a config for ever, before the config itself takes it. */
export async function addVersion(
  context: GraphContext,
  config: Owner,
  version: { sealed: StoredConfig; number: number; createdBy: string },
): Promise<ConfigVersionDocument> {
  const created = await configVersionModel(context.db).create({
    _id: uuid(),
    configId: config._id,
    organisationId: config.organisationId,
    workspaceId: config.workspaceId,
    number: version.number,
    name: config.name,
    config: version.sealed,
    createdBy: version.createdBy,
  });
  return created.toObject<ConfigVersionDocument>();
}

export const removeVersion = (context: GraphContext, { _id, organisationId }: ConfigVersionDocument) =>
  configVersionModel(context.db).deleteOne({ _id, organisationId });

export const removeVersionsOf = (context: GraphContext, { _id, organisationId }: ConfigDocument) =>
  configVersionModel(context.db).deleteMany({ organisationId, configId: _id });

/** The number after the one of the config's present version. */
export async function nextNumber(context: GraphContext, config: ConfigDocument): Promise<number> {
  const present = await configVersionModel(context.db)
    .findOne({ _id: config.versionId, organisationId: config.organisationId }, { number: 1 })
    .lean<{ number: number }>();
  return (present?.number ?? 0) + 1;
}

export async function listVersions(context: GraphContext, args: PageArguments & { configId: string }) {
  const { _id, organisationId } = await requireConfig(context, args.configId, 'configs.read');
  return findPage(configVersionModel(context.db), { organisationId, configId: _id }, args);
}
