import { isObject, type JsonObject } from '../../lib/json.ts';
import { canonicalised, sha256 } from './canonical.ts';

/** The members of a definition that models act on. */
const pinned = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** Tells one definition from another as models read it. */
export const definitionHash = (definition: JsonObject): string =>
  sha256(
    canonicalised(
      Object.fromEntries(pinned.flatMap((name) => (name in definition ? [[name, definition[name]]] : []))),
    ),
  );

export const instructionsHash = (instructions: string | null): string | null =>
  instructions === null ? null : sha256(canonicalised(instructions));

const dangers: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes of terminals are what this looks for
  [/[\u001b\u009b]/, 'an escape of terminals'],
  [/[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u, 'tag characters, which nobody sees'],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, 'characters that turn the direction of the text'],
  [/[\u00ad\u180e\u200b\u2060-\u2064\ufeff]/, 'characters without a width'],
];

/** What looks dangerous in the texts that models read of a definition; null for nothing. */
export function suspicionIn(definition: unknown): string | null {
  const text = JSON.stringify(definition);
  // JSON writes some of these characters as escapes.
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return dangers.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

const MAX_DEPTH = 32;
const MAX_SCHEMAS = 2000;

/** Why nobody may see a tool whatever the switches say; null for no reason. */
export function hiddenReason({ inputSchema, outputSchema }: JsonObject): string | null {
  for (const schema of [inputSchema, outputSchema]) {
    const reason = schema === undefined ? null : schemaProblem(schema);
    if (reason) return reason;
  }
  return null;
}

function schemaProblem(schema: unknown): string | null {
  let count = 0;
  let problem: string | null = null;
  const walk = (value: unknown, depth: number): void => {
    if (problem !== null || typeof value !== 'object' || value === null) return;
    count += Number(isObject(value));
    if (depth > MAX_DEPTH) problem = `a schema of more than ${MAX_DEPTH} levels`;
    else if (count > MAX_SCHEMAS) problem = `a schema of more than ${MAX_SCHEMAS} parts`;
    else if (isObject(value) && isForeign(value.$ref)) problem = 'a schema that refers to another address';
    else for (const member of Object.values(value)) walk(member, depth + 1);
  };
  walk(schema, 1);
  return problem;
}

/** A reference to somewhere else than the schema itself, which nobody follows. */
const isForeign = (reference: unknown): boolean =>
  typeof reference === 'string' && !reference.startsWith('#');
