import { badValue } from '../errors.ts';
import { compileExpression } from '../expression/expression.ts';
import type { Fold } from '../value/compare.ts';
import { type Document, expectDocument, isDocument, order, typeOrder } from '../value/types.ts';
import { compileOperators } from './operators.ts';
import { parsePath } from './path.ts';

export type Predicate = (document: Document) => boolean;

/** What a filter is compiled with: how strings compare, and the variables that `let` defined. */
export type FilterContext = { fold?: Fold | undefined; variables?: Document | undefined };

/** A compiled filter: the test, and the top-level fields it looks at (null: the whole document). */
export type Filter = { test: Predicate; fields: Set<string> | null; source: Document };

/** Compiles a query filter with the comparison semantics of BSON. */
export function compileFilter(source: Document, context: FilterContext = {}): Filter {
  const fields = new Set<string>();
  const test = compileClauses(source, context, fields, false);
  return { test, fields: fields.has('$expr') ? null : fields, source };
}

/** Compiles a filter on the fields of an array's element, which may be a DBRef. */
export const compileElementFilter = (source: Document, context: FilterContext): Predicate =>
  compileClauses(source, context, new Set(), true);

const referenceFields = new Set(['$ref', '$id', '$db']);

/** Compiles clauses that must all hold, and notes what they look at. */
function compileClauses(
  source: Document,
  context: FilterContext,
  fields: Set<string>,
  isElement: boolean,
): Predicate {
  const predicates: Predicate[] = [];
  for (const [key, condition] of Object.entries(source)) {
    if (key === '$comment') continue;
    if (isElement && referenceFields.has(key)) {
      // A server takes what stands there as a value, operators too.
      predicates.push(compileOperators([key], { $eq: condition }, context));
    } else if (key.startsWith('$'))
      predicates.push(compileTopLevel(key, condition, context, fields, isElement));
    else {
      const path = parsePath(key);
      fields.add(path[0] as string);
      predicates.push(compileOperators(path, normalise(condition), context));
    }
  }
  return all(predicates);
}

/** A test that holds when all of them do. */
export function all(predicates: Predicate[]): Predicate {
  const [first, second] = predicates;
  if (!first) return () => true;
  if (!second) return first;
  if (predicates.length === 2) return (document) => first(document) && second(document);
  return (document) => {
    for (const predicate of predicates) if (!predicate(document)) return false;
    return true;
  };
}

const combinations: Record<string, (clauses: Predicate[]) => Predicate> = {
  $and: all,
  $or: (clauses) => (document) => clauses.some((clause) => clause(document)),
  $nor: (clauses) => (document) => !clauses.some((clause) => clause(document)),
};

function compileTopLevel(
  key: string,
  operand: unknown,
  context: FilterContext,
  fields: Set<string>,
  isElement: boolean,
): Predicate {
  const combine = combinations[key];
  if (combine) {
    if (!Array.isArray(operand) || operand.length === 0)
      throw badValue(`${key} argument must be a non-empty array`);
    const clauses = operand.map((clause) => expectDocument(clause, 2, `${key} entries must be objects`));
    return combine(clauses.map((clause) => compileClauses(clause, context, fields, isElement)));
  }
  if (key !== '$expr') throw badValue(`unknown top level operator: ${key}`);
  fields.add(key);
  const expression = compileExpression(operand, context.variables);
  return (document) => isTruthy(expression(document));
}

/** How an expression's value counts as a condition: zero, null and missing are false, an empty string is true. */
const isTruthy = (value: unknown): boolean => !falsy.has(value);
const falsy = new Set<unknown>([false, 0, 0n, null, undefined]);

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
