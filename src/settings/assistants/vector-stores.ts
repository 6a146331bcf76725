import { z } from 'zod';
import { integer, wholeNumber } from '../values.ts';

/** Who makes the vectors of vector stores, and where they are searched. */
export const vectorStoreSettings = {
  VECTOR_STORE_EMBEDDING_MODEL: z
    .string()
    .min(1)
    .max(512)
    .default('local')
    .describe(
      'model that makes the vectors of new vector stores, as calls name it (`@slug/model`), asked for with the ' +
        'credential of whoever adds a file or searches; `local` needs no model, and knows words, not meanings',
    ),
  VECTOR_STORE_EMBEDDING_DIMENSIONS: wholeNumber(1, 8192)
    .optional()
    .describe('numbers of a vector that this model is asked for; without it as many as it gives'),
  VECTOR_STORE_RERANK_MODEL: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'rerank model that ranks what searches of vector stores find where their `ranker` is `auto`, as calls name it ' +
        '(`@slug/model`), asked with the credential of whoever searches; without it words and vectors rank together',
    ),
  VECTOR_STORE_REWRITE_MODEL: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'chat model that rewrites the query of a search with `rewrite_query`, as calls name it, asked with the ' +
        'credential of whoever searches; without it the query is searched as it is',
    ),
  VECTOR_CACHE_BYTES: integer(2 * 1024 ** 3, 0, 2 ** 44).describe(
    'bytes of the indexes of vector stores that one process keeps in `DATA_DIR/cache/vector`; those used ' +
      'longest ago go first, and are made again when they are searched',
  ),
  QDRANT_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'a Qdrant (1.12 or newer) that keeps the index of all processes, e.g. `http://qdrant:6333`, for vector stores of ' +
        'millions of chunks; without it each process has an index of its own',
    ),
  QDRANT_API_KEY: z.string().min(1).max(512).optional().describe('the key that this Qdrant asks for'),
  QDRANT_COLLECTION_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must have lower-case letters, digits, _ and - alone')
    .default('sluice')
    .describe(
      'what the names of its collections begin with; installations that share a Qdrant need different ones',
    ),
};
