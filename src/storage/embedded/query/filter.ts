import { badValue } from '../errors.ts';
import { compileExpression } from '../expression/expression.ts';
import type { Fold } from '../value/compare.ts';
import { type Document, expectDocument, isDocument } from '../value/types.ts';
import { isOperatorDocument, isRegex, normalise, referenceFields } from './operands.ts';
import { field, type Path, parsePath, someValue } from './path.ts';
import { elementOperators, type ValueTest, wantsPresence, wholeOperators } from './value-tests.ts';

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
const compileElementFilter = (source: Document, context: FilterContext): Predicate =>
  compileClauses(source, context, new Set(), true);

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
      // As on a MongoDB server, the condition of a DBRef's field is a value, even when it looks like operators.
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

/** A test that holds when all of them do. */
function all(predicates: Predicate[]): Predicate {
  const [first, second] = predicates;
  if (!first) return () => true;
  if (!second) return first;
  if (predicates.length === 2) return (document) => first(document) && second(document);
  return (document) => {
    for (const predicate of predicates) if (!predicate(document)) return false;
    return true;
  };
}

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
  if (name === '$elemMatch') return reach(path, false, elementMatch(operand, context));
  const operator = elementOperators[name] ?? wholeOperators[name];
  if (!operator) throw badValue(`unknown operator: ${name}`);
  const predicate = reach(path, name in elementOperators, operator(operand, context, siblings));
  return name === '$exists' && !wantsPresence(operand) ? not(predicate) : predicate;
}

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
