import { hash } from 'node:crypto';
import type { QuantisedVectors } from '../embed/quantise.ts';
import type { AddedFile } from '../index/messages.ts';
import type { TextChunk } from '../segments/pack.ts';
import { wordsOf } from '../words.ts';

/** What goes with a chunk. `first`: one chunk of each file has it, so that files can be listed. */
export type Payload = {
  store: string;
  file: string;
  generation: number;
  first: boolean;
  start: number;
  end: number;
  text: string;
};

export type SparseVector = { indices: number[]; values: number[] };
type Point = { id: string; vector: { dense: number[]; words: SparseVector }; payload: Payload };

/** The number of a version's segments; its other number counts changes of attributes, which the engine does not keep. */
export const generationOf = (version: string): number => Number(version.split('.')[0]);

/** The chunks of a file as points. Their ids follow from their places: who writes them twice writes the same. */
export function* pointsOf(store: string, { fileId, version, segments }: AddedFile): Generator<Point> {
  const generation = generationOf(version);
  let place = 0;
  for (const { chunks, vectors } of segments ?? [])
    for (const [row, chunk] of chunks.entries()) {
      const payload = { store, file: fileId, generation, first: place === 0, ...chunk };
      const id = idOf(`${store}/${fileId}/${generation}/${place++}`);
      yield { id, vector: { dense: denseOf(vectors, row), words: sparseOf(chunk) }, payload };
    }
}

/** One vector in the numbers that it was made of, but for the rounding. */
export function denseOf({ values, scales, dimensions }: QuantisedVectors, row: number): number[] {
  const scale = scales[row] ?? 0;
  return Array.from(values.subarray(row * dimensions, (row + 1) * dimensions), (value) => value * scale);
}

/** Words of the middle chunk: of 400 new tokens and 400 shared ones. */
const USUAL_WORDS = 500;
const [K1, B] = [1.2, 0.75];

/** How often each word stands in a chunk, as BM25 counts it; how rare the words are is what the engine knows. */
function sparseOf({ text }: TextChunk): SparseVector {
  const words = wordsOf(text);
  const counts = new Map<number, number>();
  for (const word of words) counts.set(numberOf(word), (counts.get(numberOf(word)) ?? 0) + 1);
  const longer = K1 * (1 - B + B * (words.length / USUAL_WORDS));
  return {
    indices: [...counts.keys()],
    values: [...counts.values()].map((count) => (count * (K1 + 1)) / (count + longer)),
  };
}

/** The words of a question: each counts once. */
export function sparseQuestion(text: string): SparseVector {
  const indices = [...new Set(wordsOf(text).map(numberOf))];
  return { indices, values: indices.map(() => 1) };
}

const numberOf = (word: string): number => Number.parseInt(hash('sha256', word).slice(0, 8), 16);

/** An id in the form of a UUID, the only texts that the engine takes as ids. */
const idOf = (place: string): string =>
  hash('sha256', place)
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
