import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';

const parameters = z.strictObject({
  minWords: z.int().min(0).max(9_999_999).default(0).describe('The fewest words that pass.'),
  maxWords: z.int().min(0).max(9_999_999).default(99_999).describe('The most words that pass.'),
  ...negatable,
  ...failable,
});

export const wordCount = defineCheck({
  id: 'default.wordCount',
  description: 'Passes when the number of words, parted by white space, lies within the range.',
  phases: ['input', 'output'],
  parameters,
  prepare({ minWords, maxWords, not }) {
    if (minWords > maxWords) throw new Error('minWords must not be above maxWords');
    return ({ text }) => {
      const wordCount = text.match(/\S+/g)?.length ?? 0;
      const isWithin = wordCount >= minWords && wordCount <= maxWords;
      return { verdict: isWithin !== not, data: { wordCount, minWords, maxWords, not } };
    };
  },
});
