import type { IncomingHttpHeaders } from 'node:http';
import type { Dataplane } from '../../dataplane/index.ts';
import { isObject } from '../../lib/json.ts';
import type { EmbeddingModel } from '../documents.ts';
import { MAX_DIMENSIONS } from '../index/matrix.ts';
import { askModel, ModelGaveNone } from '../models/ask-model.ts';

/** Texts that are sent together, and requests on their way at a time. */
const BATCH = 96;
const AT_ONCE = 4;

/** Why vectors of a model do not belong into a store any more. */
export const otherLength = (model: string, answered: number, known: number): string =>
  `The embedding model ${model} answers vectors of ${answered} numbers, and those of the vector store have ${known}: ` +
  'files that are to be found by the vectors of today belong into a new vector store.';

export type EmbeddingCall = {
  dataplane: Dataplane;
  embedding: EmbeddingModel;
  /** Of the request on whose behalf they are asked for. */
  headers: IncomingHttpHeaders;
};

/** Embeddings of texts by a model, as calls of the data plane. Throws ModelGaveNone. */
export async function embedByModel(
  call: EmbeddingCall,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[][]> {
  const batches: string[][] = [];
  for (let at = 0; at < texts.length; at += BATCH) batches.push(texts.slice(at, at + BATCH));
  const vectors: number[][][] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < batches.length; at = next++)
      vectors[at] = await embedBatch(call, batches[at] ?? [], signal);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, batches.length) }, work));
  const all = vectors.flat();
  if (new Set(all.map(({ length }) => length)).size > 1)
    throw new ModelGaveNone('The embedding model answered vectors of different lengths.', true);
  return all;
}

async function embedBatch(
  { dataplane, embedding, headers }: EmbeddingCall,
  input: string[],
  signal: AbortSignal,
): Promise<number[][]> {
  const { model, dimensions } = embedding;
  const body = { model, input, ...(dimensions !== null && { dimensions }) };
  const asked = { kind: 'embedding model', headers, path: '/embeddings', body };
  return vectorsIn(await askModel(dataplane, asked, signal), input.length);
}

function vectorsIn(answer: unknown, count: number): number[][] {
  const data = dataIn(answer);
  const vectors: number[][] = [];
  for (const [at, { index = at, embedding }] of data.entries())
    if (isVector(embedding)) vectors[index] = embedding;
  if (vectors.length === count && !vectors.includes(undefined as never)) return vectors;
  throw new ModelGaveNone('The embedding model did not answer an embedding for each text.', true);
}

function dataIn(answer: unknown): { index?: number; embedding?: unknown }[] {
  const data = isObject(answer) ? answer.data : undefined;
  return Array.isArray(data) ? data.filter(isObject) : [];
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_DIMENSIONS &&
  value.every((number) => typeof number === 'number' && Number.isFinite(number));
