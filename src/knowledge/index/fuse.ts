import type { Near } from './matrix.ts';

/** What keeps the first few ranks from outweighing everything else (reciprocal rank fusion). */
const K = 60;

/**
 * One ranking of several: an item counts 1/(60 + rank) in each list that has it. Scores are parts of what the first of all lists
 * would have, so that they are from 0 to 1.
 */
export function fused(lists: readonly (readonly number[])[]): Near[] {
  const sums = new Map<number, number>();
  for (const list of lists)
    list.forEach((chunk, at) => {
      sums.set(chunk, (sums.get(chunk) ?? 0) + (K + 1) / (K + 1 + at) / lists.length);
    });
  return [...sums]
    .map(([chunk, similarity]) => ({ chunk, similarity: Math.min(1, similarity) }))
    .sort((one, other) => other.similarity - one.similarity || one.chunk - other.chunk);
}

/** Each chunk with the best of its similarities. */
export function bestOf(lists: readonly (readonly Near[])[]): Near[] {
  const best = new Map<number, number>();
  for (const { chunk, similarity } of lists.flat())
    best.set(chunk, Math.max(similarity, best.get(chunk) ?? -1));
  return [...best]
    .map(([chunk, similarity]) => ({ chunk, similarity: Math.min(1, similarity) }))
    .sort((one, other) => other.similarity - one.similarity || one.chunk - other.chunk);
}
