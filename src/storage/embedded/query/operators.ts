import { Decimal128 } from 'bson';
import { badValue, CommandError } from '../errors.ts';
import { compareValues, equalValues, type Fold } from '../value/compare.ts';
import { isNotANumber } from '../value/decimal.ts';
import { equalityKey } from '../value/key-encoding.ts';
import {
  asNumber,
  type Document,
  expectDocument,
  isDocument,
  order,
  typeNumber,
  typeNumbers,
  typeOrder,
} from '../value/types.ts';
import {
  all,
  compileElementFilter,
  type FilterContext,
  isOperatorDocument,
  isRegex,
  normalise,
  type Predicate,
} from './filter.ts';
import { field, type Path, someValue } from './path.ts';
import { compileRegex } from './regex.ts';

/** A test of one value; undefined stands for a missing field. */
export type ValueTest = (value: unknown) => boolean;

type Operator = (operand: unknown, context: FilterContext, siblings: Document) => ValueTest;

/** Operators that look at a value and, when it is an array, at each of its elements. */
const onElements: Record<string, Operator> = {
  $eq: (operand, { fold }) => equality(operand, fold),
  $in: (operand, { fold }) => membership(operand, fold),
  $gt: ranging((difference) => difference > 0),
  $gte: ranging((difference) => difference >= 0),
  $lt: ranging((difference) => difference < 0),
  $lte: ranging((difference) => difference <= 0),
  $regex: (operand, _context, siblings) => compileRegex(operand, siblings.$options),
  $mod: modulo,
  $type: typeTest,
};

/** Operators that look at an array as one value. */
const onWhole: Record<string, Operator> = {
  $exists: () => (value) => value !== undefined,
  $size: arraySize,
  $elemMatch: elementMatch,
};

/** Operators that are the opposite of another. */
const opposites: Record<string, string> = { $ne: '$eq', $nin: '$in' };

/** Compiles `{ $gt: 1, $lt: 5 }` at a path: every operator must find its own value there. */
export function compileOperators(path: Path, operators: Document, context: FilterContext): Predicate {
  const names = Object.keys(operators).filter(
    (name) => name !== '$comment' && (name !== '$options' || !('$regex' in operators)),
  );
  return all(names.map((name) => compileOperator(path, name, operators, context)));
}

function compileOperator(path: Path, name: string, siblings: Document, context: FilterContext): Predicate {
  const operand = siblings[name];
  const opposite = opposites[name];
  if (opposite) {
    if (isRegex(operand)) throw badValue(`Can't have regex as arg to ${name}.`);
    return not(compileOperator(path, opposite, { [opposite]: operand }, context));
  }
  if (name === '$not') return not(compileNegated(path, operand, context));
  if (name === '$all') {
    if (!Array.isArray(operand)) throw badValue('$all needs an array');
    if (operand.length === 0) return () => false;
    return all(operand.map((item) => compileOperators(path, normalise(item), context)));
  }
  const operator = onElements[name] ?? onWhole[name];
  if (!operator) throw badValue(`unknown operator: ${name}`);
  const predicate = reach(path, name in onElements, operator(operand, context, siblings));
  return name === '$exists' && !wantsPresence(operand) ? not(predicate) : predicate;
}

/** What the operand of `$exists` asks for. */
export const wantsPresence = (operand: unknown): boolean =>
  operand !== false && operand !== null && asNumber(operand) !== 0;

const not =
  (predicate: Predicate): Predicate =>
  (document) =>
    !predicate(document);

