import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { countParameter, requireOrder } from './ranged.ts';

const parameters = z.strictObject({
  minCharacters: countParameter(0).describe('The fewest characters that pass.'),
  maxCharacters: countParameter(9_999_999).describe('The most characters that pass.'),
  ...negatable,
  ...failable,
});

export const characterCount = defineCheck({
  id: 'default.characterCount',
  description: 'Passes when the number of characters, in UTF-16 units, lies within the range.',
  phases: ['input', 'output'],
  parameters,
  prepare({ minCharacters, maxCharacters, not }) {
    requireOrder(['minCharacters', minCharacters], ['maxCharacters', maxCharacters]);
    return ({ text }) => {
      const characterCount = text.length;
      const isWithin = characterCount >= minCharacters && characterCount <= maxCharacters;
      return { verdict: isWithin !== not, data: { characterCount, minCharacters, maxCharacters, not } };
    };
  },
});
