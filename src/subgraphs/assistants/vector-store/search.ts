import { z } from 'zod';
import { type KnowledgeResult, rankingOf } from '../../../knowledge/index.ts';
import type { GraphContext } from '../../context.ts';
import type { SearchVectorStoreInput } from '../../types.generated.ts';
import { requireWriter } from '../caller.ts';
import { attributeFilterOf, parsed, rankingOptions } from '../members/index.ts';
import { requireUnexpired, writableVectorStore } from './find.ts';

const MAX_TEXT = 4096;
/** Results where none are asked for. */
const MOST_RESULTS = 10;
const text = z.string().trim().min(1).max(MAX_TEXT);
const severalTexts = z.array(text).min(1).max(5);

/** What a vector store has on a question. */
export async function searchVectorStore(context: GraphContext, id: string, input: SearchVectorStoreInput) {
  requireWriter(context);
  const asked = textsOf(input.query);
  const filter = attributeFilterOf(input.filters, 'input.filters');
  const options = parsed(rankingOptions, input.rankingOptions ?? {}, 'input.rankingOptions');
  const store = await writableVectorStore(context, id);
  requireUnexpired(context, store);
  const { headers } = context.request;
  const signal = context.signal ?? new AbortController().signal;
  const texts = input.rewriteQuery ? await context.knowledge.rewritten(asked, headers, signal) : asked;
  const found = await context.knowledge.search([store], {
    texts,
    filter,
    ranking: rankingOf(options),
    most: input.maxNumResults ?? MOST_RESULTS,
    threshold: options.score_threshold ?? 0,
    headers,
    signal,
  });
  return { searchQuery: texts, data: found.map(shown), hasMore: false, nextPage: null };
}

const textsOf = (query: unknown): string[] =>
  Array.isArray(query) ? parsed(severalTexts, query, 'input.query') : [parsed(text, query, 'input.query')];

const shown = ({ fileId, filename, score, attributes, text: found }: KnowledgeResult) => ({
  fileId,
  filename,
  score,
  attributes,
  content: [{ text: found }],
});
