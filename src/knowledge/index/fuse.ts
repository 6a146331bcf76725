import type { Near } from './best.ts';

/** A ranking of chunks, the best first, by words or by vectors. */
export type Ranking = { by: 'words' | 'vectors'; chunks: readonly number[] };

/** How much each kind of ranking counts beside the other: 1 is what is usual. */
export type RankingWeights = Record<Ranking['by'], number>;

/**
 * How much a ranking counts, and how flat it is (reciprocal rank fusion). Whatever vectors are near, there is always a nearest one,
 * so that their ranks say little one by one. The first by words often has the one rare word of a question: it leads by far, and a
 * little more weight puts it before the nearest vector where neither is in the other ranking.
 */
const counted = { words: { weight: 1.05, k: 5 }, vectors: { weight: 1, k: 60 } } as const;

/**
 * One ranking of several. Scores are parts of what the first of all of them would have, so that they are from 0 to 1. What a ranking
 * of no weight alone has is left out.
 */
export function fused(rankings: readonly Ranking[], weights: RankingWeights | null = null): Near[] {
  const sums = new Map<number, number>();
  const weightOf = (by: Ranking['by']) => counted[by].weight * (weights?.[by] ?? 1);
  const whole = rankings.reduce((sum, { by }) => sum + weightOf(by), 0);
  for (const { by, chunks } of rankings) {
    const { k } = counted[by];
    const weight = weightOf(by);
    if (weight === 0) continue;
    chunks.forEach((chunk, at) => {
      const part = (weight / whole) * ((k + 1) / (k + 1 + at));
      sums.set(chunk, (sums.get(chunk) ?? 0) + part);
    });
  }
  return inOrder(sums);
}

/** Each chunk with the best of its similarities. */
export function bestOf(lists: readonly (readonly Near[])[]): Near[] {
  const best = new Map<number, number>();
  for (const { chunk, similarity } of lists.flat())
    best.set(chunk, Math.max(similarity, best.get(chunk) ?? -1));
  return inOrder(best);
}

const inOrder = (scores: ReadonlyMap<number, number>): Near[] =>
  [...scores]
    .map(([chunk, similarity]) => ({ chunk, similarity: Math.min(1, similarity) }))
    .sort((one, other) => other.similarity - one.similarity || one.chunk - other.chunk);
