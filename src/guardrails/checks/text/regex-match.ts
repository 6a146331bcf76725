import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { excerpt, failable, negatable } from '../common.ts';
import { reachOf } from '../pattern/reach.ts';
import { compilePattern, patternParameter } from '../pattern/user-pattern.ts';

const parameters = z.strictObject({
  rule: patternParameter().describe('The pattern to look for, as RE2 has them.'),
  ...negatable,
  ...failable,
});

export const regexMatch = defineCheck({
  id: 'default.regexMatch',
  description: 'Passes when the pattern is found in the text. An empty text is an error.',
  phases: ['input', 'output'],
  parameters,
  // That a pattern is missing shows only once the whole text is there.
  reach: ({ rule, not }) => (not ? reachOf(compilePattern(rule)) : null),
  prepare({ rule, not }) {
    const pattern = compilePattern(rule);
    return ({ text }) => {
      if (text === '') throw new Error('There is no text to match.');
      const matcher = pattern.matcher(text);
      const isFound = matcher.find();
      const found = isFound
        ? { matchedText: excerpt(matcher.group() ?? ''), matchIndex: matcher.start() }
        : null;
      return { verdict: isFound !== not, data: { regexPattern: excerpt(rule), not, matchDetails: found } };
    };
  },
});