function compileNegated(path: Path, operand: unknown, context: FilterContext): Predicate {
  if (!isRegex(operand) && !isOperatorDocument(operand)) throw badValue('$not needs a regex or operators');
  return compileOperators(path, normalise(operand), context);
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

function equality(operand: unknown, fold?: Fold): ValueTest {
  if (operand === null || operand === undefined) return (value) => value === null || value === undefined;
  if (typeof operand === 'string' && !fold) {
    return (value) => value === operand || (typeof value === 'object' && equalValues(value, operand));
  }
  return (value) => value !== undefined && equalValues(value, operand, fold);
}

function membership(operand: unknown, fold?: Fold): ValueTest {
  if (!Array.isArray(operand)) throw badValue('$in and $nin need an array');
  const tests: ValueTest[] = [];
  const strings = new Set<unknown>();
  const others = new Set<string | number>();
  for (const item of operand) {
    if (isOperatorDocument(item)) throw badValue('cannot nest $ under $in or $nin');
    if (isRegex(item)) tests.push(compileRegex(item, undefined));
    else if (item === null || item === undefined) tests.push(equality(item));
    else if (typeof item === 'string' && !fold) strings.add(item);
    else others.add(equalityKey(item, fold));
  }
  return (value) => {
    if (strings.has(value)) return true;
    if (others.size > 0 && value !== undefined && others.has(equalityKey(value, fold))) return true;
    return tests.some((test) => test(value));
  };
}

/** Range operators only compare values of the operand's own type; with MinKey and MaxKey they compare all. */
function ranging(accept: (difference: number) => boolean): Operator {
  return (operand, { fold }) => {
    const type = typeOrder(operand);
    if (type === order.regex) throw badValue("Can't have RegEx as arg to predicate over field");
    const same = accept(0);
    if (type === order.null) return (value) => same && (value === null || value === undefined);
    if (type === order.minKey || type === order.maxKey)
      return (value) => accept(compareValues(value, operand));
    if (isNotANumber(operand)) return same ? isNotANumber : () => false;
    return (value) => {
      if (value === undefined || value === null || typeOrder(value) !== type) return false;
      return !isNotANumber(value) && accept(compareValues(value, operand, fold));
    };
  };
}

function arraySize(operand: unknown): ValueTest {
  const size = asNumber(operand);
  if (size === null || !Number.isInteger(size) || size < 0)
    throw badValue('Failed to parse $size. Expected a non-negative integer');
  return (value) => Array.isArray(value) && value.length === size;
}

function elementMatch(operand: unknown, context: FilterContext): ValueTest {
  const matches = compileElement(expectDocument(operand, 2, '$elemMatch needs an Object'), context);
  return (value) => Array.isArray(value) && value.some(matches);
}

const logical = ['$and', '$or', '$nor', '$expr', '$where'];

/** True for a filter on the fields of an element, false for operators on the element itself. */
export const isFilter = (operand: Document): boolean =>
  !isOperatorDocument(operand) || logical.includes(Object.keys(operand)[0] ?? '');

/** A test of one array element: either operators on the element itself or a filter on its fields. */
export function compileElement(operand: Document, context: FilterContext): ValueTest {
  if (!isFilter(operand)) return compileOperators([], normalise(operand), context) as ValueTest;
  const test = compileElementFilter(operand, context);
  // An array in an array is looked at as a document whose fields are its positions.
  return (element) => (Array.isArray(element) ? test({ ...element }) : isDocument(element) && test(element));
}

function typeTest(operand: unknown): ValueTest {
  const names = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0) throw new CommandError(9, '$type must match at least one type');
  const wanted = new Set(
    names.flatMap((name) => {
      if (name === 'number') return [1, 16, 18, 19];
      const number = typeof name === 'string' ? typeNumbers[name] : asNumber(name);
      if (Object.values(typeNumbers).includes(number as number)) return [number as number];
      throw badValue(`unknown or unsupported type for $type: ${String(name)}`);
    }),
  );
  return (value) => value !== undefined && wanted.has(typeNumber(value));
}

function modulo(operand: unknown): ValueTest {
  if (!Array.isArray(operand) || operand.length !== 2) throw badValue('malformed mod, needs two elements');
  const [divisor = 0, remainder = 0] = operand.map((item) => Math.trunc(asNumber(item) ?? Number.NaN));
  if (Number.isNaN(divisor + remainder)) throw badValue('malformed mod, not a number');
  if (divisor === 0) throw badValue('divisor cannot be 0');
  return (value) => {
    const number = value instanceof Decimal128 ? Number(value.toString()) : asNumber(value);
    return number !== null && Math.trunc(number) % divisor === remainder;
  };
}
