import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import { defineCheck } from '../../check.ts';
import { failable } from '../common.ts';
import { timeoutParameter } from '../remote/common.ts';
import { modelAnswer } from './model-answer.ts';

const categories = [
  ...['hate', 'hate/threatening', 'harassment', 'harassment/threatening'],
  ...['self-harm', 'self-harm/intent', 'self-harm/instructions', 'sexual', 'sexual/minors'],
  ...['violence', 'violence/graphic'],
] as const;

const parameters = z.strictObject({
  categories: z.array(z.enum(categories)).min(1).max(categories.length).describe('What makes a text fail.'),
  model: z
    .string()
    .min(1)
    .max(200)
    .default('omni-moderation-latest')
    .describe('The model of moderation, `@slug/model` for one of a provider of the workspace.'),
  timeout: timeoutParameter(5_000),
  ...failable,
});

export const moderateContent = defineCheck({
  id: 'gateway.moderateContent',
  description: 'Passes when a model of moderation finds none of the categories in the text.',
  phases: ['input', 'output'],
  isRemote: true,
  judgesPieces: true,
  parameters,
  timeoutMs: ({ timeout }) => timeout,
  prepare:
    ({ categories: wanted, model, timeout: timeoutMs }) =>
    async ({ call, text, signal }, services) => {
      if (text.trim() === '') return { verdict: true, data: { flagged: [] } };
      const request = { path: '/moderations', body: { model, input: text }, timeoutMs, signal };
      const answer = modelAnswer('The moderation', await services.callModel(call, request));
      const results = Array.isArray(answer.results) ? answer.results.filter(isObject) : [];
      if (results.length === 0) throw new Error('The moderation answered no results.');
      const flagged = wanted.filter((category) => results.some((result) => isFlagged(result, category)));
      return { verdict: flagged.length === 0, data: { flagged } };
    },
});

const isFlagged = ({ categories: found }: Record<string, unknown>, category: string): boolean =>
  isObject(found) && found[category] === true;
