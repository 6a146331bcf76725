import type { Secrets } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import type { Resolvers } from '../../subgraph.ts';
import { configById, configVersionById, latestVersions, type VersionRow } from './loaders.ts';
import type { ConfigDocument, ConfigVersionDocument } from './model.ts';
import { maskConfig } from './sealing.ts';
import { createConfig, deleteConfig, getConfig, listConfigs } from './service.ts';
import { updateConfig } from './update.ts';
import { listVersions } from './versions.ts';

export const resolvers: Resolvers = {
  Query: {
    config: (_parent, { id }, context) => getConfig(context, id),
    configs: (_parent, args, context) => listConfigs(context, args),
    configVersions: (_parent, args, context) => listVersions(context, args),
  },
  Mutation: {
    createConfig: (_parent, { input }, context) => createConfig(context, input),
    updateConfig: (_parent, { id, input }, context) => updateConfig(context, id, input),
    deleteConfig: (_parent, { id }, context) => deleteConfig(context, id),
  },
  Config: {
    id: (config: ConfigDocument) => config._id,
    workspace: ({ workspaceId }: ConfigDocument) => ({ id: workspaceId }),
    config: ({ _id, config }: ConfigDocument, _args, { secrets }) => maskConfig(config, secrets, _id),
    versions: (config: ConfigDocument, { limit }, context) => latestVersions(context).load({ config, limit }),
  },
  ConfigVersion: {
    id: (version: VersionRow) => version._id,
    config: (version: VersionRow, _args, context) => shownVersion(context, version),
    configText: async (version: VersionRow, _args, context) =>
      JSON.stringify(await shownVersion(context, version)),
    slug: async (version: VersionRow, _args, context) => (await parentOf(context, version))?.slug,
    isDefault: async (version: VersionRow, _args, context) => (await parentOf(context, version))?.isDefault,
    status: async (version: VersionRow, _args, context) => (await parentOf(context, version))?.status,
    ownerId: async (version: VersionRow, _args, context) => (await parentOf(context, version))?.ownerId,
  },
};

const parentOf = (context: GraphContext, { configId }: VersionRow) => configById(context).load(configId);

async function shownVersion(context: GraphContext, row: VersionRow | ConfigVersionDocument) {
  const version = 'config' in row ? row : await configVersionById(context).load(row._id);
  return version && shown(version, context.secrets);
}

const shown = ({ config, configId }: ConfigVersionDocument, secrets: Secrets) =>
  maskConfig(config, secrets, configId);
