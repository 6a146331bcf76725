import { CommandError } from '../errors.ts';
import { normalise } from '../query/operands.ts';
import { type Document, isDocument } from '../value/types.ts';
import { editAt } from './walk.ts';

const noPositions = { matched: () => null, filters: new Map() };

/** The fields that a filter fixes to one value; an upsert begins its new document with them. */
export function documentFromFilter(filter: Document): Document {
  return collect(filter, {});
}

function collect(filter: Document, start: Document): Document {
  let document = start;
  for (const [key, condition] of Object.entries(filter)) {
    if (Array.isArray(condition) && (key === '$and' || (key === '$or' && condition.length === 1))) {
      for (const clause of condition) if (isDocument(clause)) document = collect(clause, document);
    } else if (!key.startsWith('$')) {
      const value = fixedValue(normalise(condition));
      if (value !== undefined) document = withFixed(document, key, value);
    }
  }
  return document;
}

function fixedValue({ $eq, $in, $all }: Document): unknown {
  if ($eq !== undefined) return $eq;
  for (const values of [$in, $all]) if (Array.isArray(values) && values.length === 1) return values[0];
  return undefined;
}

function withFixed(document: Document, path: string, value: unknown): Document {
  const change = (present: unknown): unknown => {
    if (present === undefined) return value;
    throw new CommandError(54, `cannot infer query fields to set, path '${path}' is matched twice`);
  };
  return editAt(document, path.split('.'), { change, creates: true }, noPositions, new WeakSet());
}
