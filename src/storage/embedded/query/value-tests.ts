import { Decimal128 } from 'bson';
import { badValue, CommandError } from '../errors.ts';
import { compareValues, equalValues, type Fold } from '../value/compare.ts';
import { isNotANumber } from '../value/decimal.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { asNumber, type Document, order, typeNumber, typeNumbers, typeOrder } from '../value/types.ts';
import { isOperatorDocument, isRegex } from './operands.ts';
import { compileRegex } from './regex.ts';

/** A test of one value; undefined stands for a missing field. */
export type ValueTest = (value: unknown) => boolean;

/** How strings compare. */
type Comparison = { fold?: Fold | undefined };

/** Makes the test of an operator from its operand and from the operators that stand beside it. */
type ValueOperator = (operand: unknown, comparison: Comparison, siblings: Document) => ValueTest;

/** Operators that look at a value and, when it is an array, at each of its elements. */
export const elementOperators: Record<string, ValueOperator> = {
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
export const wholeOperators: Record<string, ValueOperator> = {
  $exists: () => (value) => value !== undefined,
  $size: arraySize,
};

/** What the operand of `$exists` asks for. */
export const wantsPresence = (operand: unknown): boolean =>
  operand !== false && operand !== null && asNumber(operand) !== 0;

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
function ranging(accept: (difference: number) => boolean): ValueOperator {
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
