import { Timestamp } from 'bson';
import { badValue, failedToParse, typeMismatch } from '../errors.ts';
import type { FilterContext } from '../query/filter.ts';
import { compareValues } from '../value/compare.ts';
import { type Document, isDocument, typeName } from '../value/types.ts';
import { combine, combineBits, isInteger, isNumeric } from './arithmetic.ts';
import {
  type Change,
  compileAddToSet,
  compilePop,
  compilePull,
  compilePullAll,
  compilePush,
  copyValue,
} from './array-operators.ts';

/** What an operator does to the value at its path. `creates`: it also makes the field when there is none. */
export type FieldOperator = { change: Change; creates: boolean };

const creating = (change: Change): FieldOperator => ({ change, creates: true });
const touching = (change: Change): FieldOperator => ({ change, creates: false });

/** Compiles one operator for one path. `$unset`, `$rename` and `$setOnInsert` are handled by their caller. */
export function compileFieldOperator(
  name: string,
  path: string,
  operand: unknown,
  context: FilterContext,
): FieldOperator {
  switch (name) {
    case '$set':
    case '$setOnInsert':
      return creating(() => copyValue(operand));
    case '$inc':
      return creating(arithmetic('add', '$inc', 'increment', path, operand));
    case '$mul':
      return creating(arithmetic('multiply', '$mul', 'multiply', path, operand));
    case '$min':
      return creating((value) =>
        value === undefined || compareValues(operand, value, context.fold) < 0 ? copyValue(operand) : value,
      );
    case '$max':
      return creating((value) =>
        value === undefined || compareValues(operand, value, context.fold) > 0 ? copyValue(operand) : value,
      );
    case '$currentDate':
      return creating(currentDate(operand));
    case '$bit':
      return creating(bitwise(operand));
    case '$push':
      return creating(compilePush(operand));
    case '$addToSet':
      return creating(compileAddToSet(operand));
    case '$pull':
      return touching(compilePull(operand, context));
    case '$pullAll':
      return touching(compilePullAll(operand));
    case '$pop':
      return touching(compilePop(operand));
    default:
      throw failedToParse(
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
  }
}

function arithmetic(
  operation: 'add' | 'multiply',
  name: string,
  verb: string,
  path: string,
  operand: unknown,
): Change {
  if (!isNumeric(operand))
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${String(operand)}}`);
  return (value, place) => {
    if (value === undefined) return operation === 'add' ? operand : combine('multiply', operand, 0);
    if (!isNumeric(value)) {
      throw typeMismatch(
        `Cannot apply ${name} to a value of non-numeric type. The field '${place}' is of type ${typeName(value)}`,
      );
    }
    return combine(operation, value, operand);
  };
}

function currentDate(operand: unknown): Change {
  const type =
    operand === true || operand === false ? 'date' : isDocument(operand) ? operand.$type : undefined;
  if (type === 'date') return () => new Date();
  if (type === 'timestamp') return () => new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
  throw badValue(
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

function bitwise(operand: unknown): Change {
  if (!isDocument(operand))
    throw badValue('The $bit modifier is not compatible with a non-document argument');
  const steps = Object.entries(operand as Document);
  if (steps.length === 0)
    throw badValue(
      'You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}',
    );
  for (const [name, mask] of steps) {
    if (!['and', 'or', 'xor'].includes(name))
      throw badValue(`The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    if (!isInteger(mask)) throw badValue('The $bit modifier field must be an Integer(32/64 bit)');
  }
  return (value) => {
    if (value !== undefined && !isInteger(value))
      throw badValue(`Cannot apply $bit to a value of non-integral type ${typeName(value)}`);
    return steps.reduce<unknown>((result, [name, mask]) => combineBits(name, result, mask), value ?? 0);
  };
}
