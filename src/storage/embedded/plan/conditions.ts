import { BSONRegExp, Decimal128 } from 'bson';
import { isOperatorDocument, normalise } from '../query/operands.ts';
import { isArrayIndex } from '../query/path.ts';
import { regexOperand } from '../query/regex.ts';
import { isNotANumber } from '../value/decimal.ts';
import { type Document, isDocument, order, typeOrder } from '../value/types.ts';

/** One comparison that an index could serve; when `exact`, the index can stand in for it. */
export type FieldCondition = { path: string; operator: string; operand: unknown; exact: boolean };

/** A filter taken apart: its comparisons, how many clauses there are in all, and the clauses of each `$or`. */
export type Conditions = { list: FieldCondition[]; clauses: number; alternatives: Document[][] };

const usable = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$regex', '$exists']);

/** Takes a filter apart into comparisons that are all required to hold. */
export function extractConditions(filter: Document): Conditions {
  const result: Conditions = { list: [], clauses: 0, alternatives: [] };
  collect(filter, '', true, result);
  return result;
}

function collect(filter: Document, prefix: string, exact: boolean, into: Conditions): void {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$comment') continue;
    if (key === '$and' && Array.isArray(condition)) {
      for (const clause of condition) collect(clause as Document, prefix, exact, into);
    } else if (key === '$or' && Array.isArray(condition) && condition.length === 1) {
      collect(condition[0] as Document, prefix, exact, into);
    } else if (key.startsWith('$')) {
      into.clauses += 1;
      if (key === '$or' && prefix === '') into.alternatives.push(condition as Document[]);
    } else {
      collectField(prefix + key, normalise(condition), exact, into);
    }
  }
}

function collectField(path: string, operators: Document, exact: boolean, into: Conditions): void {
  const positional = path.split('.').some(isArrayIndex);
  for (const [operator, operand] of Object.entries(operators)) {
    if (operator === '$options' || operator === '$comment') continue;
    into.clauses += 1;
    if (positional && (!exact || acceptsNull(operator, operand))) continue;
    if (operator === '$elemMatch' && isDocument(operand) && !isOperatorDocument(operand)) {
      collect(operand, `${path}.`, false, into);
    } else if (operator === '$regex') {
      const { pattern, flags } = regexOperand(operand, operators.$options);
      into.list.push({ path, operator, operand: new BSONRegExp(pattern, flags), exact });
    } else if (usable.has(operator)) {
      into.list.push({ path, operator, operand, exact });
    }
  }
}

/**
 * Where a part of a path is a number, an index knows only the element at that position. A filter also looks for a field
 * of that name in the documents of the array, where it is missing; and $elemMatch sees an array as such a document.
 */
function acceptsNull(operator: string, operand: unknown): boolean {
  const operands = operator === '$in' && Array.isArray(operand) ? operand : [operand];
  return operands.some((value) => value === null || value === undefined);
}

const { null: nothing, number, string, object, binary, objectId, boolean, date, timestamp } = order;
const rangeTypes = new Set<number>([number, string, binary, objectId, boolean, date, timestamp]);

/** True for values whose equality an index can answer; arrays and regular expressions are not among them. */
export function isPoint(value: unknown): boolean {
  const type = typeOrder(value);
  return rangeTypes.has(type) || type === nothing || type === object;
}

/** True for values that a range in an index can be bounded by. */
export function isRangeBound(value: unknown): boolean {
  return rangeTypes.has(typeOrder(value)) && !isNotANumber(value);
}

/** True when an index entry for the value says exactly that the value is there. */
export function isExactPoint(value: unknown): boolean {
  return value !== null && value !== undefined && !holds(value, (part) => part instanceof Decimal128);
}

/** True when a value (or something in it) is compared by the collation. */
export const hasText = (value: unknown): boolean => holds(value, (part) => typeOrder(part) === order.string);

function holds(value: unknown, test: (part: unknown) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, test));
  if (isDocument(value)) return Object.values(value).some((item) => holds(item, test));
  return test(value);
}
