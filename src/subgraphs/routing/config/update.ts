import { isDeepStrictEqual } from 'node:util';
import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { UpdateConfigInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { configNotFound, requireConfig } from './find.ts';
import type { ConfigGuardrails } from './guardrails.ts';
import {
  type ConfigDocument,
  type ConfigVersionDocument,
  configModel,
  configVersionModel,
  type StoredConfig,
} from './model.ts';
import { requireUnused } from './references.ts';
import { unsealConfig } from './sealing.ts';
import { authorOf, checkedConfig, makeDefault } from './service.ts';
import { addVersion, nextNumber, removeVersion } from './versions.ts';

type Changes = Partial<Pick<ConfigDocument, 'name' | 'status' | 'updatedBy' | 'isDefault'>>;

export async function updateConfig(context: GraphContext, id: string, input: UpdateConfigInput) {
  const config = await requireConfig(context, id, 'configs.update');
  const principal = requireScope(context.principal, ['configs.update']);
  const expected = input.expectedVersionId ?? null;
  if (expected !== null && expected !== config.versionId) throw changedMeanwhile();
  if (input.status === 'archived') await requireUnused(context, config);
  const changes = {
    ...(input.name != null && { name: input.name }),
    ...(input.status != null && { status: input.status }),
    ...(input.isDefault === 0 && { isDefault: 0 as const }),
    updatedBy: authorOf(principal),
  };
  const changed = await changedConfig(context, config, input.config);
  const updated = changed
    ? await replaceConfig(context, config, { ...changed, changes, expected })
    : await updateIf(context, config, expected === null ? {} : { versionId: expected }, changes);
  if (!updated) throw notWritten(context, expected === null ? configNotFound() : changedMeanwhile());
  if (input.isDefault === 1) await makeDefault(context, updated);
  await context.changes.publish('config');
  return { ...updated, isDefault: input.isDefault === 1 ? (1 as const) : updated.isDefault };
}

/** Puts the content of an older version on top of the history. */
export async function restoreVersion(context: GraphContext, id: string, versionId: string) {
  const { _id, organisationId } = await requireConfig(context, id, 'configs.update');
  const version = await configVersionModel(context.db)
    .findOne({ _id: versionId, organisationId, configId: _id })
    .lean<ConfigVersionDocument>();
  if (!version)
    throw new GatewayError('NOT_FOUND', { message: 'The config has no such version.', param: 'versionId' });
  return updateConfig(context, _id, { config: unsealConfig(version.config, context.secrets, _id) });
}

const changedMeanwhile = () =>
  new GatewayError('PRECONDITION_FAILED', {
    message: 'The config has another version by now; read it again and retry.',
    param: 'input.expectedVersionId',
  });

/** The config to store in place of the present one; null when the update brings none, or the same again. */
async function changedConfig(
  context: GraphContext,
  config: ConfigDocument,
  value: unknown,
): Promise<Pick<Replacement, 'sealed' | 'guardrails'> | null> {
  if (value === undefined || value === null) return null;
  const inTheClear = (stored: StoredConfig) => unsealConfig(stored, context.secrets, config._id);
  const present = inTheClear(config.config);
  const checked = await checkedConfig(context, config, value, present);
  return isDeepStrictEqual(inTheClear(checked.sealed), present) ? null : checked;
}

type Replacement = {
  sealed: StoredConfig;
  guardrails: ConfigGuardrails;
  changes: Changes;
  expected: string | null;
};

/**
 * Writes the version first and then points the config at it, provided that nobody did so in between. Of two racing
 * updates the second goes on top of the first, and the history has both, unless it expected another version.
 */
async function replaceConfig(
  context: GraphContext,
  config: ConfigDocument,
  { sealed, guardrails, changes, expected }: Replacement,
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
  const next = { ...changes, ...guardrails, config: sealed, versionId: version._id };
  const attempts = expected === null && !context.unchangedSince ? 2 : 1;
  let base: ConfigDocument | null = config;
  for (let attempt = 0; attempt < attempts && base; attempt += 1) {
    const updated = await updateIf(context, config, { versionId: base.versionId }, next);
    if (updated) return updated;
    base = await configModel(context.db)
      .findOne({ _id: config._id, organisationId: config.organisationId })
      .lean<ConfigDocument>();
  }
  await removeVersion(context, version);
  if (!base) throw configNotFound();
  if (expected !== null) throw changedMeanwhile();
  throw notWritten(
    context,
    new GatewayError('ALREADY_EXISTS', {
      message: 'The config is being changed by others; read it again and retry.',
    }),
  );
}

const updateIf = (
  context: GraphContext,
  { _id, organisationId }: ConfigDocument,
  condition: Partial<Pick<ConfigDocument, 'versionId'>>,
  changes: Partial<ConfigDocument>,
): Promise<ConfigDocument | null> =>
  configModel(context.db)
    .findOneAndUpdate({ _id, organisationId, ...condition, ...ifUnchanged(context) }, changes, {
      returnDocument: 'after',
    })
    .lean<ConfigDocument>();
