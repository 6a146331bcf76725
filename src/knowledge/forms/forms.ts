import { REMOVAL } from '../contents.ts';
import type { KnowledgeDeps } from '../deps.ts';
import type { VectorStoreDocument, VectorStoreFileDocument } from '../documents.ts';
import { sealAnew } from '../indexer/caller.ts';
import type { Segments } from '../segments/segments.ts';
import type { ChangingStore } from './prepare.ts';

/** Stores that one look takes up. */
const MOST_STORES = 20;

type Deps = Pick<KnowledgeDeps, 'stores' | 'files' | 'secrets' | 'changes' | 'now'> & { store: Segments };

/**
 * The two steps of a store from one embedding to another once its files are prepared: one write by which all of them are searched in
 * their new form, and what tidies up behind it. Each step may be done by several processes, and anew after any of them was killed.
 */
export function createForms({ stores, files, secrets, changes, now, store: segments }: Deps) {
  /** What is left of forms that are not searched any more, and of files that ended in one meanwhile. */
  async function settle(store: VectorStoreDocument): Promise<void> {
    const { _id: storeId, sign, settling } = store;
    // A process that works on a file may have begun with the embedding of before, or for one that was given up.
    await files().updateMany(
      { storeId, owner: { $ne: null } },
      { $set: { owner: null, leaseUntil: now() }, $inc: { fence: 1 } },
    );
    for await (const file of files().find({ storeId, prepared: { $exists: true } }))
      await settleFile(store, file);
    const other = sign === undefined ? { $exists: true } : { $ne: sign };
    for await (const file of files().find({ storeId, status: 'completed', sign: other }))
      await indexAnew(store, file);
    await stores().updateOne(
      { _id: storeId, 'settling.id': settling?.id },
      { $unset: { settling: '' }, $inc: { revision: 1 } },
    );
    await changes.publish(REMOVAL);
  }

  async function settleFile(
    { sign, next }: VectorStoreDocument,
    file: VectorStoreFileDocument,
  ): Promise<void> {
    const { _id, prepared } = file;
    if (!prepared || prepared.sign === next?.sign) return;
    const { generation, usageBytes } = prepared;
    const isSearched = prepared.sign === sign;
    const change = isSearched ? { $set: { generation, usageBytes, sign } } : {};
    await files().updateOne(
      { _id, 'prepared.generation': generation },
      { ...change, $unset: { prepared: '' } },
    );
    if (isSearched) await segments.dropBefore(file, generation);
    else await segments.drop(file, generation);
  }

  /** A file that ended in the form of before while the store changed: its request is the one that asked for the change. */
  async function indexAnew(
    { _id: storeId, settling }: VectorStoreDocument,
    { _id, fence }: VectorStoreFileDocument,
  ): Promise<void> {
    const sealed = settling?.sealedCaller;
    const caller = sealed && { sealedCaller: sealAnew(secrets, sealed, { from: storeId, to: _id }) };
    await files().updateOne(
      { _id, fence, status: 'completed' },
      {
        $set: { status: 'in_progress', owner: null, leaseUntil: now(), attempt: 0, ...caller },
        $inc: { fence: 1 },
      },
    );
  }

  return {
    settle,
    /** The stores that are on their way from one embedding to another. */
    changing: (): Promise<VectorStoreDocument[]> =>
      stores()
        .find({
          $or: [
            { 'settling.id': { $exists: true } },
            { 'next.sign': { $exists: true }, 'next.failure': { $exists: false } },
          ],
        })
        .limit(MOST_STORES)
        .toArray(),
    /** Whether a change goes on. */
    async isWanted({ _id, next }: ChangingStore): Promise<boolean> {
      const found = await stores().findOne({ _id, 'next.sign': next.sign }, { projection: { _id: 1 } });
      return found !== null;
    },
    /** Has a store searched in the form to come as soon as all its files have it; false where some have not. */
    async swap({ _id, next }: ChangingStore): Promise<boolean> {
      const { sign, embedding, sealedCaller } = next;
      const store = await stores().findOne({ _id, 'next.sign': sign }, { projection: { revision: 1 } });
      const waits = await files().findOne(
        {
          storeId: _id,
          $or: [{ status: 'in_progress' }, { status: 'completed', 'prepared.sign': { $ne: sign } }],
        },
        { projection: { _id: 1 } },
      );
      if (!store || waits) return false;
      const settling = { id: sign, ...(sealedCaller !== undefined && { sealedCaller }) };
      const { matchedCount } = await stores().updateOne(
        { _id, 'next.sign': sign, revision: store.revision },
        { $set: { embedding, sign, settling }, $unset: { next: '' }, $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },
    /** Ends a change that its model refuses; the store is searched as before. */
    async refuse({ _id, next }: ChangingStore, failure: string): Promise<void> {
      await stores().updateOne({ _id, 'next.sign': next.sign }, { $set: { 'next.failure': failure } });
    },
  };
}
