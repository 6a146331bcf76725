import { z } from 'zod';
import { listOf, objectOf } from '../answers.ts';
import { defineWebSearch, domains, type FoundPage } from './web-search.ts';

const day = (meaning: string) => z.iso.date().optional().describe(meaning);

export const tavily = defineWebSearch({
  id: 'tavily',
  description: 'Puts what Tavily finds on the web behind the question. Passes.',
  shape: {
    maxResults: z.int().min(1).max(20).default(5).describe('The most pages that are looked for.'),
    searchDepth: z
      .enum(['advanced', 'basic', 'fast', 'ultra-fast'])
      .optional()
      .describe('What counts more, what is found or how soon.'),
    topic: z.enum(['general', 'news', 'finance']).optional().describe('What the question is about.'),
    timeRange: z
      .enum(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'])
      .optional()
      .describe('How old pages may be.'),
    startDate: day('The earliest day of a page, such as `2026-01-31`.'),
    endDate: day('The latest day of a page.'),
    includeAnswer: z
      .union([z.boolean(), z.enum(['basic', 'advanced'])])
      .default(false)
      .describe('Whether an answer of the search engine stands before the pages.'),
    includeDomains: domains('Where to look; everywhere where it is absent.'),
    excludeDomains: domains('Where to look for nothing.'),
    country: z.string().min(1).max(100).optional().describe('The country whose pages count more.'),
  },
  maxQuestion: 400,
  request: (query, { apiKey, ...wanted }) => ({
    url: 'https://api.tavily.com/search',
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      query,
      max_results: wanted.maxResults,
      search_depth: wanted.searchDepth,
      topic: wanted.topic,
      time_range: wanted.timeRange,
      start_date: wanted.startDate,
      end_date: wanted.endDate,
      include_answer: wanted.includeAnswer,
      include_domains: wanted.includeDomains,
      exclude_domains: wanted.excludeDomains,
      country: wanted.country,
    },
  }),
  pages(answer) {
    const { results, answer: summary } = objectOf(answer);
    const pages: FoundPage[] = listOf(results, 'results').map(({ title, url, content }) => ({
      title: String(title ?? ''),
      url: String(url ?? ''),
      text: String(content ?? ''),
    }));
    return typeof summary === 'string' && summary !== ''
      ? [{ title: 'Answer', url: 'tavily.com', text: summary }, ...pages]
      : pages;
  },
});
