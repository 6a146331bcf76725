import { BSONRegExp } from 'bson';
import { badValue, CommandError } from '../errors.ts';
import { compileExpression } from '../expression.ts';
import type { Fold } from '../value/compare.ts';
import { type Document, isDocument } from '../value/types.ts';
import { compileOperators } from './operators.ts';
import { parsePath } from './path.ts';

export type Predicate = (document: Document) => boolean;

/** What a filter is compiled with: how strings compare, and the variables that `let` defined. */
export type FilterContext = { fold?: Fold; variables?: Document };

/** A compiled filter: the test, and the top-level fields it looks at (null: the whole document). */
export type Filter = { test: Predicate; fields: Set<string> | null; source: Document };

const ignored = new Set(['$comment']);

/** Compiles a query filter with the comparison semantics of BSON. */
export function compileFilter(source: Document, context: FilterContext = {}): Filter {
  const fields = new Set<string>();
  const state = { fields, whole: false };
  const test = compileClauses(source, context, state);
  return { test, fields: state.whole ? null : fields, source };
}

type State = { fields: Set<string>; whole: boolean };

function compileClauses(source: Document, context: FilterContext, state: State): Predicate {
  const predicates: Predicate[] = [];
  for (const [key, condition] of Object.entries(source)) {
    if (ignored.has(key)) continue;
    predicates.push(
      key.startsWith('$')
        ? compileTopLevel(key, condition, context, state)
        : compileField(key, condition, context, state),
    );
  }
  return all(predicates);
}

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

function compileTopLevel(key: string, condition: unknown, context: FilterContext, state: State): Predicate {
  switch (key) {
    case '$and':
      return all(clauseList(key, condition, context, state));
    case '$or': {
      const clauses = clauseList(key, condition, context, state);
      return (document) => clauses.some((clause) => clause(document));
    }
    case '$nor': {
      const clauses = clauseList(key, condition, context, state);
      return (document) => !clauses.some((clause) => clause(document));
    }
    case '$expr': {
      state.whole = true;
      const expression = compileExpression(condition, context.variables);
      return (document) => isTruthy(expression(document));
    }
    case '$alwaysTrue':
      return () => true;
    case '$alwaysFalse':
      return () => false;
    case '$text':
    case '$where':
    case '$jsonSchema':
      throw badValue(`${key} is not supported`);
    default:
      throw badValue(
        `unknown top level operator: ${key}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

/** How an expression's value counts as a condition: zero, null and missing are false, an empty string is true. */
export function isTruthy(value: unknown): boolean {
  return value !== false && value !== 0 && value !== null && value !== undefined && value !== 0n;
}

function clauseList(key: string, condition: unknown, context: FilterContext, state: State): Predicate[] {
  if (!Array.isArray(condition)) throw badValue(`${key} argument must be an array`);
  if (condition.length === 0) throw badValue(`${key} argument must be a non-empty array`);
  return condition.map((clause) => {
    if (!isDocument(clause)) throw badValue(`${key} argument's entries must be objects`);
    return compileClauses(clause, context, state);
  });
}

/** True for `{ $gt: 1 }` and false for a document that is meant literally. */
export function isOperatorDocument(condition: unknown): condition is Document {
  if (!isDocument(condition)) return false;
  const first = Object.keys(condition)[0];
  return first?.startsWith('$') === true && !['$ref', '$id', '$db'].includes(first);
}

function compileField(key: string, condition: unknown, context: FilterContext, state: State): Predicate {
  const path = parsePath(key);
  state.fields.add(path[0] as string);
  return compileOperators(path, normalise(condition), context);
}

/** Every condition as a document of operators. */
export function normalise(condition: unknown): Document {
  if (condition instanceof BSONRegExp || condition instanceof RegExp) return { $regex: condition };
  if (!isOperatorDocument(condition)) return { $eq: condition };
  for (const name of Object.keys(condition)) {
    if (!name.startsWith('$')) throw new CommandError(2, `unknown operator: ${name}`);
  }
  return condition;
}
