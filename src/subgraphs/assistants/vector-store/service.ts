import { expiryOf, type VectorStoreDocument } from '../../../knowledge/index.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import type { CreateVectorStoreInput, UpdateVectorStoreInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { formerPlaces, rememberPlace } from '../former-places.ts';
import { chunkingOf, metadataOf } from '../members/index.ts';
import { attach, existingFiles } from './attach.ts';
import { requireUnexpired, writableVectorStore } from './find.ts';
import { vectorStoreModel } from './model.ts';
import { embeddingOf, insertStore, newStore } from './new-store.ts';

export async function listVectorStores(context: GraphContext, args: CursorArguments) {
  const tenant = visible(requireReader(context));
  const formerPlace = formerPlaces(context, 'vector_stores', tenant);
  return findCursorPage(vectorStoreModel(context.db), tenant, {}, { ...args, formerPlace });
}

export async function createVectorStore(
  context: GraphContext,
  input: CreateVectorStoreInput,
): Promise<VectorStoreDocument> {
  const owner = requireWriter(context);
  const chunking = chunkingOf(input.chunkingStrategy, 'input.chunkingStrategy');
  const metadata = metadataOf(input.metadata, 'input.metadata');
  const named = (input.fileIds ?? []).map((fileId) => ({ fileId, attributes: {}, chunking }));
  const files = await existingFiles(context, owner, named);
  const expiresAfterDays = input.expiresAfter?.days;
  const store = newStore(context, owner, { ...input, metadata, expiresAfterDays });
  await insertStore(context, store);
  if (files.length > 0) await attach(context, store, { files, batchId: null });
  return store;
}

export async function updateVectorStore(
  context: GraphContext,
  id: string,
  input: UpdateVectorStoreInput,
): Promise<VectorStoreDocument> {
  const owner = requireWriter(context);
  const store = await writableVectorStore(context, id);
  const order = embeddingChangeOf(context, store, input);
  const { name, description, metadata, expiresAfter } = input;
  const days = expiresAfter?.days ?? null;
  const change = {
    ...(name !== undefined && { name: name ?? '' }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata: metadataOf(metadata, 'input.metadata') }),
    ...(expiresAfter !== undefined && {
      expiresAfterDays: days,
      expiresAt: expiryOf(store.lastActiveAt, days),
    }),
  };
  const updated = await vectorStoreModel(context.db)
    .findOneAndUpdate(
      {
        _id: id,
        ...owner,
        ...ifUnchanged(context),
        ...(order && { sign: store.sign ?? { $exists: false } }),
      },
      { ...order, $set: { ...change, ...order?.$set } },
      { returnDocument: 'after' },
    )
    .lean<VectorStoreDocument>();
  // An earlier change came to its end meanwhile: this one begins where that has ended.
  if (!updated && order && (await writableVectorStore(context, id)).sign !== store.sign)
    return updateVectorStore(context, id, input);
  if (!updated) throw notWritten(context, notFound('vector_store', id));
  if (order) await context.knowledge.wake();
  return updated;
}

/** What has the files of a store prepared for another embedding; null where the caller does not ask for one. */
function embeddingChangeOf(context: GraphContext, store: VectorStoreDocument, input: UpdateVectorStoreInput) {
  const { embeddingModel, embeddingDimensions } = input;
  if (embeddingModel == null && embeddingDimensions == null) return null;
  requireUnexpired(context, store);
  const model = embeddingModel ?? (store.next?.embedding ?? store.embedding).model;
  const embedding = embeddingOf(model, embeddingDimensions ?? null);
  return context.knowledge.embeddingOrder(store, { embedding, headers: context.request.headers });
}

/** The store goes first: from then on nobody finds what is left of it. */
export async function deleteVectorStore(context: GraphContext, id: string): Promise<string> {
  const owner = requireWriter(context);
  requireId('vector_store', id);
  const deleted = await vectorStoreModel(context.db)
    .findOneAndDelete({ _id: id, ...owner, ...ifUnchanged(context) })
    .lean<VectorStoreDocument>();
  if (!deleted) throw notWritten(context, notFound('vector_store', id));
  await context.knowledge.dropStore(id);
  await rememberPlace(context, 'vector_stores', deleted);
  return id;
}
