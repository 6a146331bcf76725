import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import type { KnowledgeDeps } from '../deps.ts';
import { expiryOf, type VectorStoreDocument } from '../documents.ts';
import type { Hit, IndexQuestion } from '../index/messages.ts';
import { IndexLost, type VectorIndex } from '../index/vector-index.ts';
import { EngineError } from '../qdrant/engine.ts';
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
    deps: Pick<KnowledgeDeps, 'stores' | 'dataplane' | 'now' | 'log'> & { segments: Segments },
    freshness: Freshness,
    index: VectorIndex,
  ) =>
  async (stores: readonly VectorStoreDocument[], question: KnowledgeQuestion): Promise<KnowledgeResult[]> => {
    const found = await Promise.all(stores.map((store) => searchFilled(store, question)));
    await noteUse(stores);
    return found
      .flat()
      .sort((one, other) => other.score - one.score)
      .slice(0, question.most);

    /** Once more where the index was lost meanwhile. */
    async function searchFilled(
      store: VectorStoreDocument,
      asked: KnowledgeQuestion,
    ): Promise<KnowledgeResult[]> {
      try {
        return await searchOne(store, asked).catch((error: unknown) => {
          if (!(error instanceof IndexLost)) throw error;
          freshness.forget(store._id);
          return searchOne(store, asked);
        });
      } catch (error) {
        throw error instanceof EngineError ? unavailable(error) : error;
      }
    }

    function unavailable(error: EngineError): GatewayError {
      deps.log.warn({ error, status: error.status }, 'A vector store could not be searched.');
      return new GatewayError('VECTOR_ENGINE_UNAVAILABLE', { cause: error });
    }

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
      const hits = await index.search(store._id, { queries, filter, ranking, most, threshold });
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
