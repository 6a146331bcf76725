import { z } from 'zod';
import { invalidInput } from '../../../errors/index.ts';
import type { Chunking } from '../../../knowledge/index.ts';
import type { ToolResources } from '../../../runs/settings.ts';
import { chunkingOf } from './chunking.ts';
import { type Metadata, metadataOf } from './metadata.ts';
import { parsed } from './parsed.ts';

/** A vector store that is to be made with what names it. */
export type HelpedStore = { fileIds: string[]; chunking: Chunking; metadata: Metadata };

/** The files and vector stores that tools may use, and the vector store that shall be made for them; null for none. */
export type GivenToolResources = { resources: ToolResources | null; newStore: HelpedStore | null };

const ids = (most: number) => z.array(z.string().min(1).max(255)).max(most);
/** Files that a store may be made with. */
const MOST_FILES = 10_000;

const schema = z.strictObject({
  code_interpreter: z.strictObject({ file_ids: ids(20).default([]) }).nullish(),
  file_search: z
    .strictObject({
      vector_store_ids: ids(1).default([]),
      vector_stores: z
        .array(
          z.strictObject({
            file_ids: ids(MOST_FILES).default([]),
            chunking_strategy: z.unknown().optional(),
            metadata: z.unknown().optional(),
          }),
        )
        .max(1)
        .optional(),
    })
    .refine(({ vector_store_ids: named, vector_stores: made }) => named.length === 0 || !made?.length, {
      path: ['vector_stores'],
      message: 'cannot be given beside vector_store_ids.',
    })
    .nullish(),
});

/** Reads what a request says of tool resources. */
export function toolResourcesOf(value: unknown, param: string): GivenToolResources {
  if (value === undefined || value === null) return { resources: null, newStore: null };
  const { code_interpreter: code, file_search: search } = parsed(schema, value, param);
  const [made] = search?.vector_stores ?? [];
  const place = `${param}.file_search.vector_stores[0]`;
  return {
    resources: {
      ...(code && { code_interpreter: { file_ids: code.file_ids } }),
      ...(search && { file_search: { vector_store_ids: search.vector_store_ids } }),
    },
    newStore: made
      ? {
          fileIds: made.file_ids,
          chunking: chunkingOf(made.chunking_strategy, `${place}.chunking_strategy`),
          metadata: metadataOf(made.metadata, `${place}.metadata`),
        }
      : null,
  };
}

/** The same where no vector store can be made with them. Throws VALIDATION_FAILED for one that shall be. */
export function namedToolResourcesOf(value: unknown, param: string): ToolResources | null {
  const { resources, newStore } = toolResourcesOf(value, param);
  if (!newStore) return resources;
  const place = `${param}.file_search.vector_stores`;
  throw invalidInput(place, `${place} makes a vector store only with a new assistant or thread.`);
}
