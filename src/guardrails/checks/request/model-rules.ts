import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { modelName } from './model-name.ts';

const models = z.array(modelName).max(1_000);

const parameters = z.strictObject({
  rules: z
    .strictObject({
      defaults: models.default([]).describe('The models of calls to which no other list applies.'),
      metadata: z
        .record(z.string().max(128), z.record(z.string().max(512), models))
        .default({})
        .describe('Lists of models by the key and the value of metadata; all that apply are taken together.'),
    })
    .describe('Which models may be asked for; `*` is any.'),
  ...negatable,
  ...failable,
});

export const modelRules = defineCheck({
  id: 'default.modelRules',
  description: 'Passes when the rules for the metadata of the call allow the model.',
  phases: ['input'],
  readsCallOnly: true,
  parameters,
  prepare({ rules: { defaults, metadata }, not }) {
    const rules = Object.entries(metadata).map(
      ([key, lists]) => [key, new Map(Object.entries(lists))] as const,
    );
    return ({ call }) => {
      const matched = rules.flatMap(([key, lists]) => lists.get(call.metadata[key] ?? '') ?? []);
      const allowed = matched.length > 0 ? matched : defaults;
      if (allowed.length === 0)
        throw new Error('No rule applies to the metadata of the call, and there are no defaults.');
      const isAllowed = allowed.includes('*') || (call.model !== null && allowed.includes(call.model));
      return { verdict: isAllowed !== not, data: { model: call.model, not } };
    };
  },
});
