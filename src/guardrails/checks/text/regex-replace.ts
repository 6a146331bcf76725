import { z } from 'zod';
import { defineCheck, type TextEdit } from '../../check.ts';
import { excerpt, failable } from '../common.ts';
import { reachOf } from '../pattern/reach.ts';
import { compilePattern, matchesOf, patternParameter } from '../pattern/user-pattern.ts';

const delimited = { isDelimited: true };

const parameters = z.strictObject({
  rule: patternParameter(delimited).describe(
    'The pattern to replace, as RE2 has them: the bare pattern, or /pattern/flags with the flags i, m and s.',
  ),
  redactText: z
    .string()
    .max(1_000)
    .default('[REDACTED]')
    .describe('What takes the place of each match, character by character as it stands here.'),
  failOnDetection: z.boolean().default(false).describe('Whether a match is a failure.'),
  ...failable,
});

export const regexReplace = defineCheck({
  id: 'default.regexReplace',
  description: 'Replaces what matches the pattern. Passes, unless a match is to be a failure.',
  phases: ['input', 'output'],
  parameters,
  edits: () => true,
  reach: ({ rule }) => reachOf(compilePattern(rule, delimited)),
  prepare({ rule, redactText, failOnDetection }) {
    const pattern = compilePattern(rule, delimited);
    return ({ segments }) => {
      const edits: TextEdit[] = segments.flatMap((segment) =>
        [...matchesOf(pattern, segment.text)].map((place) => ({
          segment,
          ...place,
          replacement: redactText,
        })),
      );
      return {
        verdict: !(failOnDetection && edits.length > 0),
        data: { regexPattern: excerpt(rule), matchCount: edits.length },
        edits,
      };
    };
  },
});
