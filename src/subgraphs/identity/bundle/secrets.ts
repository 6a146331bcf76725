import { invalidInput } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { maskSecret } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import { type Kind, pathText, type SpecPath } from './kind.ts';
import type { BundleEntry, ValueSource } from './model.ts';

/** Values of secrets by the text of their source, such as `env:OPENAI_API_KEY`. */
export type SecretValues = ReadonlyMap<string, string>;

const MOST_SECRET_CHARACTERS = 16 * 1024;

export const isSource = (value: unknown): value is ValueSource => {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const text = value.env ?? value.file;
  return typeof text === 'string' && text.length > 0 && text.length <= 1024;
};

/** A part of a credential that a secret manager keeps. */
export const isManaged = (value: unknown): boolean =>
  isObject(value) && typeof value.secretReference === 'string';

export const sourceText = (source: ValueSource): string =>
  'env' in source ? `env:${source.env}` : `file:${source.file}`;

/** What to call the variable of a secret of which no document has said where its value comes from. */
export const inventedSource = ({ name }: Kind, slug: string, path: SpecPath): ValueSource => ({
  env: [name, slug, ...path]
    .join('_')
    .replace(/[^a-zA-Z0-9]+/g, '_')
    .toUpperCase(),
});

export function parseSecretValues(given: unknown): SecretValues {
  const param = 'input.secrets';
  if (given === undefined || given === null) return new Map();
  if (!isObject(given)) throw invalidInput(param, `${param} must be an object of texts.`);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string' || value === '' || value.length > MOST_SECRET_CHARACTERS)
      throw invalidInput(
        `${param}.${name}`,
        `${param}.${name} must be a text of 1 to ${MOST_SECRET_CHARACTERS} characters.`,
      );
  }
  return new Map(Object.entries(given as Record<string, string>));
}

export const valueAt = (spec: unknown, path: SpecPath): unknown =>
  path.reduce<unknown>((value, part) => (value as JsonObject | undefined)?.[part], spec);

/** A copy of a spec with other values at some places. */
export function withValues(spec: JsonObject, values: readonly (readonly [SpecPath, unknown])[]): JsonObject {
  const copy = structuredClone(spec);
  for (const [path, value] of values) {
    const parent = valueAt(copy, path.slice(0, -1)) as JsonObject;
    parent[String(path.at(-1))] = value;
  }
  return copy;
}

export const digestOf = ({ secrets }: GraphContext, value: string): string =>
  secrets.sign('bundle secret', value);

/** Whether a stored secret has this value, as far as can be told: by its last apply, else by its mask. */
export function hasValue(
  context: GraphContext,
  { entry, masks }: { entry: BundleEntry | null; masks: ReadonlyMap<string, string> },
  path: SpecPath,
  value: string,
): boolean {
  const place = pathText(path);
  const known = entry?.secrets.find((secret) => secret.path === place)?.digest;
  return known ? known === digestOf(context, value) : masks.get(place) === maskSecret(value);
}
