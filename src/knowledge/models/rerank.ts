import { z } from 'zod';
import type { Dataplane } from '../../dataplane/index.ts';
import { askModel, ModelGaveNone, type ModelQuestion } from './ask-model.ts';

const KIND = 'rerank model';

const places = z.array(z.object({ index: z.int().min(0), relevance_score: z.number() }));
/** Voyage has `data` where Cohere, Jina and most others have `results`. */
const answer = z.union([
  z.object({ results: places }).transform(({ results }) => results),
  z.object({ data: places }).transform(({ data }) => data),
]);

type Asked = Pick<ModelQuestion, 'headers'> & { model: string; query: string };

/** Documents in the order that a model gives them, with its scores from 0 to 1. Throws ModelGaveNone. */
export async function reranked<T extends { text: string; score: number }>(
  dataplane: Dataplane,
  documents: readonly T[],
  { model, query, headers }: Asked,
  signal: AbortSignal,
): Promise<T[]> {
  if (documents.length === 0) return [];
  const body = { model, query, documents: documents.map(({ text }) => text) };
  const read = answer.safeParse(
    await askModel(dataplane, { kind: KIND, headers, path: '/rerank', body }, signal),
  );
  const scores = new Map(read.data?.map((place) => [place.index, place.relevance_score]));
  // One that the model leaves out would be lost without a word.
  if (scores.size !== documents.length || documents.some((_, at) => !scores.has(at)))
    throw new ModelGaveNone(`The ${KIND} did not answer a score for each text.`, true);
  return documents
    .map((document, at) => ({ ...document, score: scores.get(at) ?? 0 }))
    .sort((one, other) => other.score - one.score)
    .map((document) => ({ ...document, score: Math.min(1, Math.max(0, document.score)) }));
}
