import type { ImageModelV4, ImageModelV4CallOptions, ImageModelV4Result } from '@ai-sdk/provider';
import { jsonAnswer } from '../../answer.ts';
import { passedOn } from './answer/headers.ts';
import { dialectOf, type SdkProvider } from './dialect.ts';
import { isCount, isText, isWhole, optional, RequestProblem } from './fields.ts';

const MAX_IMAGES = 10;

/** OpenAI's image generation; the images come in the answer, since there is nowhere to fetch them from. */
export const imagesDialect = (vendor: SdkProvider) =>
  dialectOf(vendor, async ({ request, connection, body, model, headers }) => {
    if (!vendor.image) throw new RequestProblem(`The provider ${vendor.id} has no images.`);
    if (!isText(body.prompt) || body.prompt === '')
      throw new RequestProblem('prompt must be a text.', 'prompt');
    if (body.response_format === 'url')
      throw new RequestProblem('This provider gives images as b64_json only.', 'response_format');
    const n = optional(body, 'n', isCount, 'a whole number above 0') ?? 1;
    if (n > MAX_IMAGES) throw new RequestProblem(`n must be at most ${MAX_IMAGES}.`, 'n');
    const options = {
      prompt: body.prompt,
      size: sizeOf(body.size),
      aspectRatio: undefined,
      seed: optional(body, 'seed', isWhole, 'a whole number'),
      files: undefined,
      mask: undefined,
      providerOptions: {},
      ...(await vendor.imageOptions?.(body, model, request)),
      abortSignal: request.signal,
      headers,
    };
    const results = await generateAll(await vendor.image(connection, model), n, options);
    return jsonAnswer({
      headers: passedOn(results.at(-1)?.response.headers),
      value: {
        created: Math.floor(Date.now() / 1000),
        data: results.flatMap(({ images }) => images.map((image) => ({ b64_json: base64Of(image) }))),
        ...usageOf(results),
      },
    });
  });

export function sizeOf(size: unknown): `${number}x${number}` | undefined {
  if (size === undefined || size === null || size === 'auto') return undefined;
  if (!isText(size) || !/^[1-9]\d{1,4}x[1-9]\d{1,4}$/.test(size))
    throw new RequestProblem('size must be a width and a height such as 1024x1024.', 'size');
  return size as `${number}x${number}`;
}

/** One after the other: a provider that gives one image at a time also counts requests. */
async function generateAll(
  model: ImageModelV4,
  n: number,
  options: Omit<ImageModelV4CallOptions, 'n'>,
): Promise<ImageModelV4Result[]> {
  const { maxImagesPerCall: limit, modelId } = model;
  const most = (typeof limit === 'function' ? await limit({ modelId }) : limit) ?? n;
  const results: ImageModelV4Result[] = [];
  for (let left = n; left > 0; left -= most)
    results.push(await model.doGenerate({ ...options, n: Math.min(left, most) }));
  return results;
}

const base64Of = (image: string | Uint8Array): string =>
  typeof image === 'string' ? image : Buffer.from(image).toString('base64');

function usageOf(results: ImageModelV4Result[]) {
  const usages = results.map(({ usage }) => usage);
  if (!usages.every((usage) => usage?.inputTokens !== undefined && usage.outputTokens !== undefined))
    return {};
  const sum = (name: 'inputTokens' | 'outputTokens') =>
    usages.reduce((total, usage) => total + (usage?.[name] ?? 0), 0);
  const [input, output] = [sum('inputTokens'), sum('outputTokens')];
  return {
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      output_tokens_details: { image_tokens: output, text_tokens: 0 },
    },
  };
}
