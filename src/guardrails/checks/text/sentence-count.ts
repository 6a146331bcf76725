import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { countParameter, requireOrder } from './ranged.ts';

const parameters = z.strictObject({
  minSentences: countParameter(0).describe('The fewest sentences that pass.'),
  maxSentences: countParameter(99_999).describe('The most sentences that pass.'),
  ...negatable,
  ...failable,
});

export const sentenceCount = defineCheck({
  id: 'default.sentenceCount',
  description:
    'Passes when the number of full stops, exclamation marks and question marks lies within the range.',
  phases: ['input', 'output'],
  parameters,
  prepare({ minSentences, maxSentences, not }) {
    requireOrder(['minSentences', minSentences], ['maxSentences', maxSentences]);
    return ({ text }) => {
      const sentenceCount = text.match(/[.!?]/g)?.length ?? 0;
      const isWithin = sentenceCount >= minSentences && sentenceCount <= maxSentences;
      return { verdict: isWithin !== not, data: { sentenceCount, minSentences, maxSentences, not } };
    };
  },
});
