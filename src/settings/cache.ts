import { z } from 'zod';
import type { House } from './house.ts';
import { jsonText, plainUrl } from './json-setting.ts';

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
export const semanticCacheEmbeddings = ({ isKnownProvider }: House) =>
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
