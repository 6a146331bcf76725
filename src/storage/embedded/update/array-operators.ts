import { BSONRegExp } from 'bson';
import { badValue, typeMismatch } from '../errors.ts';
import { compileElement, compileOperators, type FilterContext, isFilter } from '../query/filter.ts';
import { normalise } from '../query/operands.ts';
import { keyComparator, keyReader, parseSort } from '../query/sort.ts';
import { compareValues, equalValues } from '../value/compare.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { asNumber, type Document, isDocument, typeName } from '../value/types.ts';
import type { FieldChange } from './walk.ts';

/** A change of an array; for the operators that create it, a missing one is empty. */
function onArray(change: (array: unknown[]) => unknown[]): FieldChange {
  return (value = [], path) => {
    if (Array.isArray(value)) return change(value);
    throw badValue(`The field '${path}' must be an array but is of type ${typeName(value)}`);
  };
}

function whole(value: unknown, what: string): number {
  const number = asNumber(value);
  if (number === null || !Number.isInteger(number))
    throw badValue(`The value for ${what} must be an integer value but was given type: ${typeName(value)}`);
  return number;
}

const pushModifiers = new Set(['$each', '$slice', '$sort', '$position']);

/** `$push` with its modifiers. */
export function compilePush(operand: unknown): FieldChange {
  const modifiers: Document = isDocument(operand) && '$each' in operand ? operand : { $each: [operand] };
  const unknown = Object.keys(modifiers).find((name) => !pushModifiers.has(name));
  if (unknown) throw badValue(`Unrecognized clause in $push: ${unknown}`);
  const items = modifiers.$each;
  if (!Array.isArray(items))
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(items)}`);
  const position = modifiers.$position === undefined ? null : whole(modifiers.$position, '$position');
  const slice = modifiers.$slice === undefined ? null : whole(modifiers.$slice, '$slice');
  const sort = modifiers.$sort === undefined ? null : compileSort(modifiers.$sort);
  return onArray((array) => {
    const pushed = array.toSpliced(position ?? array.length, 0, ...items);
    if (sort) pushed.sort(sort);
    if (slice === null) return pushed;
    return slice < 0 ? pushed.slice(slice) : pushed.slice(0, slice);
  });
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

export function compileAddToSet(operand: unknown): FieldChange {
  const items = isDocument(operand) && '$each' in operand ? operand.$each : [operand];
  if (!Array.isArray(items))
    throw typeMismatch(
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(items)}`,
    );
  return onArray((array) => {
    const set = [...array];
    const present = new Set(array.map((element) => equalityKey(element)));
    for (const item of items) {
      const key = equalityKey(item);
      if (!present.has(key)) set.push(item);
      present.add(key);
    }
    return set;
  });
}

/** `$pull` takes a value, operators for the elements, or a filter on their fields. */
export function compilePull(operand: unknown, context: FilterContext): FieldChange {
  const matches = pullTest(operand, context);
  return onArray((array) => array.filter((element) => !matches(element)));
}

function pullTest(operand: unknown, context: FilterContext): (element: unknown) => boolean {
  if (isDocument(operand) && isFilter(operand)) {
    const matches = compileElement(operand, context);
    return (element) => isDocument(element) && matches(element);
  }
  if (isDocument(operand) || operand instanceof BSONRegExp) {
    const predicate = compileOperators(['element'], normalise(operand), context);
    return (element) => predicate({ element });
  }
  return (element) => equalValues(element, operand, context.fold);
}

export function compilePullAll(operand: unknown): FieldChange {
  if (!Array.isArray(operand))
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  const unwanted = new Set(operand.map((item) => equalityKey(item)));
  return onArray((array) => array.filter((element) => !unwanted.has(equalityKey(element))));
}

export function compilePop(operand: unknown): FieldChange {
  const end = asNumber(operand);
  if (end !== 1 && end !== -1) throw badValue(`$pop expects 1 or -1, found: ${String(operand)}`);
  return onArray((array) => (end === 1 ? array.slice(0, -1) : array.slice(1)));
}
