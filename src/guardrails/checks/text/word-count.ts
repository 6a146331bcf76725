import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { countParameter, requireOrder } from './ranged.ts';

const parameters = z.strictObject({
  minWords: countParameter(0).describe('The fewest words that pass.'),
  maxWords: countParameter(99_999).describe('The most words that pass.'),
  ...negatable,
  ...failable,
});

export const wordCount = defineCheck({
  id: 'default.wordCount',
  description: 'Passes when the number of words, parted by white space, lies within the range.',
  phases: ['input', 'output'],
  parameters,
  prepare({ minWords, maxWords, not }) {
    requireOrder(['minWords', minWords], ['maxWords', maxWords]);
    return ({ text }) => {
      const wordCount = wordsOf(text);
      const isWithin = wordCount >= minWords && wordCount <= maxWords;
      return { verdict: isWithin !== not, data: { wordCount, minWords, maxWords, not } };
    };
  },
});

function wordsOf(text: string): number {
  let count = 0;
  const word = /\S+/g;
  while (word.test(text)) count += 1;
  return count;
}
