import { z } from 'zod';
import type { KnowledgeResult } from '../../../knowledge/index.ts';
import type { GraphContext } from '../../context.ts';
import type { SearchVectorStoreInput } from '../../types.generated.ts';
import { requireWriter } from '../caller.ts';
import { attributeFilterOf, parsed } from '../members/index.ts';
import { requireUnexpired, writableVectorStore } from './find.ts';

const MAX_TEXT = 4096;
/** Results where none are asked for. */
const MOST_RESULTS = 10;
const text = z.string().trim().min(1).max(MAX_TEXT);
const texts = z.array(text).min(1).max(5);

const ranking = z.strictObject({
  ranker: z.enum(['none', 'auto', 'default-2024-11-15', 'default_2024_08_21']).default('auto'),
  score_threshold: z.number().min(0).max(1).default(0),
});

/** What a vector store has on a question. */
export async function searchVectorStore(context: GraphContext, id: string, input: SearchVectorStoreInput) {
  requireWriter(context);
  const asked = textsOf(input.query);
  const filter = attributeFilterOf(input.filters, 'input.filters');
  const { ranker, score_threshold: threshold } = parsed(
    ranking,
    input.rankingOptions ?? {},
    'input.rankingOptions',
  );
  const store = await writableVectorStore(context, id);
  requireUnexpired(context, store);
  const found = await context.knowledge.search([store], {
    texts: asked,
    filter,
    ranking: ranker === 'none' ? 'vectors' : 'hybrid',
    most: input.maxNumResults ?? MOST_RESULTS,
    threshold,
    headers: context.request.headers,
    signal: context.signal ?? new AbortController().signal,
  });
  return { searchQuery: asked, data: found.map(shown), hasMore: false, nextPage: null };
}

const textsOf = (query: unknown): string[] =>
  Array.isArray(query) ? parsed(texts, query, 'input.query') : [parsed(text, query, 'input.query')];

const shown = ({ fileId, filename, score, attributes, text: found }: KnowledgeResult) => ({
  fileId,
  filename,
  score,
  attributes,
  content: [{ text: found }],
});
