import type { JsonObject } from '../../lib/json.ts';
import { type InputSide, inputSide } from './input-side.ts';
import { type OutputSide, outputSide, writes } from './output-side.ts';
import type { Tariff } from './tariff.ts';

/** A request as it goes out, in the caller's format. */
export type AskedCall = {
  endpoint: string;
  /** Null for a body that the gateway does not read. */
  value: JsonObject | null;
  /** Of the body; null where that is not known. */
  bytes: number | null;
};

/**
 * What a call can come to. `bounded`: no more than that, if the provider obeys its own rules; `estimated`: a guess, since it
 * uses what the gateway does not see; `unmetered`: nobody will say what it used.
 */
export type CallBound = {
  class: 'bounded' | 'estimated' | 'unmetered';
  input: InputSide;
  output: OutputSide;
  /** Whether a model writes text, so that a cap means something. */
  writes: boolean;
  images: number;
};

const NO_INPUT: InputSide = { most: 0, likely: 0, isCertain: true };
const NO_OUTPUT: OutputSide = { choices: 1, cap: 0, beside: 0 };

/** Endpoints that answer with numbers or verdicts, and write nothing. */
const silent: ReadonlySet<string> = new Set(['embed', 'moderate', 'rerank', 'countTokens']);
/** Endpoints that make something else than text, and the tokens that one such thing is. */
const makes: Readonly<Partial<Record<string, number>>> = {
  imageGenerate: 6500,
  imageEdit: 6500,
  imageVariation: 6500,
  createSpeech: 4000,
  createTranscription: 2000,
  createTranslation: 2000,
  ocr: 0,
};
/** Bytes of a file that count for a token: a guess. */
const FILE_BYTES_OF_A_TOKEN = 16;

export function boundOf({ endpoint, value, bytes }: AskedCall): CallBound {
  const made = makes[endpoint];
  if (value === null || bytes === null) {
    if (made === undefined)
      return { class: 'unmetered', input: NO_INPUT, output: NO_OUTPUT, writes: false, images: 0 };
    const most = Math.ceil((bytes ?? 0) / FILE_BYTES_OF_A_TOKEN);
    const input = { most, likely: most, isCertain: false };
    return { class: 'estimated', input, output: { ...NO_OUTPUT, cap: made }, writes: false, images: 1 };
  }
  const input = inputSide(value, bytes);
  if (silent.has(endpoint))
    return { class: classOf(input), input, output: NO_OUTPUT, writes: false, images: 0 };
  const output = outputSide(value);
  if (made !== undefined)
    return {
      class: 'estimated',
      input,
      output: { ...output, cap: made },
      writes: false,
      images: output.choices,
    };
  // On paths that are passed on, nothing is known of a body that names no model.
  if (!writes(endpoint) && output.cap === null && typeof value.model !== 'string')
    return { class: 'unmetered', input, output: NO_OUTPUT, writes: false, images: 0 };
  return { class: classOf(input), input, output, writes: true, images: 0 };
}

const classOf = ({ isCertain }: InputSide): CallBound['class'] => (isCertain ? 'bounded' : 'estimated');

/** Tokens of input and output together, under a cap for each answer. */
export const mostTokens = ({ input, output }: CallBound, cap: number): number =>
  input.most + output.choices * cap + output.beside;

/** Nanodollars for a number of tokens, at the dearest price that their number can lead to; rounded up. */
export function mostCost({ input, output, images }: CallBound, tariff: Tariff, cap: number): number {
  const written = output.choices * cap + output.beside;
  return costAt(tariff, input.most, written) + Math.ceil(images * tariff.image);
}

export function costAt({ steps, fee }: Tariff, input: number, output: number): number {
  let most = 0;
  for (const step of steps)
    if (input > step.above) most = Math.max(most, input * step.input + output * step.output);
  return Math.ceil(most + fee);
}

/** The largest cap under which the call comes to no more than `tokens`; negative where not even its input fits. */
export const capForTokens = ({ input, output }: CallBound, tokens: number): number =>
  Math.floor((tokens - input.most - output.beside) / output.choices);

/** The same for nanodollars. Infinite where writing costs nothing. */
export function capForCost(
  { input, output, images }: CallBound,
  tariff: Tariff,
  nanodollars: number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (const step of tariff.steps) {
    if (input.most <= step.above) continue;
    const left = nanodollars - tariff.fee - images * tariff.image - input.most * step.input - 1;
    if (left < 0) return -1;
    if (step.output > 0) least = Math.min(least, (left / step.output - output.beside) / output.choices);
  }
  return Math.floor(least);
}
