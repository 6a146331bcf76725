import { z } from 'zod';
import { redact } from '../../../lib/redaction.ts';
import { parsed } from './parsed.ts';

export type Metadata = Record<string, string>;

const schema = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'must have at most 16 pairs.');

/** Metadata of an object: at most 16 pairs, keys of at most 64 characters, texts of at most 512. A secret is masked, as in logs. */
export function metadataOf(value: unknown, param: string): Metadata {
  if (value === undefined || value === null) return {};
  return redact(parsed(schema, value, param)) as Metadata;
}
