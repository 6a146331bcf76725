import { z } from 'zod';
import type { House } from './house.ts';
import { jsonText, plainUrl } from './json-setting.ts';
import { integer, wholeNumber } from './values.ts';

/** Who turns the questions of semantic caches into embeddings. */
export type EmbeddingSettings = {
  /** Provider kind, e.g. `openai`. */
  provider: string;
  apiKey: string | null;
  model: string;
  /** Base URL in place of the provider's own. */
  host: string | null;
  /** Settings of the provider, such as `vertex_region`. */
  settings: Record<string, string>;
};

const text = z.string().min(1).max(16_384);

/** The environment variable's JSON as the provider of embeddings for semantic caches; values are never shown. */
const semanticCacheEmbeddings = ({ isKnownProvider }: House) =>
  jsonText
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

/** Settings of kept answers. */
export const cacheSettings = (house: House) => ({
  CACHE_MAX_AGE_SECONDS: wholeNumber(60, 7_776_000)
    .optional()
    .describe(
      'seconds that kept answers live where a config does not say, and the most where it does; without ' +
        'it a week, and ninety days',
    ),
  CACHE_MEMORY_BYTES: integer(64 * 1024 * 1024, 0, 2 ** 34).describe(
    'bytes of kept answers in the memory of one process; all of them are in the database',
  ),
  SEMANTIC_CACHE_EMBEDDINGS: semanticCacheEmbeddings(house)
    .optional()
    .describe(
      'JSON of who embeds the questions of semantic caches: `provider`, `api_key`, `model` ' +
        '(`text-embedding-3-small`), `custom_host`, `settings`; see docs/configs.md',
    ),
  SEMANTIC_CACHE_THRESHOLD: z.coerce
    .number()
    .gt(0)
    .max(1)
    .default(0.95)
    .describe('cosine above which two questions count as the same'),
});
