import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { timeoutParameter } from '../remote/common.ts';
import { detector } from './detector.ts';
import { languageCodes } from './languages.ts';

const codes = Object.values(languageCodes).flat();
const code = z.enum(codes as [string, ...string[]]);

const parameters = z.strictObject({
  language: z
    .union([code, z.array(code).min(1).max(codes.length)])
    .describe('The languages that pass, such as `eng_Latn`.'),
  ...negatable,
  timeout: timeoutParameter(5_000),
  ...failable,
});

export const language = defineCheck({
  id: 'gateway.language',
  description: 'Passes when the text is in one of the languages. A text without words is an error.',
  phases: ['input', 'output'],
  parameters,
  timeoutMs: ({ timeout }) => timeout,
  prepare({ language: wanted, not }) {
    const allowed = new Set([wanted].flat());
    return async ({ text }) => {
      const detect = await detector();
      const { language: found, score } = detect(text);
      const [first, ...others] = languageCodes[found] ?? [];
      if (first === undefined) throw new Error('The text has too few words to tell its language.');
      const isAllowed = [first, ...others].some((one) => allowed.has(one));
      return { verdict: isAllowed !== not, data: { detected: first, score: rounded(score), not } };
    };
  },
});

const rounded = (score: number): number => Math.round(score * 100) / 100;
