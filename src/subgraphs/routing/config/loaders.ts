import DataLoader from 'dataloader';
import { tenantFilter } from '../../../auth/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type ConfigVersionDocument, configModel, configVersionModel } from './model.ts';

export const configById = loaderById(configModel, tenantFilter);

/** Versions whole; lists of versions load without their config, which can be large. */
export const configVersionById = loaderById(configVersionModel, tenantFilter);

export type VersionRow = Omit<ConfigVersionDocument, 'config'>;

/** Rows of all versions of a config, newest first. */
export const versionsByConfigId = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, VersionRow[]>(async (configIds) => {
      if (!context.principal) return configIds.map(() => []);
      const found = await configVersionModel(context.db)
        .find({ ...tenantFilter(context.principal), configId: { $in: configIds } }, { config: 0 })
        .sort({ createdAt: -1, _id: -1 })
        .lean<VersionRow[]>();
      const byConfig = Map.groupBy(found, ({ configId }) => configId);
      return configIds.map((id) => byConfig.get(id) ?? []);
    }),
);
