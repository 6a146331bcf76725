import { BSONRegExp } from 'bson';
import { badValue, typeMismatch } from '../errors.ts';
import { type FilterContext, isOperatorDocument, normalise } from '../query/filter.ts';
import { compileElement, compileOperators } from '../query/operators.ts';
import { keyComparator, keyReader, parseSort } from '../query/sort.ts';
import { compareValues, equalValues } from '../value/compare.ts';
import { asNumber, type Document, isDocument, typeName } from '../value/types.ts';

/** A change of one value; undefined stands for a missing field, and as a result for "leave it alone". */
export type Change = (value: unknown, path: string) => unknown;

function arrayOf(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw badValue(`The field '${path}' must be an array but is of type ${typeName(value)}`);
}

function whole(value: unknown, what: string): number {
  const number = asNumber(value);
  if (number === null || !Number.isInteger(number))
    throw badValue(`The value for ${what} must be an integer value but was given type: ${typeName(value)}`);
  return number;
}

const pushModifiers = new Set(['$each', '$slice', '$sort', '$position']);

/** `$push` with its modifiers. */
export function compilePush(operand: unknown): Change {
  const modified = isDocument(operand) && '$each' in operand;
  const modifiers: Document = modified ? operand : { $each: [operand] };
  for (const name of Object.keys(modifiers)) {
    if (!pushModifiers.has(name)) throw badValue(`Unrecognized clause in $push: ${name}`);
  }
  const items = modifiers.$each;
  if (!Array.isArray(items))
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(items)}`);
  const position = modifiers.$position === undefined ? null : whole(modifiers.$position, '$position');
  const slice = modifiers.$slice === undefined ? null : whole(modifiers.$slice, '$slice');
  const sort = modifiers.$sort === undefined ? null : compileSort(modifiers.$sort);
  return (value, path) => {
    const array = value === undefined ? [] : [...arrayOf(value, path)];
    array.splice(position ?? array.length, 0, ...structuredItems(items));
    if (sort) array.sort(sort);
    if (slice === null) return array;
    return slice < 0 ? array.slice(slice) : array.slice(0, slice);
  };
}

/** Each document gets its own containers, since one statement may change several documents. */
const structuredItems = (items: unknown[]): unknown[] => items.map(copyValue);

export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyValue(item)]));
}

function compileSort(spec: unknown): (left: unknown, right: unknown) => number {
  if (!isDocument(spec)) {
    const direction = asNumber(spec);
    if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
    return (left, right) => compareValues(left, right) * direction;
  }
  const fields = parseSort(spec);
  const read = keyReader(fields);
  const compare = keyComparator(fields);
  const asDocument = (value: unknown): Document => (isDocument(value) ? value : {});
  return (left, right) => compare(read(asDocument(left)), read(asDocument(right)));
}

export function compileAddToSet(operand: unknown): Change {
  const several = isDocument(operand) && '$each' in operand;
  const items = several ? operand.$each : [operand];
  if (!Array.isArray(items))
    throw typeMismatch(
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(items)}`,
    );
  return (value, path) => {
    const array = value === undefined ? [] : [...arrayOf(value, path)];
    for (const item of structuredItems(items)) {
      if (!array.some((present) => equalValues(present, item))) array.push(item);
    }
    return array;
  };
}

/** `$pull` takes a value, operators for the elements, or a filter on their fields. */
export function compilePull(operand: unknown, context: FilterContext): Change {
  const matches = pullTest(operand, context);
  return (value, path) =>
    value === undefined ? undefined : arrayOf(value, path).filter((element) => !matches(element));
}

function pullTest(operand: unknown, context: FilterContext): (element: unknown) => boolean {
  if (isDocument(operand) && !isOperatorDocument(operand)) {
    const matches = compileElement(operand, context);
    return (element) => isDocument(element) && matches(element);
  }
  if (isDocument(operand) || operand instanceof BSONRegExp) {
    const predicate = compileOperators(['element'], normalise(operand), context);
    return (element) => predicate({ element });
  }
  return (element) => equalValues(element, operand, context.fold);
}

export function compilePullAll(operand: unknown): Change {
  if (!Array.isArray(operand))
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  return (value, path) =>
    value === undefined
      ? undefined
      : arrayOf(value, path).filter((element) => !operand.some((unwanted) => equalValues(unwanted, element)));
}

export function compilePop(operand: unknown): Change {
  const end = asNumber(operand);
  if (end !== 1 && end !== -1) throw badValue(`$pop expects 1 or -1, found: ${String(operand)}`);
  return (value, path) => {
    if (value === undefined) return undefined;
    const array = arrayOf(value, path);
    return end === 1 ? array.slice(0, -1) : array.slice(1);
  };
}
