import { CommandError } from '../../errors.ts';
import { equalValues } from '../../value/compare.ts';
import type { Document } from '../../value/types.ts';
import type { Collection } from '../collection.ts';
import type { Index } from './index-spec.ts';
import { sameKey } from './same-key.ts';

/** An existing index that makes a new definition superfluous; a conflicting one is an error. */
export function findExisting(collection: Collection, spec: Document): Index | undefined {
  const byName = collection.indexes.find((index) => index.name === spec.name);
  const byKey = collection.indexes.find(
    (index) => sameKey(index.key, spec.key as Document) && sameVariant(index.spec, spec),
  );
  if (byName && !sameKey(byName.key, spec.key as Document)) {
    throw new CommandError(
      86,
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${describe(spec)}, existing index: ${describe(byName.spec)}`,
    );
  }
  const found = byName ?? byKey;
  if (!found) return undefined;
  if (found.name === '_id_') return found;
  if (!sameOptions(found.spec, spec)) {
    throw new CommandError(
      found.name === spec.name ? 86 : 85,
      `An equivalent index already exists with the same name but different options. Requested index: ${describe(spec)}, existing index: ${describe(found.spec)}`,
    );
  }
  if (found.name !== spec.name)
    throw new CommandError(85, `Index already exists with a different name: ${found.name}`);
  return found;
}

const describe = (spec: Document): string => JSON.stringify({ key: spec.key, name: spec.name });

/** Indexes on the same key may stand side by side when these differ. */
const sameVariant = (left: Document, right: Document): boolean =>
  equalValues(left.partialFilterExpression, right.partialFilterExpression) &&
  equalValues(left.collation, right.collation);

const sameOptions = (left: Document, right: Document): boolean =>
  ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'collation'].every((option) =>
    equalValues(left[option] ?? false, right[option] ?? false),
  );
