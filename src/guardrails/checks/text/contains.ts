import { z } from 'zod';
import { defineCheck, type RunCheck } from '../../check.ts';
import { excerpt, failable, operatorParameter } from '../common.ts';
import { wordCut, wordFinder } from '../pattern/words.ts';

const parameters = z.strictObject({
  words: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(10_000)
    .describe('What to look for, anywhere in the text, upper and lower case apart.'),
  operator: operatorParameter('any').describe('How many of the words the text is to contain.'),
  ...failable,
});

/** The most words that a finding names. */
const MAX_NAMED = 20;

export const contains = defineCheck({
  id: 'default.contains',
  description: 'Passes when the text contains any, all or none of the words.',
  phases: ['input', 'output'],
  parameters,
  // That a word is missing shows only once the whole text is there.
  reach: ({ words, operator }) =>
    operator === 'none' ? Math.max(...words.map(({ length }) => length)) : null,
  cut: ({ words }) => wordCut(words),
  prepare({ words, operator }) {
    return operator === 'all' ? containsAll(words) : containsAny(words, operator);
  },
});

function containsAny(words: readonly string[], operator: 'any' | 'none'): RunCheck {
  const find = wordFinder(words);
  return ({ text }) => {
    const found = find(text, MAX_NAMED);
    const verdict = operator === 'any' ? found.length > 0 : found.length === 0;
    return { verdict, data: { operator, foundWords: found.map(excerpt) } };
  };
}

function containsAll(words: readonly string[]): RunCheck {
  return ({ text }) => {
    const missing = words.filter((word) => !text.includes(word));
    return {
      verdict: missing.length === 0,
      data: { operator: 'all', missingWords: missing.slice(0, MAX_NAMED).map(excerpt) },
    };
  };
}
