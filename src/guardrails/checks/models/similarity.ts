import { z } from 'zod';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { timeoutParameter } from '../remote/common.ts';
import { modelAnswer } from './model-answer.ts';

const parameters = z.strictObject({
  references: z
    .array(z.string().min(1).max(8_000))
    .min(1)
    .max(50)
    .describe('Texts with which the checked one is compared; the nearest counts.'),
  model: z
    .string()
    .min(1)
    .max(200)
    .describe('The model of embeddings, `@slug/model` for one of a provider of the workspace.'),
  threshold: z
    .number()
    .min(-1)
    .max(1)
    .default(0.8)
    .describe('The least cosine with a reference that passes.'),
  ...negatable,
  timeout: timeoutParameter(5_000),
  ...failable,
});

export const similarity = defineCheck({
  id: 'gateway.similarity',
  description: 'Passes when the text means much the same as one of the references.',
  phases: ['input', 'output'],
  isRemote: true,
  parameters,
  timeoutMs: ({ timeout }) => timeout,
  prepare:
    ({ references, model, threshold, not, timeout: timeoutMs }) =>
    async ({ call, text, signal }, services) => {
      if (text.trim() === '') throw new Error('There is no text to compare.');
      const body = { model, input: [text, ...references], encoding_format: 'float' };
      const asked = await services.callModel(call, { path: '/embeddings', body, timeoutMs, signal });
      const [own, ...others] = vectorsOf(modelAnswer('The model of embeddings', asked), body.input.length);
      const score = Math.max(...others.map((other) => cosine(own ?? [], other)));
      const data = { score: Math.round(score * 1_000) / 1_000, threshold, not };
      return { verdict: score >= threshold !== not, data };
    },
});

/** The vectors of an answer in the order of the texts. */
function vectorsOf({ data }: JsonObject, texts: number): number[][] {
  const items = Array.isArray(data) ? data.filter(isObject) : [];
  const vectors = items
    .sort((one, other) => Number(one.index) - Number(other.index))
    .flatMap(({ embedding }) => (Array.isArray(embedding) ? [embedding.map(Number)] : []));
  const length = vectors[0]?.length ?? 0;
  const isSound =
    length > 0 && vectors.length === texts && vectors.every((vector) => vector.length === length);
  if (!isSound) throw new Error('The model of embeddings answered no vector for each text.');
  return vectors;
}

function cosine(one: readonly number[], other: readonly number[]): number {
  let product = 0;
  let ofOne = 0;
  let ofOther = 0;
  for (const [index, value] of one.entries()) {
    const counterpart = other[index] ?? 0;
    product += value * counterpart;
    ofOne += value * value;
    ofOther += counterpart * counterpart;
  }
  const length = Math.sqrt(ofOne * ofOther);
  return length === 0 ? 0 : product / length;
}
