import { z } from 'zod';
import type { ToolResources } from '../../../runs/settings.ts';
import { parsed } from './parsed.ts';

const ids = (most: number) => z.array(z.string().min(1).max(255)).max(most);

const schema = z.strictObject({
  code_interpreter: z.strictObject({ file_ids: ids(20).default([]) }).nullish(),
  file_search: z
    .strictObject({ vector_store_ids: ids(1).default([]), vector_stores: z.unknown().optional() })
    .refine(({ vector_stores: stores }) => stores === undefined, {
      path: ['vector_stores'],
      message: 'makes vector stores, which this gateway does not keep yet.',
    })
    .nullish(),
});

/** The files and vector stores that tools may use; null where none are named. */
export function toolResourcesOf(value: unknown, param: string): ToolResources | null {
  if (value === undefined || value === null) return null;
  const { code_interpreter: code, file_search: search } = parsed(schema, value, param);
  return {
    ...(code && { code_interpreter: { file_ids: code.file_ids } }),
    ...(search && { file_search: { vector_store_ids: search.vector_store_ids } }),
  };
}
