import DataLoader from 'dataloader';
import { tenantFilter } from '../../../auth/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type ScimMappingDocument, scimMappingModel } from './model.ts';

export const scimMappingById = loaderById(scimMappingModel, tenantFilter);

/** The mappings of each group, oldest first. */
export const mappingsOfGroup = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, ScimMappingDocument[]>(async (groupIds) => {
      if (!context.principal) return groupIds.map(() => []);
      const found = await orTooSlow(
        scimMappingModel(context.db)
          .find({ ...tenantFilter(context.principal), groupId: { $in: [...groupIds] } }, null, boundedRead)
          .sort({ _id: 1 })
          .lean<ScimMappingDocument[]>()
          .exec(),
      );
      const byGroup = Map.groupBy(found, ({ groupId }) => groupId);
      return groupIds.map((id) => byGroup.get(id) ?? []);
    }),
);
