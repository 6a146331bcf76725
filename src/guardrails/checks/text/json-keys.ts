import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import { defineCheck } from '../../check.ts';
import { failable, holds, operatorParameter } from '../common.ts';
import { jsonIn } from './json-in-text.ts';

const parameters = z.strictObject({
  keys: z.array(z.string().min(1).max(200)).min(1).max(200).describe('Keys of a JSON object.'),
  operator: operatorParameter('any').describe('How many of the keys one object of the answer is to have.'),
  ...failable,
});

export const jsonKeys = defineCheck({
  id: 'default.jsonKeys',
  description: 'Passes when a JSON object of the answer has any, all or none of the keys.',
  phases: ['output'],
  parameters,
  prepare({ keys, operator }) {
    const wanted = [...new Set(keys)];
    return ({ text }) => {
      const findings = [...jsonIn(text)].filter(isObject).map((object) => {
        const presentKeys = wanted.filter((key) => Object.hasOwn(object, key));
        return { presentKeys, verdict: holds(operator, presentKeys.length, wanted.length) };
      });
      const shown = findings.find(({ verdict }) => verdict) ?? findings[0];
      if (shown === undefined)
        return { verdict: false, data: { operator, explanation: 'There is no JSON object.' } };
      return { verdict: shown.verdict, data: { operator, presentKeys: shown.presentKeys } };
    };
  },
});
