import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { excerpt, failable } from '../common.ts';
import { toolsOf } from './tools.ts';

const names = z.array(z.string().min(1).max(200)).max(500);
const values = z.array(z.json()).max(500);

const parameters = z.strictObject({
  tools: z
    .strictObject({
      allowedTypes: names.optional().describe('The types of tools that pass, no other.'),
      blockedTypes: names.optional().describe('The types of tools that fail.'),
      allowedFunctionNames: names.optional().describe('The functions that pass, no other.'),
      blockedFunctionNames: names.optional().describe('The functions that fail.'),
    })
    .optional()
    .describe('Which tools a request may offer to the model.'),
  params: z
    .strictObject({
      allowedKeys: names.optional().describe('The members of the body that pass, no other.'),
      blockedKeys: names.optional().describe('The members of the body that fail.'),
      values: z
        .record(
          z.string().max(200),
          z.strictObject({
            allowedValues: values.optional().describe('The values that pass, no other.'),
            blockedValues: values.optional().describe('The values that fail.'),
          }),
        )
        .optional()
        .describe('Which values members of the body may have.'),
    })
    .optional()
    .describe('What a request may say besides.'),
  ...failable,
});

/** Lists that bound what may be said. */
type Lists = { allowed?: readonly unknown[] | undefined; blocked?: readonly unknown[] | undefined };
type Aspect = 'type' | 'name' | 'key' | 'value';
type Violation = { reason: `${Aspect}_${'blocked' | 'not_allowed'}`; of: string };

/** The most violations that a finding names. */
const MAX_NAMED = 20;

export const requestParametersCheck = defineCheck({
  id: 'default.requestParametersCheck',
  aliases: ['default.requestParams'],
  description:
    'Passes when nothing in the request is blocked, and everything is allowed where there is such a list.',
  phases: ['input'],
  readsCallOnly: true,
  parameters,
  prepare({ tools = {}, params = {} }) {
    const types = { allowed: tools.allowedTypes, blocked: tools.blockedTypes };
    const functions = { allowed: tools.allowedFunctionNames, blocked: tools.blockedFunctionNames };
    const keys = { allowed: params.allowedKeys, blocked: params.blockedKeys };
    const ofValues = Object.entries(params.values ?? {}).map(
      ([key, lists]) =>
        [key, { allowed: texts(lists.allowedValues), blocked: texts(lists.blockedValues) }] as const,
    );
    return ({ call: { request } }) => {
      if (request === null) return { verdict: true, data: { violations: [] } };
      const offered = toolsOf(request);
      const found = [
        ...offered.flatMap(({ type }) => violation('type', type, types)),
        ...offered.flatMap(({ name }) => (name === null ? [] : violation('name', name, functions))),
        ...Object.keys(request).flatMap((key) => violation('key', key, keys)),
        ...ofValues.flatMap(([key, lists]) => violationsOfValue(request[key], key, lists)),
      ];
      return { verdict: found.length === 0, data: { violations: found.slice(0, MAX_NAMED) } };
    };
  },
});

/** Values as JSON, so that lists and objects are compared too. */
const texts = (of: readonly unknown[] | undefined) => of?.map((value) => JSON.stringify(value));

const violationsOfValue = (value: unknown, key: string, lists: Lists): Violation[] =>
  value === undefined
    ? []
    : violation('value', JSON.stringify(value), lists).map(({ reason }) => ({ reason, of: key }));

function violation(aspect: Aspect, value: string, { allowed, blocked }: Lists): Violation[] {
  if (blocked?.includes(value)) return [{ reason: `${aspect}_blocked`, of: excerpt(value) }];
  if (allowed && !allowed.includes(value)) return [{ reason: `${aspect}_not_allowed`, of: excerpt(value) }];
  return [];
}
