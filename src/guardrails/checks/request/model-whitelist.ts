import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { modelName } from './model-name.ts';

const parameters = z.strictObject({
  models: z.array(modelName).min(1).max(1_000).describe('The models that may be asked for.'),
  ...negatable,
  ...failable,
});

export const modelWhitelist = defineCheck({
  id: 'default.modelWhitelist',
  description: 'Passes when the request asks for one of the models.',
  phases: ['input'],
  readsCallOnly: true,
  parameters,
  prepare({ models, not }) {
    const allowed = new Set(models);
    return ({ call: { model } }) => ({
      verdict: (model !== null && allowed.has(model)) !== not,
      data: { model, not },
    });
  },
});
