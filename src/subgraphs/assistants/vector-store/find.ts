import DataLoader from 'dataloader';
import { GatewayError } from '../../../errors/index.ts';
import { type FileCounts, isExpired, type VectorStoreDocument } from '../../../knowledge/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { vectorStoreModel } from './model.ts';

const vectorStoreById = loaderById(vectorStoreModel, visible);

/** For references from other resources: null when the store is gone or out of the credential's reach. */
export async function referencedVectorStore(
  context: GraphContext,
  id: string,
): Promise<VectorStoreDocument | null> {
  requireReader(context);
  return vectorStoreById(context).load(id);
}

/** A vector store that the caller reaches. Throws VALIDATION_FAILED for what is no id, and NOT_FOUND. */
export async function getVectorStore(context: GraphContext, id: string): Promise<VectorStoreDocument> {
  requireId('vector_store', id);
  const found = await referencedVectorStore(context, id);
  if (!found) throw notFound('vector_store', id);
  return found;
}

/** A vector store of the workspace in which the caller changes things. */
export async function writableVectorStore(context: GraphContext, id: string): Promise<VectorStoreDocument> {
  const owner = requireWriter(context);
  requireId('vector_store', id);
  const found = await vectorStoreModel(context.db)
    .findOne({ _id: id, ...owner })
    .lean<VectorStoreDocument>();
  if (!found) throw notFound('vector_store', id);
  return found;
}

/** Throws where a store was not used for too long. */
export function requireUnexpired(context: GraphContext, store: VectorStoreDocument): void {
  if (!isExpired(store, context.now())) return;
  throw new GatewayError('VALIDATION_FAILED', { message: `Vector store ${store._id} is expired.` });
}

const countsOf = (by: 'storeId' | 'batchId') =>
  perRequest(
    ({ knowledge }: GraphContext) =>
      new DataLoader<string, FileCounts>(async (ids) => {
        const counts = await knowledge.counts(by, ids);
        return ids.map((id) => counts.get(id) ?? new Error(`Nothing was counted for ${id}.`));
      }),
  );

export const countsOfStore = countsOf('storeId');
export const countsOfBatch = countsOf('batchId');

/** Of stores whose embedding changes, how many files have the form to come. */
export const preparedFiles = perRequest(
  ({ knowledge }: GraphContext) =>
    new DataLoader<{ storeId: string; sign: string }, number>(async (forms) => {
      const prepared = await knowledge.prepared(new Map(forms.map(({ storeId, sign }) => [storeId, sign])));
      return forms.map(({ storeId }) => prepared.get(storeId) ?? 0);
    }),
);

/** Counts as stores and batches show them. */
export const countsShape = ({ in_progress: inProgress, completed, failed, cancelled }: FileCounts) => ({
  inProgress,
  completed,
  failed,
  cancelled,
  total: inProgress + completed + failed + cancelled,
});
