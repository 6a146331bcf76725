import { isObject, type JsonObject } from '../../../../lib/json.ts';
import type { SpecPath, SpecReference } from '../kind.ts';

/** A mapping to a secret manager, as the graph answers it. */
export type NamedMapping = {
  targetField: string;
  secretReference: { slug: string } | null;
  secretKey: string | null;
  valueFormat: string | null;
};

export const mappingSelection =
  'secretMappings { targetField secretReference { slug } secretKey valueFormat }';

const SETTING = 'configurations.';

const mappingOf = ({ secretReference, secretKey, valueFormat }: NamedMapping) => ({
  secretReference: secretReference?.slug ?? '',
  ...(secretKey !== null && { secretKey }),
  ...(valueFormat !== null && { valueFormat }),
});

/** What comes from secret managers, by `key` or the name of the setting. */
export const mapped = (mappings: readonly NamedMapping[]): JsonObject =>
  Object.fromEntries(
    mappings.map((mapping) => [
      mapping.targetField === 'key' ? 'key' : mapping.targetField.slice(SETTING.length),
      mappingOf(mapping),
    ]),
  );

/** One of these as the operations take it. */
export const mappingInput = (name: string, { secretReference, ...rest }: JsonObject) => ({
  targetField: name === 'key' ? name : SETTING + name,
  secretReferenceId: secretReference,
  ...rest,
});

/** The reference that a value names, if it is a mapping. */
export const mappingReference = (value: unknown, path: SpecPath): SpecReference[] =>
  isObject(value) && typeof value.secretReference === 'string'
    ? [{ kind: 'SecretReference', key: value.secretReference, path: [...path, 'secretReference'] }]
    : [];
