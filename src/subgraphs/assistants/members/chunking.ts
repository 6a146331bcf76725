import { z } from 'zod';
import type { Chunking } from '../../../knowledge/index.ts';
import { parsed } from './parsed.ts';

const schema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto') }),
  z.strictObject({
    type: z.literal('static'),
    static: z
      .strictObject({
        max_chunk_size_tokens: z.int().min(100).max(4096),
        chunk_overlap_tokens: z.int().min(0),
      })
      .refine(({ max_chunk_size_tokens: size, chunk_overlap_tokens: overlap }) => overlap <= size / 2, {
        path: ['chunk_overlap_tokens'],
        message: 'must be at most half of max_chunk_size_tokens.',
      }),
  }),
]);

const AUTO: Chunking = { size: 800, overlap: 400 };

/** How files are cut: as asked for, else in chunks of 800 tokens, of which 400 are shared with the next. */
export function chunkingOf(value: unknown, param: string): Chunking {
  if (value === undefined || value === null) return AUTO;
  const strategy = parsed(schema, value, param);
  if (strategy.type === 'auto') return AUTO;
  const { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap } = strategy.static;
  return { size, overlap };
}

/** A strategy as files show it. */
export const chunkingShape = ({ size, overlap }: Chunking) => ({
  type: 'static',
  static: { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap },
});
