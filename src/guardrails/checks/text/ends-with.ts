import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { excerpt, failable, negatable } from '../common.ts';

const parameters = z.strictObject({
  suffix: z.string().min(1).max(1_000).describe('What the text is to end with; a full stop may follow it.'),
  ...negatable,
  ...failable,
});

export const endsWith = defineCheck({
  id: 'default.endsWith',
  description: 'Passes when the text ends with the suffix, or with the suffix and a full stop.',
  phases: ['input', 'output'],
  parameters,
  prepare:
    ({ suffix, not }) =>
    ({ text }) => ({
      verdict: (text.endsWith(suffix) || text.endsWith(`${suffix}.`)) !== not,
      data: { suffix: excerpt(suffix), not },
    }),
});
