import { z } from 'zod';
import type { AttributeFilter, Attributes } from '../../../knowledge/index.ts';
import { redact } from '../../../lib/redaction.ts';
import { parsed } from './parsed.ts';

const MAX_TEXT = 512;
/** Conditions of a filter, and values that one of them names. */
const MOST_CONDITIONS = 100;
const MOST_VALUES = 100;
const MAX_DEPTH = 8;

const key = z.string().min(1).max(64);
const value = z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]);

const attributes = z
  .record(key, value)
  .refine((pairs) => Object.keys(pairs).length <= 16, 'must have at most 16 pairs.');

/** Attributes of a file: at most 16 texts of at most 512 characters, numbers and booleans. A secret is masked, as in logs. */
export function attributesOf(given: unknown, param: string): Attributes {
  if (given === undefined || given === null) return {};
  return redact(parsed(attributes, given, param)) as Attributes;
}

const ordered = z.union([z.string().max(MAX_TEXT), z.number()]);
const leaves = [
  z.strictObject({ type: z.enum(['eq', 'ne']), key, value }),
  z.strictObject({ type: z.enum(['gt', 'gte', 'lt', 'lte']), key, value: ordered }),
  z.strictObject({ type: z.enum(['in', 'nin']), key, value: z.array(value).max(MOST_VALUES) }),
] as const;

/** Filters of so many levels; none of them is read that lies deeper. */
const filterOfDepth = (levels: number): z.ZodType<AttributeFilter> => {
  if (levels === 0) return z.discriminatedUnion('type', leaves);
  const filters = z
    .array(filterOfDepth(levels - 1))
    .min(1)
    .max(MOST_CONDITIONS);
  const joined = z.strictObject({ type: z.enum(['and', 'or']), filters });
  return z.discriminatedUnion('type', [...leaves, joined]);
};

const filter = filterOfDepth(MAX_DEPTH).refine(
  (given) => conditionsIn(given) <= MOST_CONDITIONS,
  `must have at most ${MOST_CONDITIONS} conditions.`,
);

const conditionsIn = (given: AttributeFilter): number =>
  'filters' in given ? given.filters.reduce((sum, part) => sum + conditionsIn(part), 1) : 1;

/** A filter on the attributes of files, in OpenAI's form; null for none. */
export const attributeFilterOf = (given: unknown, param: string): AttributeFilter | null =>
  given === undefined || given === null ? null : parsed(filter, given, param);
