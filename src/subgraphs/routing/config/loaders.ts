import DataLoader from 'dataloader';
import { tenantFilter } from '../../../auth/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type ConfigDocument, type ConfigVersionDocument, configModel, configVersionModel } from './model.ts';

export const configById = loaderById(configModel, tenantFilter);

/** Versions whole; lists of versions load without their config, which can be large. */
export const configVersionById = loaderById(configVersionModel, tenantFilter);

export type VersionRow = Omit<ConfigVersionDocument, 'config'>;

type Wanted = { config: Pick<ConfigDocument, '_id' | 'versionId'>; limit: number };

/** Rows of the latest versions of a config, newest first. */
export const latestVersions = perRequest(
  (context: GraphContext) =>
    new DataLoader<Wanted, VersionRow[], string>(
      async (wanted) => {
        if (!context.principal) return wanted.map(() => []);
        const tenant = tenantFilter(context.principal);
        const model = configVersionModel(context.db);
        const present = await model
          .find({ ...tenant, _id: { $in: wanted.map(({ config }) => config.versionId) } }, { number: 1 })
          .lean<Pick<VersionRow, '_id' | 'number'>[]>();
        const numbers = new Map(present.map(({ _id, number }) => [_id, number]));
        // Versions are numbered without gaps: however many a config has had, only the wanted ones are read.
        const latest = wanted.map(({ config, limit }) => ({
          ...tenant,
          configId: config._id,
          number: { $gt: (numbers.get(config.versionId) ?? 0) - limit },
        }));
        const found = await model
          .find({ $or: latest }, { config: 0 })
          .sort({ createdAt: -1, _id: -1 })
          .lean<VersionRow[]>();
        const byConfig = Map.groupBy(found, ({ configId }) => configId);
        return wanted.map(({ config, limit }) => (byConfig.get(config._id) ?? []).slice(0, limit));
      },
      { cacheKeyFn: ({ config, limit }) => `${config._id} ${limit}` },
    ),
);
