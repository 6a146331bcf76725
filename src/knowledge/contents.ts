import type { IncomingHttpHeaders } from 'node:http';
import type { KnowledgeDeps } from './deps.ts';
import {
  type Attributes,
  type Chunking,
  type EmbeddingModel,
  storeFileId,
  type VectorStoreDocument,
  type VectorStoreFileBatchDocument,
  type VectorStoreFileDocument,
  type VectorStoreFileStatus,
} from './documents.ts';
import { isLocal } from './embed/embedder.ts';
import { type EmbeddingOrder, embeddingOrder } from './forms/order.ts';
import { sealHeaders } from './indexer/caller.ts';
import type { Segments } from './segments/segments.ts';

/** A file that is to be put into a store. */
export type AttachedFile = { fileId: string; filename: string; attributes: Attributes; chunking: Chunking };

/** How many files have each status, and the bytes that they take. */
export type FileCounts = Record<VectorStoreFileStatus, number> & { usageBytes: number };

/** What processes tell each other once a file, or all of them, has left a store. */
export const REMOVAL = 'vector_store_removal';

const none: FileCounts = { in_progress: 0, completed: 0, cancelled: 0, failed: 0, usageBytes: 0 };

type Deps = Pick<KnowledgeDeps, 'stores' | 'files' | 'secrets' | 'changes' | 'now'>;

/** What changes the files of stores. Callers see to it that the stores and files are the tenant's. */
export function createContents({ stores, files, secrets, changes, now }: Deps, segments: Segments) {
  const changed = (storeIds: string[]) =>
    stores().updateMany({ _id: { $in: storeIds } }, { $inc: { revision: 1 } });

  /** Has all processes take what was removed out of their indexes. */
  async function removed(storeIds: string[]): Promise<void> {
    await stores().updateMany(
      { _id: { $in: storeIds } },
      { $inc: { revision: 1 }, $set: { removedAt: now() } },
    );
    await changes.publish(REMOVAL);
  }

  return {
    /** Lets searches find what was changed of the files of a store. */
    touch: async (storeId: string): Promise<void> => void (await changed([storeId])),
    /** Puts files into a store, to be indexed. One that is in it already is indexed anew, and found as it was until then. */
    async attach(
      store: VectorStoreDocument,
      attached: readonly AttachedFile[],
      { batchId, headers }: { batchId: string | null; headers: IncomingHttpHeaders },
    ): Promise<void> {
      if (attached.length === 0) return;
      const at = now();
      const { _id: storeId, organisationId, workspaceId } = store;
      const writes = attached.map(({ fileId, filename, attributes, chunking }) => {
        const _id = storeFileId(storeId, fileId);
        const set: Partial<VectorStoreFileDocument> = {
          ...{
            filename,
            batchId,
            attributes,
            chunking,
            status: 'in_progress',
            lastError: null,
            usageBytes: 0,
          },
          ...{ owner: null, leaseUntil: at, attempt: 0, createdAt: at, lastUpdatedAt: at },
          ...(!isLocal(store.embedding) && { sealedCaller: sealHeaders(secrets, headers, _id) }),
        };
        const update = {
          $set: set,
          $inc: { fence: 1, attributesVersion: 1 },
          $setOnInsert: { organisationId, workspaceId, storeId, fileId, generation: null },
        };
        return { updateOne: { filter: { _id }, update, upsert: true } };
      });
      await files().bulkWrite(writes, { ordered: false });
      await changed([storeId]);
    },
    /** Takes a file out of a store; null where it is not in it. */
    async detach(storeId: string, fileId: string): Promise<VectorStoreFileDocument | null> {
      const detached = await files().findOneAndDelete({ _id: storeFileId(storeId, fileId) });
      if (!detached) return null;
      await segments.dropFile(detached);
      await removed([storeId]);
      return detached;
    },
    /** Takes a file out of all stores of its workspace. */
    async detachEverywhere(file: { workspaceId: string; fileId: string }): Promise<void> {
      const { workspaceId, fileId } = file;
      const found = await files().find({ workspaceId, fileId }).toArray();
      if (found.length === 0) return;
      await files().deleteMany({ workspaceId, fileId });
      for (const storeFile of found) await segments.dropFile(storeFile);
      await removed(found.map(({ storeId }) => storeId));
    },
    /** Gives up the files of a batch that are not indexed yet, also as they were found before. */
    async cancelBatch({ _id, storeId }: VectorStoreFileBatchDocument): Promise<void> {
      const { matchedCount } = await files().updateMany(
        { batchId: _id, status: 'in_progress' },
        {
          $set: {
            ...{ status: 'cancelled', owner: null, leaseUntil: null, lastUpdatedAt: now() },
            generation: null,
          },
          $inc: { fence: 1 },
          $unset: { sealedCaller: '' },
        },
      );
      if (matchedCount > 0) await changed([storeId]);
    },
    /** Deletes what is in a store that is gone; answers how many files that was. */
    async dropStore(storeId: string): Promise<number> {
      const { deletedCount } = await files().deleteMany({ storeId });
      await segments.dropStore(storeId);
      await changes.publish(REMOVAL);
      return deletedCount;
    },
    /** Of stores whose embedding changes, how many files have the form that is to come. */
    async prepared(changing: ReadonlyMap<string, string>): Promise<Map<string, number>> {
      const forms = [...changing].map(([storeId, sign]) => ({ storeId, 'prepared.sign': sign }));
      const counted = files().aggregate<{ _id: string; count: number }>([
        { $match: { status: 'completed', $or: forms } },
        { $group: { _id: '$storeId', count: { $sum: 1 } } },
      ]);
      return new Map((await counted.toArray()).map(({ _id, count }) => [_id, count]));
    },
    /** What a store is written by, so that another embedding is searched once its files are prepared for that. */
    embeddingOrder: (
      store: VectorStoreDocument,
      asked: { embedding: EmbeddingModel; headers: IncomingHttpHeaders },
    ): EmbeddingOrder => embeddingOrder(secrets, store, asked),
    /** The counts of stores or batches, by their ids; they are counted and not kept, so that they are right. */
    async counts(by: 'storeId' | 'batchId', ids: readonly string[]): Promise<Map<string, FileCounts>> {
      const counted = files().aggregate<{
        _id: { of: string; status: VectorStoreFileStatus };
        count: number;
        bytes: number;
      }>([
        { $match: { [by]: { $in: [...ids] } } },
        {
          $group: {
            _id: { of: `$${by}`, status: '$status' },
            count: { $sum: 1 },
            bytes: { $sum: '$usageBytes' },
          },
        },
      ]);
      const counts = new Map(ids.map((id) => [id, { ...none }]));
      for await (const { _id, count, bytes } of counted) {
        const of = counts.get(_id.of);
        if (!of) continue;
        of[_id.status] = count;
        of.usageBytes += bytes;
      }
      return counts;
    },
  };
}
