import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable } from '../common.ts';
import { injectionSigns } from './signs/index.ts';

const parameters = z.strictObject({
  threshold: z
    .number()
    .min(0.1)
    .max(1)
    .default(0.6)
    .describe('The score from which a text fails, from 0 to 1.'),
  ...failable,
});

/** Passages of tools and documents have no business to give orders: what is a sign elsewhere is a strong one there. */
const UNTRUSTED = 1.25;

export const promptInjection = defineCheck({
  id: 'gateway.promptInjectionHeuristic',
  description:
    'Passes when the text has few signs of an attack on the model. A heuristic: it knows common wordings and misses others.',
  phases: ['input', 'output'],
  parameters,
  detects: () => true,
  prepare:
    ({ threshold }) =>
    ({ segments }) => {
      let worst: Judged = { score: 0, signs: [] };
      for (const { text, kind } of segments) {
        // The system prompt is the one place where orders belong.
        if (kind === 'system') continue;
        const judged = judge(text, kind === 'tool_result' ? UNTRUSTED : 1);
        if (judged.score > worst.score) worst = judged;
      }
      return { verdict: worst.score < threshold, data: { ...worst, threshold, heuristic: true } };
    },
});

type Judged = { score: number; signs: string[] };

/** Signs are taken as independent: what is left of doubt is multiplied. */
function judge(text: string, factor: number): Judged {
  const weights = new Map<string, number>();
  const has = new Map<RegExp, boolean>();
  const mayMatch = (needs: RegExp): boolean => {
    const known = has.get(needs) ?? needs.test(text);
    has.set(needs, known);
    return known;
  };
  for (const { name, weight, pattern, needs } of injectionSigns) {
    if ((needs === undefined || mayMatch(needs)) && pattern.test(text))
      weights.set(name, Math.max(weights.get(name) ?? 0, Math.min(1, weight * factor)));
  }
  const doubt = [...weights.values()].reduce((left, weight) => left * (1 - weight), 1);
  return { score: Math.round((1 - doubt) * 100) / 100, signs: [...weights.keys()] };
}
