import { badValue } from '../errors.ts';
import { type Document, isDocument, order, typeOrder } from '../value/types.ts';

/** The fields of a DBRef: their names begin with a dollar sign, and they are no operators. */
export const referenceFields = new Set(['$ref', '$id', '$db']);

/** True for `{ $gt: 1 }` and false for a document that is meant literally. */
export function isOperatorDocument(condition: unknown): condition is Document {
  if (!isDocument(condition)) return false;
  const first = Object.keys(condition)[0];
  return first?.startsWith('$') === true && !referenceFields.has(first);
}

export const isRegex = (value: unknown): boolean => typeOrder(value) === order.regex;

/** Every condition as a document of operators. */
export function normalise(condition: unknown): Document {
  if (isRegex(condition)) return { $regex: condition };
  if (!isOperatorDocument(condition)) return { $eq: condition };
  const plain = Object.keys(condition).find((name) => !name.startsWith('$'));
  if (plain !== undefined) throw badValue(`unknown operator: ${plain}`);
  return condition;
}
