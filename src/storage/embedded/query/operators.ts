import { Binary, BSONRegExp, Decimal128, Long } from 'bson';
import { badValue, CommandError } from '../errors.ts';
import { compareValues, equalValues, type Fold } from '../value/compare.ts';
import { isNotANumber } from '../value/decimal.ts';
import {
  asNumber,
  type Document,
  isDocument,
  order,
  typeNumber,
  typeNumbers,
  typeOrder,
} from '../value/types.ts';
import {
  compileFilter,
  type FilterContext,
  isOperatorDocument,
  normalise,
  type Predicate,
} from './filter.ts';
import { field, type Path, someValue } from './path.ts';
import { compileRegex } from './regex.ts';

/** A test of one value; undefined stands for a missing field. */
export type ValueTest = (value: unknown) => boolean;

/** Compiles `{ $gt: 1, $lt: 5 }` at a path: every operator must find its own value there. */
export function compileOperators(path: Path, operators: Document, context: FilterContext): Predicate {
  const predicates: Predicate[] = [];
  for (const [name, operand] of Object.entries(operators)) {
    if (name === '$options' && '$regex' in operators) continue;
    predicates.push(compileOperator(path, name, operand, operators, context));
  }
  const [first] = predicates;
  if (first && predicates.length === 1) return first;
  return (document) => predicates.every((predicate) => predicate(document));
}

function reach(path: Path, expand: boolean, test: ValueTest): Predicate {
  const [name] = path;
  // No path at all: an element of an array, which is looked at as it is even when it is an array.
  if (name === undefined) return (element) => test(element);
  if (path.length > 1) return (document) => someValue(document, path, 0, expand, test);
  return (document) => {
    const value = field(document, name);
    if (expand && Array.isArray(value)) for (const element of value) if (test(element)) return true;
    return test(value);
  };
}

const not =
  (predicate: Predicate): Predicate =>
  (document) =>
    !predicate(document);

