import { z } from 'zod';
import { listOf, objectOf } from '../answers.ts';
import { defineWebSearch, domains } from './web-search.ts';

export const exa = defineWebSearch({
  id: 'exa.online',
  description: 'Puts what Exa finds on the web behind the question. Passes.',
  shape: {
    numResults: z.int().min(1).max(20).default(5).describe('The most pages that are looked for.'),
    includeDomains: domains('Where to look; everywhere where it is absent.'),
    excludeDomains: domains('Where to look for nothing.'),
  },
  maxQuestion: 2_000,
  request: (query, { apiKey, numResults, includeDomains, excludeDomains }) => ({
    url: 'https://api.exa.ai/search',
    headers: { 'x-api-key': apiKey },
    body: { query, numResults, includeDomains, excludeDomains, contents: { text: { maxCharacters: 4_000 } } },
  }),
  pages: (answer) =>
    listOf(objectOf(answer).results, 'results').map(({ title, url, text }) => ({
      title: String(title ?? ''),
      url: String(url ?? ''),
      text: String(text ?? ''),
    })),
});
