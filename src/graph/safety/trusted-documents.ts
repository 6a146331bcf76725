import { createHash } from 'node:crypto';
import { type GraphQLSchema, parse, specifiedRules, type ValidationRule, validate } from 'graphql';
import { z } from 'zod';
import { GatewayError } from '../../errors/index.ts';

/** Where a request may name a document: `documentId`, or Apollo's `extensions.persistedQuery.sha256Hash`. */
export type DocumentReference = { query?: unknown; documentId?: unknown; extensions?: unknown };

export type TrustedDocuments = {
  /** The document that the request names; throws DOCUMENT_NOT_TRUSTED for any other request. */
  textOf(request: DocumentReference): string;
};

const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1).max(255), body: z.string() })),
});
const plainManifest = z.record(z.string(), z.string());

/**
 * Reads a manifest, `{"<sha256>": "<document>"}` or the one that Apollo's tools write. Throws, naming the document, when
 * one is not what its name says or, given a schema, does not fit it.
 */
export function readTrustedDocuments(
  manifest: string,
  schema: GraphQLSchema | null = null,
  rules: readonly ValidationRule[] = [],
): TrustedDocuments {
  const texts = textsOf(manifest);
  for (const [id, text] of texts) {
    const mistake = mistakeIn(text, schema, rules);
    if (mistake) throw new Error(`TRUSTED_DOCUMENTS: document ${id}: ${mistake}`);
  }
  const trusted = new Set(texts.values());
  return {
    textOf({ query, documentId, extensions }) {
      // WebSocket clients send an empty text beside the name. A request may also send the whole trusted text.
      const text =
        typeof query === 'string' && query !== '' ? query : texts.get(idOf(documentId, extensions));
      if (text === undefined || !trusted.has(text)) throw new GatewayError('DOCUMENT_NOT_TRUSTED');
      return text;
    },
  };
}

/** Documents by the name that requests give. */
function textsOf(manifest: string): Map<string, string> {
  const value = jsonOf(manifest);
  const isApollo = typeof value === 'object' && value !== null && 'format' in value;
  const parsed = isApollo
    ? apolloManifest
        .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const))
        .safeParse(value)
    : plainManifest
        .transform((documents) => Object.entries(documents).map(([id, text]) => [plainId(id), text] as const))
        .safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`TRUSTED_DOCUMENTS: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const wrong = isApollo ? undefined : parsed.data.find(([id, text]) => id !== sha256(text));
  if (wrong) throw new Error(`TRUSTED_DOCUMENTS: ${wrong[0]} is not the SHA-256 of its document.`);
  return new Map(parsed.data);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('TRUSTED_DOCUMENTS: the file is not JSON.', { cause });
  }
}

function mistakeIn(
  text: string,
  schema: GraphQLSchema | null,
  rules: readonly ValidationRule[],
): string | undefined {
  try {
    const document = parse(text);
    return schema ? validate(schema, document, [...rules, ...specifiedRules])[0]?.message : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** graphql-codegen writes the name of the digest in front of it. */
const plainId = (id: string): string => id.replace(/^sha256:/, '');

function idOf(documentId: unknown, extensions: unknown): string {
  if (typeof documentId === 'string') return plainId(documentId);
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } | null };
  return typeof persistedQuery?.sha256Hash === 'string' ? persistedQuery.sha256Hash : '';
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
