import { createHash } from 'node:crypto';
import { BadRequest } from './bad-request.ts';
import { countTokens } from './content.ts';

const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 4096;
const MAX_INPUTS = 2048;

/** A unit vector a text: equal texts have equal vectors, different texts almost orthogonal ones. */
export function embeddings(body: Record<string, unknown>) {
  const inputs = inputsOf(body.input);
  const dimensions = dimensionsOf(body.dimensions);
  const asBase64 = body.encoding_format === 'base64';
  const tokens = inputs.reduce((sum, text) => sum + countTokens(text), 0);
  return {
    object: 'list',
    data: inputs.map((text, index) => {
      const vector = vectorOf(text, dimensions);
      return {
        object: 'embedding',
        index,
        embedding: asBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector],
      };
    }),
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Texts, or lists of token numbers, which are told apart like words. */
function inputsOf(input: unknown): string[] {
  const inputs = Array.isArray(input) && !isTokens(input) ? input : [input];
  const texts = inputs.map((item) => (isTokens(item) ? item.join(' ') : item));
  if (texts.length === 0 || texts.length > MAX_INPUTS || !texts.every((text) => typeof text === 'string')) {
    throw new BadRequest(
      'input',
      `must be a text, a list of tokens, or an array of 1 to ${MAX_INPUTS} of them.`,
    );
  }
  return texts;
}

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);

function dimensionsOf(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_DIMENSIONS;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_DIMENSIONS) {
    throw new BadRequest('dimensions', `must be a whole number from 1 to ${MAX_DIMENSIONS}.`);
  }
  return value;
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const bytes = createHash('shake256', { outputLength: dimensions * 2 })
    .update(text)
    .digest();
  const raw = Float32Array.from({ length: dimensions }, (_, index) => bytes.readInt16LE(index * 2) + 0.5);
  const norm = Math.hypot(...raw);
  return raw.map((value) => value / norm);
}
