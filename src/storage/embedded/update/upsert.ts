import { CommandError } from '../errors.ts';
import { normalise } from '../query/filter.ts';
import { type Document, isDocument } from '../value/types.ts';
import { copyValue } from './array-operators.ts';
import { findSlot } from './slots.ts';

/** The fields that a filter fixes to one value; an upsert begins its new document with them. */
export function documentFromFilter(filter: Document): Document {
  const document: Document = {};
  collect(filter, document);
  return document;
}

function collect(filter: Document, into: Document): void {
  for (const [key, condition] of Object.entries(filter)) {
    if ((key === '$and' || (key === '$or' && isSingle(condition))) && Array.isArray(condition)) {
      for (const clause of condition) if (isDocument(clause)) collect(clause, into);
    } else if (!key.startsWith('$')) {
      const operators = normalise(condition);
      const value = fixedValue(operators);
      if (value !== undefined) assign(into, key, value);
    }
  }
}

const isSingle = (clauses: unknown): boolean => Array.isArray(clauses) && clauses.length === 1;

function fixedValue(operators: Document): unknown {
  if ('$eq' in operators) return operators.$eq;
  for (const name of ['$in', '$all']) {
    const values = operators[name];
    if (Array.isArray(values) && values.length === 1) return values[0];
  }
  return undefined;
}

function assign(document: Document, path: string, value: unknown): void {
  const slot = findSlot(document, path.split('.'), true);
  if (slot?.value !== undefined)
    throw new CommandError(54, `cannot infer query fields to set, path '${path}' is matched twice`);
  slot?.set(copyValue(value));
}
