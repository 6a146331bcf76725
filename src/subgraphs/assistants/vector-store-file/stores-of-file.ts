import DataLoader from 'dataloader';
import type { VectorStoreFileDocument } from '../../../knowledge/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { requireReader, visible } from '../caller.ts';
import { vectorStoreFileModel } from './model.ts';

/** Places in vector stores that one request reads, of all the files that it asks about. */
const MAX_PLACES = 1000;

/** The places of files in vector stores that the caller reaches, the newest first: one read for all files of a request. */
export const storesOfFile = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, VectorStoreFileDocument[]>(async (ids) => {
      const tenant = visible(requireReader(context));
      const found = await vectorStoreFileModel(context.db)
        .find({ ...tenant, fileId: { $in: [...ids] } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(MAX_PLACES)
        .lean<VectorStoreFileDocument[]>();
      const byFile = Map.groupBy(found, ({ fileId }) => fileId);
      return ids.map((id) => byFile.get(id) ?? []);
    }),
);
