import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import type { KnowledgeDeps } from '../deps.ts';
import { expiryOf, indexNameOf, type VectorStoreDocument } from '../documents.ts';
import type { Hit, IndexQuestion } from '../index/messages.ts';
import { IndexLost, type VectorIndex } from '../index/vector-index.ts';
import { reranked } from '../models/rerank.ts';
import { EngineError } from '../qdrant/engine.ts';
import type { Segments } from '../segments/segments.ts';
import type { AttributeFilter } from './filter.ts';
import type { Freshness } from './freshness.ts';
import { questionsTo, told } from './questions.ts';
import { type RankingChoice, rankingBy } from './ranker.ts';

/** Milliseconds between two writes of when a store was used. */
const NOTED_MS = 60_000;
/** Results that a model ranks at least. */
const RERANKED = 50;

export type KnowledgeQuestion = {
  /** At least one. */
  texts: readonly string[];
  filter: AttributeFilter | null;
  ranking: RankingChoice;
  /** Results at most. */
  most: number;
  /** What a result's score must be at least. */
  threshold: number;
  /** Of the request on whose behalf is searched: its credential pays where a model is asked for embeddings. */
  headers: IncomingHttpHeaders;
  signal: AbortSignal;
};

/** A question as the index of each store is asked it. */
type IndexedQuestion = Omit<KnowledgeQuestion, 'ranking'> & Pick<IndexQuestion, 'ranking' | 'weights'>;

export type KnowledgeResult = Hit & { storeId: string };

/** Searches stores together; the best come first. */
export const createSearch =
  (
    deps: Pick<KnowledgeDeps, 'stores' | 'dataplane' | 'models' | 'now' | 'log'> & { segments: Segments },
    freshness: Freshness,
    index: VectorIndex,
  ) =>
  async (stores: readonly VectorStoreDocument[], question: KnowledgeQuestion): Promise<KnowledgeResult[]> => {
    const { ranking, model } = rankingBy(question.ranking.ranker, deps.models.rerank);
    const { most, threshold } = question;
    // A model ranks what was found anew: the bounds of the question are for its scores.
    const bounds = model === null ? { most, threshold } : { most: Math.max(most, RERANKED), threshold: 0 };
    const asked = { ...question, ...bounds, ranking, weights: question.ranking.weights };
    const found = await Promise.all(stores.map((store) => searchFilled(store, asked)));
    await noteUse(stores);
    const best = found
      .flat()
      .sort((one, other) => other.score - one.score)
      .slice(0, bounds.most);
    return model === null ? best : rerank(best, model);

    async function rerank(results: KnowledgeResult[], by: string): Promise<KnowledgeResult[]> {
      const { texts, headers, signal } = question;
      const asking = { model: by, query: texts.join('\n'), headers };
      const ranked = await reranked(deps.dataplane, results, asking, signal).catch(told);
      return ranked.filter(({ score }) => score >= threshold).slice(0, most);
    }

    /** Once more where the index was lost meanwhile, or is of a form that is not searched any more. */
    async function searchFilled(
      store: VectorStoreDocument,
      asked: IndexedQuestion,
    ): Promise<KnowledgeResult[]> {
      try {
        return await searchOne(store, asked).catch(async (error: unknown) => {
          if (!(error instanceof IndexLost)) throw error;
          freshness.forget(indexNameOf(store));
          return searchOne((await deps.stores().findOne({ _id: store._id })) ?? store, asked);
        });
      } catch (error) {
        throw error instanceof EngineError ? unavailable(error) : error;
      }
    }

    function unavailable(error: EngineError): GatewayError {
      deps.log.warn({ error, status: error.status }, 'A vector store could not be searched.');
      return new GatewayError('VECTOR_ENGINE_UNAVAILABLE', { cause: error });
    }

    async function searchOne(store: VectorStoreDocument, asked: IndexedQuestion): Promise<KnowledgeResult[]> {
      const { texts, filter, ranking, weights, most, threshold } = asked;
      const [vectors] = await Promise.all([questionsTo(deps, store, asked), freshness.ensure(store)]);
      const queries = texts.flatMap((text, at) => {
        const vector = vectors[at];
        return vector ? [{ text, vector }] : [];
      });
      const name = indexNameOf(store);
      const hits = await index.search(name, { queries, filter, ranking, weights, most, threshold });
      // What was forgotten meanwhile had nothing to be found.
      if (!freshness.knows(name)) throw new IndexLost();
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
