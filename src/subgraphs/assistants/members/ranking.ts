import { z } from 'zod';
import { isRanker, RANKER_NAMES } from '../../../knowledge/index.ts';

const weight = z.number().min(0).max(1000);
const ranker = z.string().max(512).refine(isRanker, `must be ${RANKER_NAMES}.`);

/** The weights of words and vectors, as the reference names them. */
const hybridSearch = z
  .strictObject({ embedding_weight: weight, text_weight: weight })
  .refine(
    ({ embedding_weight: vectors, text_weight: words }) => vectors + words > 0,
    'must have a weight above 0.',
  );

/** `ranking_options` of a search; the tool of assistants has the same with a threshold that must be there. */
export const rankingOptions = z.strictObject({
  ranker: ranker.optional(),
  score_threshold: z.number().min(0).max(1).optional(),
  hybrid_search: hybridSearch.nullish(),
});
