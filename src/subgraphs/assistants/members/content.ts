import { z } from 'zod';
import type { ContentPart, MessageAttachment } from '../../../runs/items.ts';
import { parsed } from './parsed.ts';

/** Characters of a text in a message at most. */
const MAX_TEXT = 256_000;
const MOST_PARTS = 100;
const MOST_ATTACHMENTS = 100;

const text = z.string().min(1).max(MAX_TEXT);
const detail = z.enum(['auto', 'low', 'high']).default('auto');

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1).max(MAX_TEXT), detail }),
  }),
  z.strictObject({
    type: z.literal('image_file'),
    image_file: z.strictObject({ file_id: z.string().min(1).max(255), detail }),
  }),
]);

/** What a caller's message says, as messages show it. A plain text becomes its one part. */
export function contentOf(value: unknown, param: string): ContentPart[] {
  if (typeof value === 'string') return [textPart(parsed(text, value, param))];
  return parsed(z.array(part).min(1).max(MOST_PARTS), value, param).map((given) =>
    given.type === 'text' ? textPart(given.text) : given,
  );
}

const attachments = z
  .array(
    z.strictObject({
      file_id: z.string().min(1).max(255),
      tools: z
        .array(z.strictObject({ type: z.enum(['code_interpreter', 'file_search']) }))
        .min(1)
        .max(2),
    }),
  )
  .max(MOST_ATTACHMENTS);

/** Files that a message brings along, and the tools that may use them. */
export const attachmentsOf = (value: unknown, param: string): MessageAttachment[] =>
  value === undefined || value === null ? [] : parsed(attachments, value, param);

const textPart = (value: string): ContentPart => ({ type: 'text', text: { value, annotations: [] } });
