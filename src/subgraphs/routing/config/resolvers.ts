import { configJsonSchema } from '../../../routing-config/json-schema.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import { referred } from '../../loading.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { circuitsOf } from './circuits.ts';
import { configById, configVersionById, latestVersions, type VersionRow } from './loaders.ts';
import type { ConfigVersionDocument } from './model.ts';
import { maskConfig } from './sealing.ts';
import { createConfig, deleteConfig, getConfig, listConfigs } from './service.ts';
import { simulateConfig } from './trial/simulate.ts';
import { validateConfig } from './trial/validate.ts';
import { restoreVersion, updateConfig } from './update.ts';
import { usesOf } from './uses.ts';
import { listVersions } from './versions.ts';

const ofConfig =
  <Name extends 'slug' | 'isDefault' | 'status' | 'ownerId'>(name: Name) =>
  async ({ configId }: VersionRow, _args: unknown, context: GraphContext) =>
    referred((await configById(context).load(configId))?.[name]);

export const resolvers = {
  Query: {
    config: (_parent, { id }, context) => getConfig(context, id),
    configs: (_parent, args, context) => listConfigs(context, args),
    configVersions: (_parent, args, context) => listVersions(context, args),
    configSchema: () => configJsonSchema,
    validateConfig: (_parent, { input }, context) => validateConfig(context, input),
    simulateConfig: (_parent, { input }, context) => simulateConfig(context, input),
  },
  Mutation: {
    createConfig: (_parent, { input }, context) => createConfig(context, input),
    updateConfig: (_parent, { id, input }, context) => updateConfig(context, id, input),
    restoreConfigVersion: (_parent, { id, versionId }, context) => restoreVersion(context, id, versionId),
    deleteConfig: (_parent, { id }, context) => deleteConfig(context, id),
  },
  Config: {
    id: (config) => config._id,
    workspace: ({ workspaceId }) => ({ id: workspaceId }),
    owner: ({ ownerId }) => ({ id: ownerId }),
    config: ({ _id, config }, _args, { secrets }) => maskConfig(config, secrets, _id),
    circuits: ({ _id }, _args, context) => circuitsOf(context).load(_id),
    usedBy: (config, _args, context) => usesOf(context).load(config),
    versions: (config, { limit }, context) => latestVersions(context).load({ config, limit }),
  },
  ConfigVersion: {
    id: (version) => version._id,
    config: (version, _args, context) => shownVersion(context, version),
    configText: async (version, _args, context) => JSON.stringify(await shownVersion(context, version)),
    slug: ofConfig('slug'),
    isDefault: ofConfig('isDefault'),
    status: ofConfig('status'),
    ownerId: ofConfig('ownerId'),
  },
} satisfies Resolvers;

async function shownVersion(context: GraphContext, row: VersionRow | ConfigVersionDocument) {
  const version = 'config' in row ? row : await configVersionById(context).load(row._id);
  return version && shown(version, context.secrets);
}

const shown = ({ config, configId }: ConfigVersionDocument, secrets: Secrets) =>
  maskConfig(config, secrets, configId);
