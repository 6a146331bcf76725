import {
  type EmbeddingModel,
  expiryOf,
  LOCAL_MODEL,
  type VectorStoreDocument,
} from '../../../knowledge/index.ts';
import { randomId } from '../../../runs/ids.ts';
import type { GraphContext } from '../../context.ts';
import { vectorStoreModel } from './model.ts';

export type NewStore = {
  _id?: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, string>;
  expiresAfterDays?: number | null | undefined;
  embeddingModel?: string | null | undefined;
  embeddingDimensions?: number | null | undefined;
};

/** A vector store that is not stored yet. */
export function newStore(
  context: GraphContext,
  owner: { organisationId: string; workspaceId: string },
  given: NewStore,
): VectorStoreDocument {
  const now = context.now();
  const expiresAfterDays = given.expiresAfterDays ?? null;
  const usual = context.vectorStores;
  const model = given.embeddingModel ?? usual.embeddingModel;
  const dimensions = given.embeddingDimensions ?? (given.embeddingModel ? null : usual.embeddingDimensions);
  return {
    _id: given._id ?? randomId('vs'),
    ...owner,
    name: given.name ?? '',
    description: given.description ?? null,
    metadata: given.metadata ?? {},
    expiresAfterDays,
    lastActiveAt: now,
    expiresAt: expiryOf(now, expiresAfterDays),
    embedding: embeddingOf(model, dimensions),
    revision: 0,
    createdAt: now,
    lastUpdatedAt: now,
  };
}

/** The model of a store's vectors; the one of this product gives as many numbers as it does. */
export const embeddingOf = (model: string, dimensions: number | null): EmbeddingModel => ({
  model,
  dimensions: model === LOCAL_MODEL ? null : dimensions,
});

export async function insertStore(context: GraphContext, store: VectorStoreDocument): Promise<void> {
  await vectorStoreModel(context.db).collection.insertOne(store as never);
}

/** Lets the time of a store without use begin anew, though it may have ended. */
export async function renewStore(context: GraphContext, _id: string, days: number): Promise<void> {
  const now = context.now();
  await vectorStoreModel(context.db).updateOne(
    { _id, expiresAfterDays: days },
    { $set: { lastActiveAt: now, expiresAt: expiryOf(now, days) } },
  );
}
