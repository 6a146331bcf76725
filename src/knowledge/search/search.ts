import type { IncomingHttpHeaders } from 'node:http';
import { ThreadError, type ThreadLine } from '../../lib/threads/thread-line.ts';
import type { KnowledgeDeps } from '../deps.ts';
import { expiryOf, type VectorStoreDocument } from '../documents.ts';
import type { Hit, IndexCalls, IndexQuestion } from '../index/messages.ts';
import type { Segments } from '../segments/segments.ts';
import type { AttributeFilter } from './filter.ts';
import type { Freshness } from './freshness.ts';
import { questionsTo } from './questions.ts';

/** Milliseconds between two writes of when a store was used. */
const NOTED_MS = 60_000;

export type KnowledgeQuestion = {
  /** At least one. */
  texts: readonly string[];
  filter: AttributeFilter | null;
  /** Words and vectors together, or vectors alone. */
  ranking: IndexQuestion['ranking'];
  /** Results at most. */
  most: number;
  /** What a result's score must be at least. */
  threshold: number;
  /** Of the request on whose behalf is searched: its credential pays where a model is asked for embeddings. */
  headers: IncomingHttpHeaders;
  signal: AbortSignal;
};

export type KnowledgeResult = Hit & { storeId: string };

/** Searches stores together; the best come first. */
export const createSearch =
  (
    deps: Pick<KnowledgeDeps, 'stores' | 'dataplane' | 'now'> & { segments: Segments },
    freshness: Freshness,
    index: ThreadLine<IndexCalls>,
  ) =>
  async (stores: readonly VectorStoreDocument[], question: KnowledgeQuestion): Promise<KnowledgeResult[]> => {
    const found = await Promise.all(stores.map((store) => again(() => searchOne(store, question))));
    await noteUse(stores);
    return found
      .flat()
      .sort((one, other) => other.score - one.score)
      .slice(0, question.most);

    async function searchOne(
      store: VectorStoreDocument,
      asked: KnowledgeQuestion,
    ): Promise<KnowledgeResult[]> {
      const { texts, filter, ranking, most, threshold } = asked;
      const [vectors] = await Promise.all([questionsTo(deps, store, asked), freshness.ensure(store)]);
      const queries = texts.flatMap((text, at) => {
        const vector = vectors[at];
        return vector ? [{ text, vector }] : [];
      });
      const hits = await index.ask('search', store._id, { queries, filter, ranking, most, threshold });
      return hits.map((hit) => ({ ...hit, storeId: store._id }));
    }

    async function noteUse(used: readonly VectorStoreDocument[]): Promise<void> {
      const at = deps.now();
      const late = used.filter(({ lastActiveAt }) => at.getTime() - lastActiveAt.getTime() >= NOTED_MS);
      for (const { _id, expiresAfterDays } of late)
        await deps.stores().updateOne(
          // One that expired meanwhile stays so, and one whose time was changed meanwhile keeps the new time.
          { _id, expiresAfterDays, $or: [{ expiresAt: null }, { expiresAt: { $gt: at } }] },
          { $set: { lastActiveAt: at, expiresAt: expiryOf(at, expiresAfterDays) } },
        );
    }
  };

/** Once more where the thread ended: its successor begins with the files that are there. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ThreadError && error.kind === 'ThreadLost')) throw error;
    return work();
  }
}
