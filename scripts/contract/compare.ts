import type { Schema } from '../../rest-compat/openapi/document.ts';
import { resolved, type Schemas } from '../../rest-compat/openapi/resolve.ts';

/** Whether callers send the value or get it: what may be narrower depends on it. */
export type Direction = 'sent' | 'answered';

const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'] as const;

/**
 * Where our schema deviates from the contract's, as `path: what`. Bounds on which the contract is silent are ours to
 * set, and what either side leaves open deviates from nothing.
 */
export function deviations(
  contract: Schema,
  ours: Schema,
  schemas: Schemas,
  direction: Direction,
  path: string,
): string[] {
  const whole = resolved(ours, schemas);
  if (whole.anyOf) {
    // What the contract has is one of several forms of ours.
    const each = whole.anyOf.map((form) => deviations(contract, form, schemas, direction, path));
    return each.reduce((least, found) => (found.length < least.length ? found : least));
  }
  // A list in a query is a text with commas.
  const isText = path.startsWith('query.') && whole.type === 'array' && contract.type === 'string';
  const own = isText ? { ...whole.items, type: contract.type, default: whole.default } : whole;
  if (contract.type === undefined || own.type === undefined) return [];
  const isWider = direction === 'answered' ? ['number', 'integer'] : ['integer', 'number'];
  const fits = own.type === contract.type || (contract.type === isWider[0] && own.type === isWider[1]);
  if (!fits) return [`${path}: ${own.type} in place of ${contract.type}`];
  return [
    ...boundDeviations(contract, own, direction, path),
    ...enumDeviations(contract, own, direction, path),
    ...(contract.items && own.items
      ? deviations(contract.items, own.items, schemas, direction, `${path}[]`)
      : []),
    ...memberDeviations(contract, own, schemas, direction, path),
  ];
}

function boundDeviations(contract: Schema, own: Schema, direction: Direction, path: string): string[] {
  if (direction === 'answered') return [];
  const stated = bounds.filter((bound) => contract[bound] !== undefined && contract[bound] !== own[bound]);
  const differing = stated.map(
    (bound) => `${path}: ${bound} ${own[bound] ?? 'none'} in place of ${contract[bound]}`,
  );
  const isOtherDefault = contract.default !== undefined && defaultOf(contract) !== String(own.default);
  return isOtherDefault
    ? [...differing, `${path}: default ${own.default ?? 'none'} in place of ${contract.default}`]
    : differing;
}

/** The contract writes `True` and `1.0`. */
const defaultOf = ({ type, default: value }: Schema): string =>
  type === 'number' ? String(Number(value)) : String(value).toLowerCase();

function enumDeviations(contract: Schema, own: Schema, direction: Direction, path: string): string[] {
  if (!contract.enum) return [];
  const known = contract.enum;
  if (!own.enum) return direction === 'sent' ? [`${path}: any text in place of ${known.join(', ')}`] : [];
  const given = own.enum.filter((value) => value !== null).map(String);
  const more = given.filter((value) => !known.includes(value));
  const fewer = direction === 'sent' ? known.filter((value) => !given.includes(String(value))) : [];
  return [
    ...more.map((value) => `${path}: has a value ${value}`),
    ...fewer.map((value) => `${path}: has no value ${value}`),
  ];
}

function memberDeviations(
  contract: Schema,
  own: Schema,
  schemas: Schemas,
  direction: Direction,
  path: string,
): string[] {
  const wanted = contract.properties ?? {};
  const members = own.properties ?? {};
  return [...new Set([...Object.keys(wanted), ...Object.keys(members)])].flatMap((name) => {
    const [theirs, mine] = [wanted[name], members[name]];
    const at = `${path}.${name}`;
    if (!mine) return [`${at}: missing`];
    if (!theirs) return [`${at}: not in the contract`];
    const isRequired = (schema: Schema) => schema.required?.includes(name) ?? false;
    const needed = isRequired(own) ? 'required' : 'optional';
    return [
      ...(direction === 'sent' && isRequired(contract) !== isRequired(own) ? [`${at}: ${needed}`] : []),
      ...deviations(theirs, mine, schemas, direction, at),
    ];
  });
}
