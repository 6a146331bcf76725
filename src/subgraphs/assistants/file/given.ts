import { z } from 'zod';
import {
  type Completion,
  type FileOwner,
  type FilePurpose,
  givenPurposes,
  type NewFile,
  type Uploads,
} from '../../../files/index.ts';
import { redactText } from '../../../lib/redaction.ts';
import type { GraphContext } from '../../context.ts';
import { requireWriter } from '../caller.ts';
import { parsed } from '../members/index.ts';

/** The workspace that gets what a caller brings. Throws FORBIDDEN. */
export function writerOf(context: GraphContext): FileOwner & { createdBy: string } {
  const owner = requireWriter(context);
  return { ...owner, createdBy: context.principal?.userId ?? context.principal?.id ?? '' };
}

const purpose = z.enum(givenPurposes);
const filename = z.string().min(1).max(255);
/** Names are for people: what no terminal shows as it is, is left out. */
const cleanName = (name: string): string => redactText(name.replace(/\p{Cc}/gu, '')) || 'file';

const shortest = 3600;
const longest = 2_592_000;
const lasting = z.strictObject({
  anchor: z.literal('created_at'),
  seconds: z.coerce.number().pipe(z.int().min(shortest).max(longest)),
});

const text = z.string().optional();
const fieldNames = z.strictObject({
  purpose: text,
  'expires_after[anchor]': text,
  'expires_after[seconds]': text,
});

/** What a form says of its file. */
export type GivenFile = { filename: string; fields: ReadonlyMap<string, string> };

/** Throws VALIDATION_FAILED that names the field at fault. */
export function newFile(context: GraphContext, { filename: name, fields }: GivenFile): NewFile {
  const { createdBy } = writerOf(context);
  parsed(fieldNames, Object.fromEntries(fields), '');
  const [anchor, seconds] = [fields.get('expires_after[anchor]'), fields.get('expires_after[seconds]')];
  const isEnding = anchor !== undefined || seconds !== undefined;
  const lasts = isEnding ? parsed(lasting, { anchor, seconds }, 'expires_after').seconds : null;
  const createdAt = context.now();
  return {
    createdAt,
    filename: cleanName(parsed(filename, name, 'file')),
    purpose: parsed<FilePurpose>(purpose, fields.get('purpose'), 'purpose'),
    expiresAt: lasts === null ? null : new Date(createdAt.getTime() + lasts * 1000),
    createdBy,
  };
}

const uploadSchema = z.strictObject({
  filename,
  purpose,
  bytes: z
    .int()
    .min(1)
    .max(8 * 1024 ** 3),
  mime_type: z.string().min(1).max(255),
  expires_after: lasting.nullish(),
});

/** What a caller says of a file that comes in parts. */
export type GivenUpload = Parameters<Uploads['create']>[1];

export function newUpload(context: GraphContext, body: unknown): GivenUpload {
  const { createdBy } = writerOf(context);
  const given = parsed(uploadSchema, body ?? {}, '');
  return {
    filename: cleanName(given.filename),
    purpose: given.purpose,
    bytes: given.bytes,
    mimeType: given.mime_type,
    fileLastsSeconds: given.expires_after?.seconds ?? null,
    createdBy,
  };
}

const count = z.coerce.number().pipe(z.int());
const listed = z.strictObject({
  purpose: z.string().max(64).optional(),
  limit: count.pipe(z.int().min(1).max(10_000)).default(10_000),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(255).optional(),
  before: z.string().max(255).optional(),
});

/** The query of a list of files over REST, whose pages are longer than those of the graph. */
export const listedFiles = (query: object) => parsed(listed, query, '');

const completed = z.strictObject({
  part_ids: z.array(z.string().min(1).max(255)).min(1).max(10_000),
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/i)
    .nullish(),
});

export function completionOf(body: unknown): Completion {
  const { part_ids: partIds, md5 } = parsed(completed, body ?? {}, '');
  return { partIds, md5: md5 ?? null };
}
