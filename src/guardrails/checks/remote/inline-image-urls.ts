import { z } from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { type CheckInput, type CheckServices, defineCheck } from '../../check.ts';
import { imagesIn, withImages } from './images.ts';

const parameters = z.strictObject({
  providers: z
    .array(z.string().min(1).max(100))
    .max(100)
    .optional()
    .describe('The providers for which images are fetched; all of them where it is absent.'),
  maxSizeBytes: z.int().min(1).max(20_971_520).default(20_971_520).describe('The most bytes of one image.'),
  timeoutMs: z.int().min(1).max(60_000).default(30_000).describe('The most milliseconds for all images.'),
  failOnError: z.boolean().default(false).describe('Whether an image that cannot be fetched is an error.'),
});

/** The most images of one request. */
const MAX_IMAGES = 20;
const AT_ONCE = 4;

export const inlineImageUrls = defineCheck({
  id: 'default.inlineImageUrls',
  description: 'Puts the images that URLs name into the request, for providers that fetch none. Passes.',
  phases: ['input'],
  isRemote: true,
  isTransformer: true,
  parameters,
  edits: () => true,
  detects: () => false,
  timeoutMs: ({ timeoutMs }) => timeoutMs,
  prepare({ providers, maxSizeBytes, timeoutMs, failOnError }) {
    return async (input, services) => {
      const { request, provider } = input.call;
      const isWanted = providers === undefined || (provider !== null && providers.includes(provider));
      const urls = isWanted && request !== null ? imagesIn(request) : [];
      if (urls.length > MAX_IMAGES) throw new Error(`The request has more than ${MAX_IMAGES} images.`);
      const limits = { maxSizeBytes, timeoutMs };
      const fetched = await fetchAll(urls, (url) => fetchImage(url, limits, input, services));
      const failures = urls.length - fetched.size;
      if (failures > 0 && failOnError)
        throw new Error(`${failures} of ${urls.length} images cannot be fetched.`);
      const data = { images: urls.length, failures };
      if (request === null || fetched.size === 0) return { verdict: true, data };
      return { verdict: true, data, body: withImages(request, fetched) as JsonObject };
    };
  },
});

/** The images that could be fetched, as data URLs, by their URL. */
async function fetchAll(
  urls: readonly string[],
  fetchOne: (url: string) => Promise<string | null>,
): Promise<Map<string, string>> {
  const fetched = new Map<string, string>();
  for (let at = 0; at < urls.length; at += AT_ONCE) {
    const group = urls.slice(at, at + AT_ONCE);
    const images = await Promise.all(group.map(fetchOne));
    for (const [index, url] of group.entries()) {
      const image = images[index];
      if (image) fetched.set(url, image);
    }
  }
  return fetched;
}

async function fetchImage(
  url: string,
  { maxSizeBytes, timeoutMs }: { maxSizeBytes: number; timeoutMs: number },
  { signal }: CheckInput,
  services: CheckServices,
): Promise<string | null> {
  try {
    const { status, headers, body } = await services.send({
      url,
      method: 'GET',
      timeoutMs,
      signal,
      maxAnswerBytes: maxSizeBytes,
      isBinary: true,
    });
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    return status === 200 && /^image\/[\w.+-]+$/.test(type) ? `data:${type};base64,${body}` : null;
  } catch {
    // Which of the images failed is counted; why tells a caller nothing about the gateway's network.
    return null;
  }
}