function compileOperator(
  path: Path,
  name: string,
  operand: unknown,
  siblings: Document,
  context: FilterContext,
): Predicate {
  switch (name) {
    case '$ne':
      if (operand instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.");
      return not(reach(path, true, equality(operand, context.fold)));
    case '$nin':
      return not(reach(path, true, membership(operand, '$nin', context.fold)));
    case '$not':
      return not(compileNegated(path, operand, context));
    case '$exists':
      return existence(path, operand);
    case '$all':
      return compileAll(path, operand, context);
    case '$elemMatch':
      return reach(path, false, elementMatch(operand, context));
    case '$size': {
      const size = wholeNumber(operand, '$size');
      if (size < 0)
        throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
      return reach(path, false, (value) => Array.isArray(value) && value.length === size);
    }
    case '$type':
      return compileType(path, operand);
    default:
      return reach(path, true, valueTest(name, operand, siblings, context));
  }
}

function valueTest(name: string, operand: unknown, siblings: Document, context: FilterContext): ValueTest {
  const { fold } = context;
  switch (name) {
    case '$eq':
      return equality(operand, fold);
    case '$in':
      return membership(operand, '$in', fold);
    case '$gt':
      return ordered(operand, (difference) => difference > 0, false, fold);
    case '$gte':
      return ordered(operand, (difference) => difference >= 0, true, fold);
    case '$lt':
      return ordered(operand, (difference) => difference < 0, false, fold);
    case '$lte':
      return ordered(operand, (difference) => difference <= 0, true, fold);
    case '$regex':
      return compileRegex(operand, siblings.$options);
    case '$mod':
      return modulo(operand);
    case '$bitsAllSet':
      return bits(operand, (value, mask) => (value & mask) === mask);
    case '$bitsAnySet':
      return bits(operand, (value, mask) => (value & mask) !== 0n);
    case '$bitsAllClear':
      return bits(operand, (value, mask) => (value & mask) === 0n);
    case '$bitsAnyClear':
      return bits(operand, (value, mask) => (value & mask) !== mask);
    case '$comment':
      return () => true;
    default:
      throw badValue(`unknown operator: ${name}`);
  }
}

function equality(operand: unknown, fold?: Fold): ValueTest {
  if (operand === null || operand === undefined) return (value) => value === null || value === undefined;
  if (typeof operand === 'string' && !fold) {
    return (value) => value === operand || (typeof value === 'object' && equalValues(value, operand));
  }
  return (value) => value !== undefined && equalValues(value, operand, fold);
}

function membership(operand: unknown, name: string, fold?: Fold): ValueTest {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  const tests: ValueTest[] = [];
  const strings = new Set<unknown>();
  for (const item of operand) {
    if (isOperatorDocument(item)) throw badValue(`cannot nest $ under ${name}`);
    if (item instanceof BSONRegExp || item instanceof RegExp) tests.push(compileRegex(item, undefined));
    else if (typeof item === 'string' && !fold) strings.add(item);
    else tests.push(equality(item, fold));
  }
  return (value) => {
    if (strings.has(value)) return true;
    for (const test of tests) if (test(value)) return true;
    return false;
  };
}

/** Range operators only compare values of the operand's own type; null matches itself with $gte and $lte. */
function ordered(
  operand: unknown,
  accept: (difference: number) => boolean,
  orEqual: boolean,
  fold?: Fold,
): ValueTest {
  if (operand === null || operand === undefined) {
    return (value) => orEqual && (value === null || value === undefined);
  }
  const type = typeOrder(operand);
  if (type === order.regex) throw badValue("Can't have RegEx as arg to predicate over field");
  if (type === order.minKey || type === order.maxKey) {
    return (value) => value !== undefined && accept(compareValues(value, operand, fold));
  }
  if (isNotANumber(operand)) return orEqual ? isNotANumber : () => false;
  return (value) => {
    if (value === undefined || value === null || typeOrder(value) !== type) return false;
    if (isNotANumber(value)) return false;
    return accept(compareValues(value, operand, fold));
  };
}

function existence(path: Path, operand: unknown): Predicate {
  const present = reach(path, false, (value) => value !== undefined);
  const wanted = operand !== false && operand !== 0 && operand !== null;
  return wanted ? present : not(present);
}

function compileNegated(path: Path, operand: unknown, context: FilterContext): Predicate {
  if (operand instanceof BSONRegExp || operand instanceof RegExp) {
    return reach(path, true, compileRegex(operand, undefined));
  }
  if (!isDocument(operand)) throw badValue('$not needs a regex or a document');
  if (!isOperatorDocument(operand)) throw badValue('$not cannot be empty');
  return compileOperators(path, normalise(operand), context);
}

function compileAll(path: Path, operand: unknown, context: FilterContext): Predicate {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return () => false;
  const predicates = operand.map((item) => compileOperators(path, normalise(item), context));
  return (document) => predicates.every((predicate) => predicate(document));
}

function elementMatch(operand: unknown, context: FilterContext): ValueTest {
  if (!isDocument(operand)) throw badValue('$elemMatch needs an Object');
  const matches = compileElement(operand, context);
  return (value) => Array.isArray(value) && value.some(matches);
}

const logical = new Set(['$and', '$or', '$nor', '$expr', '$where']);

/** A test of one array element: either operators on the element itself or a filter on its fields. */
export function compileElement(operand: Document, context: FilterContext): ValueTest {
  const first = Object.keys(operand)[0];
  if (first !== undefined && isOperatorDocument(operand) && !logical.has(first)) {
    const predicate = compileOperators([], normalise(operand), context);
    return (element) => predicate(element as Document);
  }
  const filter = compileFilter(operand, context);
  return (element) => (isDocument(element) || Array.isArray(element)) && filter.test(asFields(element));
}

const asFields = (element: unknown): Document =>
  Array.isArray(element) ? { ...element } : (element as Document);

function wholeNumber(operand: unknown, name: string): number {
  const number = asNumber(operand);
  if (number === null || !Number.isInteger(number)) {
    throw badValue(`Failed to parse ${name}. Expected an integer`);
  }
  return number;
}

function compileType(path: Path, operand: unknown): Predicate {
  const wanted = new Set<number>();
  const names = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0) throw new CommandError(9, '$type must match at least one type');
  for (const name of names) {
    if (name === 'number') for (const type of [1, 16, 18, 19]) wanted.add(type);
    else if (typeof name === 'string') {
      const type = typeNumbers[name];
      if (type === undefined) throw badValue(`Unknown type name alias: ${name}`);
      wanted.add(type);
    } else {
      const type = asNumber(name);
      if (type === null || (type !== -1 && type !== 127 && !(type >= 1 && type <= 19))) {
        throw badValue(`Invalid numerical type code: ${String(name)}`);
      }
      wanted.add(type);
    }
  }
  return reach(path, true, (value) => value !== undefined && wanted.has(typeNumber(value)));
}

function modulo(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
  if (operand.length < 2) throw badValue('malformed mod, not enough elements');
  if (operand.length > 2) throw badValue('malformed mod, too many elements');
  const divisor = Math.trunc(asNumber(operand[0]) ?? Number.NaN);
  const remainder = Math.trunc(asNumber(operand[1]) ?? Number.NaN);
  if (Number.isNaN(divisor) || Number.isNaN(remainder)) throw badValue('malformed mod, not a number');
  if (divisor === 0) throw badValue('divisor cannot be 0');
  return (value) => {
    if (value instanceof Decimal128) return Math.trunc(Number(value.toString())) % divisor === remainder;
    const number = asNumber(value);
    return number !== null && Number.isFinite(number) && Math.trunc(number) % divisor === remainder;
  };
}

function bits(operand: unknown, accept: (value: bigint, mask: bigint) => boolean): ValueTest {
  const mask = bitMask(operand);
  return (value) => {
    if (value instanceof Binary) return accept(littleEndian(value.buffer.subarray(0, value.position)), mask);
    const number = asNumber(value);
    if (number === null || !Number.isInteger(number)) return false;
    return accept(typeof value === 'bigint' ? value : BigInt(number), mask);
  };
}

function bitMask(operand: unknown): bigint {
  if (operand instanceof Binary) return littleEndian(operand.buffer.subarray(0, operand.position));
  if (Array.isArray(operand)) {
    return operand.reduce<bigint>(
      (mask, position) => mask | (1n << BigInt(wholeNumber(position, 'bit position'))),
      0n,
    );
  }
  if (operand instanceof Long || typeof operand === 'bigint') return BigInt(operand.toString());
  return BigInt(wholeNumber(operand, 'bit mask'));
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}
