import type { RankingWeights } from '../index/fuse.ts';
import type { IndexQuestion } from '../index/messages.ts';

/** How the results of a search are ranked. */
export type RankingChoice = {
  /** A name that `isRanker` knows. */
  ranker: string;
  /** How much words and vectors count, where both are asked; null for what is usual here. */
  weights: RankingWeights | null;
};

/** `ranking_options` as callers write them, without the threshold. */
export type RankingOptions = {
  ranker?: string | undefined;
  hybrid_search?: { embedding_weight: number; text_weight: number } | null | undefined;
};

/** How a search ranks by its options. */
export const rankingOf = ({ ranker = 'auto', hybrid_search: hybrid }: RankingOptions): RankingChoice => ({
  ranker,
  weights: hybrid ? { vectors: hybrid.embedding_weight, words: hybrid.text_weight } : null,
});

/** The names of OpenAI's API. `auto` asks the model that the setting names, if it names one. */
const own: Record<string, IndexQuestion['ranking']> = {
  auto: 'hybrid',
  none: 'vectors',
  'default-2024-11-15': 'hybrid',
  default_2024_08_21: 'hybrid',
};

/** A model as calls name it. */
const MODEL = /^@[^/\s]+\/\S+$/;

export const RANKER_NAMES = `${Object.keys(own).join(', ')}, or a rerank model as calls name it (@provider/model)`;

export const isRanker = (name: string): boolean => Object.hasOwn(own, name) || MODEL.test(name);

/** What the index is asked, and the model that ranks what it finds; null for none. */
export const rankingBy = (
  ranker: string,
  usualModel: string | null,
): { ranking: IndexQuestion['ranking']; model: string | null } => ({
  ranking: own[ranker] ?? 'hybrid',
  model: ranker === 'auto' ? usualModel : MODEL.test(ranker) ? ranker : null,
});
