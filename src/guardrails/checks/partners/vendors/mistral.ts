import { z } from 'zod';
import { listOf, objectOf, trueKeys } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, name } from '../shapes.ts';

const categories = [
  ...['sexual', 'hate_and_discrimination', 'violence_and_threats', 'dangerous_and_criminal_content'],
  ...['selfharm', 'health', 'financial', 'law', 'pii'],
] as const;

export const mistralModeration = definePartner({
  id: 'mistral.moderateContent',
  description: 'Passes when the moderation of Mistral finds none of the categories.',
  phases: ['input', 'output'],
  shape: {
    apiKey,
    model: name('The model of moderation.').default('mistral-moderation-latest'),
    categories: z.array(z.enum(categories)).min(1).max(categories.length).describe('What makes a text fail.'),
  },
  request: ({ text, parameters: { apiKey: key, model } }) => ({
    url: 'https://api.mistral.ai/v1/moderations',
    headers: { authorization: `Bearer ${key}` },
    body: { model, input: [text] },
  }),
  verdict(answer, { parameters }) {
    const wanted = new Set<string>(parameters.categories);
    const [result] = listOf(objectOf(answer).results, 'results');
    const reasons = trueKeys(objectOf(objectOf(result, 'result').categories, 'categories')).filter((one) =>
      wanted.has(one),
    );
    return { passes: reasons.length === 0, reasons };
  },
});
