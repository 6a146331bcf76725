import { isDeepStrictEqual } from 'node:util';
import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { UpdateConfigInput } from '../../types.generated.ts';
import { configNotFound, requireConfig } from './find.ts';
import { type ConfigDocument, configModel, type StoredConfig } from './model.ts';
import { requireUnused } from './references.ts';
import { unsealConfig } from './sealing.ts';
import { authorOf, checkedConfig } from './service.ts';
import { addVersion, nextNumber, removeVersion } from './versions.ts';

type Changes = Partial<Pick<ConfigDocument, 'name' | 'status' | 'updatedBy'>>;

export async function updateConfig(context: GraphContext, id: string, input: UpdateConfigInput) {
  const config = await requireConfig(context, id, 'configs.update');
  const principal = requireScope(context.principal, ['configs.update']);
  if (input.status === 'archived') await requireUnused(context, config);
  const changes = {
    ...(input.name != null && { name: input.name }),
    ...(input.status != null && { status: input.status }),
    updatedBy: authorOf(principal),
  };
  const sealed = await changedConfig(context, config, input.config);
  const updated = sealed
    ? await replaceConfig(context, config, sealed, changes)
    : await updateIf(context, config, {}, changes);
  if (!updated) throw configNotFound();
  await context.changes.publish('config');
  return updated;
}

/** The config to store in place of the present one; null when the update brings none, or the same again. */
async function changedConfig(
  context: GraphContext,
  config: ConfigDocument,
  value: unknown,
): Promise<StoredConfig | null> {
  if (value === undefined || value === null) return null;
  const inTheClear = (stored: StoredConfig) => unsealConfig(stored, context.secrets, config._id);
  const present = inTheClear(config.config);
  const sealed = await checkedConfig(context, config, value, present);
  return isDeepStrictEqual(inTheClear(sealed), present) ? null : sealed;
}

/**
 * Writes the version first and then points the config at it, provided that nobody did so in between. Of two racing
 * updates the second goes on top of the first, and the history has both.
 */
async function replaceConfig(
  context: GraphContext,
  config: ConfigDocument,
  sealed: StoredConfig,
  changes: Changes,
): Promise<ConfigDocument> {
  const version = await addVersion(
    context,
    { ...config, ...changes },
    {
      sealed,
      number: await nextNumber(context, config),
      createdBy: changes.updatedBy ?? config.updatedBy,
    },
  );
  const next = { ...changes, config: sealed, versionId: version._id };
  let base: ConfigDocument | null = config;
  for (let attempt = 0; attempt < 2 && base; attempt += 1) {
    const updated = await updateIf(context, config, { versionId: base.versionId }, next);
    if (updated) return updated;
    base = await configModel(context.db)
      .findOne({ _id: config._id, organisationId: config.organisationId })
      .lean<ConfigDocument>();
  }
  await removeVersion(context, version);
  if (!base) throw configNotFound();
  throw new GatewayError('ALREADY_EXISTS', {
    message: 'The config is being changed by others; read it again and retry.',
  });
}

const updateIf = (
  context: GraphContext,
  { _id, organisationId }: ConfigDocument,
  condition: Partial<Pick<ConfigDocument, 'versionId'>>,
  changes: Partial<ConfigDocument>,
): Promise<ConfigDocument | null> =>
  configModel(context.db)
    .findOneAndUpdate({ _id, organisationId, ...condition }, changes, { returnDocument: 'after' })
    .lean<ConfigDocument>();
