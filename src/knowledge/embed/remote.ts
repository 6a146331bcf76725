import type { IncomingHttpHeaders } from 'node:http';
import { askInProcess } from '../../dataplane/in-process.ts';
import type { Dataplane } from '../../dataplane/index.ts';
import { isObject } from '../../lib/json.ts';
import type { EmbeddingModel } from '../documents.ts';
import { MAX_DIMENSIONS } from '../index/matrix.ts';

/** Texts that are sent together, and requests on their way at a time. */
const BATCH = 96;
const AT_ONCE = 4;
const MAX_ANSWER = 64 * 1024 * 1024;

/** The model gave no embeddings. `isLasting`: it will not, however often it is asked. */
export class EmbeddingRefused extends Error {
  readonly isLasting: boolean;
  constructor(message: string, isLasting: boolean) {
    super(message);
    this.isLasting = isLasting;
  }
}

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

/** Embeddings of texts by a model, as calls of the data plane. Throws EmbeddingRefused. */
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
    throw new EmbeddingRefused('The embedding model answered vectors of different lengths.', true);
  return all;
}

async function embedBatch(
  { dataplane, embedding, headers }: EmbeddingCall,
  input: string[],
  signal: AbortSignal,
): Promise<number[][]> {
  const { model, dimensions } = embedding;
  const body = Buffer.from(JSON.stringify({ model, input, ...(dimensions !== null && { dimensions }) }));
  const asked = { headers: { ...headers, 'accept-encoding': 'identity' }, path: '/embeddings', body };
  const answer = await askInProcess(dataplane, asked, signal);
  const text = await textOf(answer.body);
  if (answer.status !== 200) {
    const message = `The embedding model answered ${answer.status}: ${text.slice(0, 500)}`;
    throw new EmbeddingRefused(message, isLasting(answer.status));
  }
  return vectorsIn(text, input.length);
}

/** What another try does not change. */
const isLasting = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;

function vectorsIn(text: string, count: number): number[][] {
  const data = dataIn(text);
  const vectors: number[][] = [];
  for (const [at, { index = at, embedding }] of data.entries())
    if (isVector(embedding)) vectors[index] = embedding;
  if (vectors.length === count && !vectors.includes(undefined as never)) return vectors;
  throw new EmbeddingRefused('The embedding model did not answer an embedding for each text.', true);
}

function dataIn(text: string): { index?: number; embedding?: unknown }[] {
  let data: unknown;
  try {
    data = (JSON.parse(text) as { data?: unknown } | null)?.data;
  } catch {
    // The refusal says it: what stands there is no answer of an embedding model.
  }
  return Array.isArray(data) ? data.filter(isObject) : [];
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_DIMENSIONS &&
  value.every((number) => typeof number === 'number' && Number.isFinite(number));

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_ANSWER)
      throw new EmbeddingRefused(`The embedding model answered more than ${MAX_ANSWER} bytes.`, true);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
