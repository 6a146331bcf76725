import { z } from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { type Kind, keyOf, type SpecPath } from './kind.ts';
import { kindNamed, kinds } from './kinds/index.ts';
import { Problems } from './problems.ts';
import { isManaged, isSource, valueAt } from './secrets.ts';

export const API_VERSION = 'sluice/v1';

/** A document whose own content is valid. */
export type Parsed = {
  index: number;
  kind: Kind;
  slug: string;
  key: string;
  bundle: string | null;
  spec: JsonObject;
};

const names = kinds.map(({ name }) => name);

const envelope = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.enum(names),
  metadata: z.strictObject({
    slug: z.string().min(1).max(255),
    bundle: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'has up to 63 lower case letters, digits and -')
      .optional(),
  }),
  spec: z.record(z.string(), z.unknown()),
});

const SLUG = /^[a-zA-Z0-9_-]+$/;

/** Checks each document by itself, without a look at what is stored; throws VALIDATION_FAILED with all mistakes. */
export function parseDocuments(given: readonly unknown[], problems = new Problems()): Parsed[] {
  const parsed = given.flatMap((document, index) => parseDocument(document, index, problems) ?? []);
  const seen = new Map<string, number>();
  for (const { index, kind, slug, key } of parsed) {
    const id = `${kind.name} ${key}`;
    const first = seen.get(id);
    if (first === undefined) seen.set(id, index);
    else
      problems.add(
        { index, kind: kind.name, slug },
        ['metadata', 'slug'],
        `is that of document ${first + 1} already: each ${kind.name} has one document.`,
      );
  }
  problems.refuse();
  return parsed;
}

function parseDocument(document: unknown, index: number, problems: Problems): Parsed | null {
  const { kind: named, metadata } = (document ?? {}) as { kind?: unknown; metadata?: { slug?: unknown } };
  const place = { index, kind: named, slug: metadata?.slug };
  const found = read(envelope, document, [], (path, message) => problems.add(place, path, message));
  const kind = found && kindNamed(found.kind);
  if (!found || !kind) return null;
  const { slug, bundle = null } = found.metadata;
  if (!(kind.slug ?? SLUG).test(slug))
    problems.add(place, ['metadata', 'slug'], `must match ${(kind.slug ?? SLUG).source}`);
  const at = (path: SpecPath, message: string) => problems.add(place, ['spec', ...path], message);
  const spec = read(kind.spec, found.spec, [], at) as JsonObject | null;
  if (!spec) return null;
  for (const path of kind.secrets?.(spec) ?? []) requireSource(kind, spec, path, at);
  for (const { path, message } of kind.check?.(spec) ?? []) at(path, message);
  return { index, kind, slug, key: keyOf(kind, slug, spec), bundle, spec };
}

function requireSource(
  kind: Kind,
  spec: JsonObject,
  path: SpecPath,
  at: (path: SpecPath, message: string) => void,
): void {
  const value = valueAt(spec, path);
  const mayBeManaged = kind.name === 'Integration' && !path.includes('custom_headers');
  if (value === null || isSource(value) || (mayBeManaged && isManaged(value))) return;
  const sources = ['{env: NAME}', '{file: path}', ...(mayBeManaged ? ['{secretReference: slug}'] : [])];
  at(path, `must not hold a secret in clear: write one of ${sources.join(', ')}.`);
}

function read<T>(
  schema: z.ZodType<T>,
  value: unknown,
  within: SpecPath,
  at: (path: SpecPath, message: string) => void,
): T | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const { path, code, message, ...issue } of result.error.issues) {
    const place = [...within, ...(path as SpecPath)];
    if (code === 'unrecognized_keys')
      for (const key of (issue as unknown as { keys: string[] }).keys)
        at([...place, key], 'is no member that there is here.');
    else at(place, `is not valid: ${message}`);
  }
  return null;
}

/** The document of a resource: members that are as they would be without being named stay out. */
export function documentOf(
  kind: Kind,
  { slug, spec }: { slug: string; spec: JsonObject },
  bundle: string | null,
) {
  const shape = kind.spec.shape as Record<string, z.ZodType>;
  const said = Object.keys(shape).filter((name) => {
    const absent = shape[name]?.safeParse(undefined);
    return !absent?.success || JSON.stringify(absent.data) !== JSON.stringify(spec[name]);
  });
  return {
    apiVersion: API_VERSION,
    kind: kind.name,
    metadata: { slug, ...(bundle !== null && { bundle }) },
    spec: Object.fromEntries(said.map((name) => [name, spec[name]])),
  };
}
