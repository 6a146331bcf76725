import { z } from 'zod';
import { isKnownProvider } from '../providers/index.ts';
import type { EmbeddingSettings } from './index.ts';
import { jsonText, plainUrl } from './json-setting.ts';

const text = z.string().min(1).max(16_384);

/** The environment variable's JSON as the provider of embeddings for semantic caches; values are never shown. */
export const semanticCacheEmbeddings = jsonText
  .pipe(
    z.strictObject({
      provider: text.refine(isKnownProvider, 'is not a known provider'),
      api_key: text.optional(),
      model: text.default('text-embedding-3-small'),
      custom_host: plainUrl.optional(),
      settings: z.record(z.string(), text).default({}),
    }),
  )
  .transform(
    ({ api_key: apiKey = null, custom_host: host = null, ...rest }): EmbeddingSettings => ({
      ...rest,
      apiKey,
      host,
    }),
  );
