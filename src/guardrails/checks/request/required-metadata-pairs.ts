import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, holds, operatorParameter } from '../common.ts';
import { matchTypeParameter, patternProblem, valueMatch, wantedValues } from '../pattern/value-match.ts';

const parameters = z
  .strictObject({
    metadataPairs: z
      .record(z.string().min(1).max(128), wantedValues)
      .refine((pairs) => Object.keys(pairs).length > 0, 'there has to be a pair')
      .refine((pairs) => Object.keys(pairs).length <= 100, 'there are at most 100 pairs')
      .describe('What values keys of metadata are to have.'),
    operator: operatorParameter('all').describe('How many of the pairs the metadata is to have.'),
    matchType: matchTypeParameter,
    ...failable,
  })
  .superRefine(({ metadataPairs, matchType }, context) => {
    if (matchType !== 'regex') return;
    for (const [key, wanted] of Object.entries(metadataPairs)) {
      const message = patternProblem(wanted);
      if (message !== null) context.addIssue({ code: 'custom', path: ['metadataPairs', key], message });
    }
  });

export const requiredMetadataKeyValuePairs = defineCheck({
  id: 'default.requiredMetadataKeyValuePairs',
  aliases: ['default.requiredMetadataKeyPairs'],
  description: 'Passes when the metadata of the call has all, any or none of the pairs of a key and a value.',
  phases: ['input'],
  readsCallOnly: true,
  parameters,
  prepare({ metadataPairs, operator, matchType }) {
    const pairs = Object.entries(metadataPairs).map(
      ([key, wanted]) => [key, valueMatch(wanted, matchType)] as const,
    );
    return ({ call }) => {
      const matched = pairs.filter(([key, matches]) => {
        const value = call.metadata[key];
        return typeof value === 'string' && matches([value]);
      });
      const matchedKeys = matched.map(([key]) => key);
      return {
        verdict: holds(operator, matched.length, pairs.length),
        data: { operator, matchType, matchedKeys },
      };
    };
  },
});
