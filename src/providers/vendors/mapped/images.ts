import { invalidInput } from '../../../errors/index.ts';
import { bearer, keyIn } from '../../credentials/keys.ts';
import { stabilityKey } from '../../credentials/stability-key.ts';
import { imagesOf, type Mapping, mapped, type Reply } from '../../kinds/mapped/index.ts';
import {
  type MappedFields,
  type Parameter,
  parametersOf,
  promptOf,
  sizeOf,
} from '../../kinds/mapped/parameters.ts';
import { requireInPath } from '../../kinds/model-in-path.ts';

const prompt: Parameter = { to: 'prompt', required: true, transform: promptOf };

/** There is nowhere to fetch an image from. */
function requireData({ response_format: format }: MappedFields): void {
  if (format === 'url') throw invalidInput('response_format', 'This provider gives images as b64_json only.');
}

function requireOne({ n }: MappedFields): void {
  if (n !== undefined && n !== null && n !== 1)
    throw invalidInput('n', 'This provider makes one image a request.');
}

/** An image that is the whole answer, or in base64 in its JSON. */
const imageOf = ({ json, type, bytes }: Reply): unknown =>
  type.startsWith('image/') ? bytes.toString('base64') : json.image;

const isVersion2 = (model: string): boolean => /^(?:stable-image-|sd3)/.test(model);

/** `stable-image-core`, `stable-image-ultra` and `sd3…` take a form; earlier engines JSON. */
const stability: Mapping = {
  path(model) {
    if (!isVersion2(model)) return `/v1/generation/${requireInPath(model)}/text-to-image`;
    const kind = /^stable-image-(core|ultra)$/.exec(model)?.[1] ?? 'sd3';
    return `/v2beta/stable-image/generate/${kind}`;
  },
  request(body, model) {
    requireData(body);
    return isVersion2(model) ? formOf(body, model) : engineRequest(body);
  },
  answer(reply) {
    const { artifacts } = reply.json;
    if (!Array.isArray(artifacts)) return imagesOf([imageOf(reply)]);
    return imagesOf(artifacts.map((artifact: { base64?: unknown } | null) => artifact?.base64));
  },
};

function engineRequest(body: MappedFields): MappedFields {
  const { text, ...rest } = parametersOf(body, {
    prompt: { ...prompt, to: 'text' },
    n: { to: 'samples', min: 1, max: 10 },
    seed: { to: 'seed', min: 0, max: 4_294_967_295 },
    steps: { to: 'steps', min: 10, max: 50 },
    cfg_scale: { to: 'cfg_scale', min: 0, max: 35 },
    style: { to: 'style_preset', transform: styleOf },
  });
  return { text_prompts: [{ text, weight: 1 }], ...rest, ...sizes(body, 'width', 'height') };
}

function formOf(body: MappedFields, model: string): FormData {
  requireOne(body);
  const form = new FormData();
  const fields = parametersOf(body, {
    prompt,
    negative_prompt: { to: 'negative_prompt' },
    seed: { to: 'seed', min: 0, max: 4_294_967_294 },
    aspect_ratio: { to: 'aspect_ratio' },
    style: { to: 'style_preset', transform: styleOf },
    output_format: { to: 'output_format', default: 'png' },
  });
  if (model.startsWith('sd3')) fields.model = model;
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return form;
}

/** OpenAI's own styles mean nothing elsewhere. */
const styleOf = (style: unknown) => (style === 'vivid' || style === 'natural' ? undefined : style);

function sizes(body: MappedFields, width: string, height: string): MappedFields {
  if (body.size === undefined || body.size === null || body.size === 'auto') return {};
  const [across, down] = sizeOf(body.size);
  return { [width]: across, [height]: down };
}

const segmindImages: Mapping = {
  path: (model) => `/${requireInPath(model)}`,
  request(body) {
    requireData(body);
    requireOne(body);
    const fields = parametersOf(body, {
      prompt,
      negative_prompt: { to: 'negative_prompt' },
      steps: { to: 'num_inference_steps', min: 1, max: 100 },
      guidance_scale: { to: 'guidance_scale', min: 1, max: 25 },
      seed: { to: 'seed' },
      style: { to: 'style', transform: styleOf },
    });
    return { ...fields, ...sizes(body, 'img_width', 'img_height'), base64: true };
  },
  answer: (reply) => imagesOf([imageOf(reply)]),
};

/** Cloudflare's models answer with the image itself, or with its base64 in `result`. */
const workersAiImages: Mapping = {
  path: (model) => `/run/${workersAiModel(model)}`,
  request(body) {
    requireData(body);
    requireOne(body);
    const fields = parametersOf(body, {
      prompt,
      negative_prompt: { to: 'negative_prompt' },
      steps: { to: 'num_steps', min: 1, max: 20 },
      seed: { to: 'seed' },
      guidance: { to: 'guidance' },
    });
    return { ...fields, ...sizes(body, 'width', 'height') };
  },
  answer: (reply) => {
    const { result } = reply.json as { result?: { image?: unknown } };
    return imagesOf([result ? result.image : imageOf(reply)]);
  },
};

/** Their names begin with `@cf/` or `@hf/`, which the gateway may have read as a provider's slug. */
export const workersAiModel = (model: string): string =>
  requireInPath(model.startsWith('@') ? model : `@cf/${model}`);

export const stabilityAi = mapped('stability-ai', stabilityKey, stability);
export const segmind = mapped('segmind', keyIn('x-api-key'), segmindImages);
export const workersAi = mapped('workers-ai', bearer, workersAiImages);
