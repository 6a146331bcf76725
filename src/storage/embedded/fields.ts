import { CommandError, typeMismatch } from './errors.ts';
import { asNumber, type Document, isDocument, typeName } from './value/types.ts';

/** What a field may hold: how a server calls it, and the test. */
type Kind = { expected: string; admits: (value: unknown) => boolean };

const isNumber = (value: unknown): boolean => asNumber(value) !== null;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const kinds: Record<string, Kind> = {
  any: { expected: '', admits: () => true },
  array: { expected: "type 'array'", admits: Array.isArray },
  bool: { expected: "type 'bool'", admits: isBoolean },
  flag: {
    expected: "types '[bool, long, int, decimal, double]'",
    admits: (value) => isBoolean(value) || isNumber(value),
  },
  number: { expected: "types '[long, int, decimal, double]'", admits: isNumber },
  object: { expected: "type 'object'", admits: isDocument },
  string: { expected: "type 'string'", admits: (value) => typeof value === 'string' },
};

/** The fields that a command, a statement or a stage knows, and those it needs. */
export type FieldTable = { known: ReadonlyMap<string, Kind>; required: readonly string[] };

/** A table of fields, written as `name`, `name:kind` or `name:kind!` with spaces between; `!` marks what is required. */
export function fieldTable(text: string): FieldTable {
  const known = new Map<string, Kind>();
  const required: string[] = [];
  for (const word of text.split(' ')) {
    const [name = '', kind = 'any'] = word.replace('!', '').split(':');
    known.set(name, kinds[kind] as Kind);
    if (word.endsWith('!')) required.push(name);
  }
  return { known, required };
}

const absent = (value: unknown): boolean => value === undefined || value === null;

/** Refuses unknown fields, missing ones, and values of the wrong type; null counts as missing, as on a server. */
export function checkFields(where: string, body: Document, { known, required }: FieldTable): void {
  for (const [field, value] of Object.entries(body)) {
    const kind = known.get(field);
    if (!kind) throw new CommandError(40415, `BSON field '${where}.${field}' is an unknown field.`);
    if (!absent(value) && !kind.admits(value)) throw wrongType(`${where}.${field}`, value, kind);
  }
  for (const field of required) {
    if (absent(body[field]))
      throw new CommandError(40414, `BSON field '${where}.${field}' is missing but a required field`);
  }
}

function wrongType(field: string, value: unknown, { expected }: Kind): CommandError {
  return typeMismatch(`BSON field '${field}' is the wrong type '${typeName(value)}', expected ${expected}`);
}

/** A document's field as a flag: a server also takes numbers for one. */
export const isTrue = (value: unknown): boolean => value === true || (asNumber(value) ?? 0) !== 0;
