import { z } from 'zod';
import type { ResponseFormat } from '../../../runs/settings.ts';
import { parsed } from './parsed.ts';

const word = z.enum(['auto', 'none']);

const form = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      description: z.string().max(100_000).nullish(),
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

/** The form in which the model answers; `auto` where nothing is asked for. */
export function responseFormatOf(value: unknown, param: string): ResponseFormat {
  if (value === undefined || value === null) return 'auto';
  return typeof value === 'string'
    ? parsed(word, value, param)
    : (parsed(form, value, param) as ResponseFormat);
}
