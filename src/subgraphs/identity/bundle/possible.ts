import type { JsonObject } from '../../../lib/json.ts';
import { DEFAULT_WORKSPACE, type Kind } from './kind.ts';
import type { Problems } from './problems.ts';
import { isSource, type SecretValues, sourceText, valueAt } from './secrets.ts';
import type { Step } from './step.ts';
import type { Stored } from './stored.ts';

/** `needsValues`: whether secrets must have values by now. */
type Given = { values: SecretValues; needsValues: boolean };

/** Adds why a step could not be made, as far as documents and resources tell. */
export function requirePossible(
  { kind, document, stored, changed }: Step,
  { values, needsValues }: Given,
  problems: Problems,
) {
  if (!document) return;
  const { index, slug, spec } = document;
  const at = (path: readonly (string | number)[], message: string) =>
    problems.add({ index, kind: kind.name, slug }, path, message);
  if (!stored && kind.name === 'Workspace' && slug === DEFAULT_WORKSPACE)
    at(['metadata', 'slug'], 'is that of the default workspace, which this credential does not reach.');
  for (const member of kind.fixed)
    if (changed.has(member))
      at(['spec', member], 'cannot change: delete the resource first, or give the document another slug.');
  if (stored)
    for (const { path, message } of kind.checkUpdate?.(spec, stored.spec) ?? [])
      at(['spec', ...path], message);
  const owner = stored?.entry?.bundle ?? null;
  if (owner !== null && document.bundle !== null && owner !== document.bundle)
    at(['metadata', 'bundle'], `must be ${owner}, to which the resource belongs.`);
  if (needsValues)
    for (const path of missingValues(kind, spec, stored, values)) at(['spec', ...path], missing(spec, path));
}

const missing = (spec: JsonObject, path: readonly (string | number)[]): string => {
  const source = valueAt(spec, path);
  return `has no value: ${isSource(source) ? sourceText(source) : 'its source'} was not given.`;
};

/** The places of secrets that have neither a given nor a stored value. */
const missingValues = (kind: Kind, spec: JsonObject, stored: Stored | null, values: SecretValues) =>
  (kind.secrets?.(spec) ?? []).filter((path) => {
    const source = valueAt(spec, path);
    if (!isSource(source) || values.has(sourceText(source))) return false;
    return stored === null || !isSource(valueAt(stored.spec, path));
  });
