import { z } from 'zod';

/** A setting with names between commas, each once; one at least. */
export const nameList = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== ''))
  .refine((names) => names.length > 0, 'must name at least one');
