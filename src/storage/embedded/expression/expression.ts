import { Decimal128, ObjectId } from 'bson';
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import * as mingoAccumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import * as queries from 'mingo/operators/query';
import * as windows from 'mingo/operators/window';
import { CommandError, notImplemented } from '../errors.ts';
import { compareValues, equalValues } from '../value/compare.ts';
import { plainDocument, plainExpression, toPlain } from '../value/plain.ts';
import { type Document, isDocument, order, typeName, typeOrder } from '../value/types.ts';
import { accumulatorNames, parseAccumulator } from './accumulators.ts';

/** A compiled aggregation expression; it yields undefined for a missing field. */
export type Expression = (document: Document) => unknown;

/** What mingo passes to its operators: we only carry it around and set the document of the moment. */
type Computation = { update(locals: { root: unknown; variables?: Document }): Computation };
type Operator = (document: unknown, argument: unknown, options: Computation) => unknown;

const evaluate = evalExpr as (document: unknown, expression: unknown, options: unknown) => unknown;

/** In expressions, unlike in queries, a missing field is less than null. */
function compareMissing(left: unknown, right: unknown): number {
  if (left !== undefined && right !== undefined) return compareValues(left, right);
  return Number(right === undefined) - Number(left === undefined);
}

/** Turns a function of the evaluated argument into one of mingo's operators. */
const onValue =
  (compute: (value: unknown) => unknown): Operator =>
  (document, argument, options) =>
    compute(evaluate(document, argument, options));

const compared = (answer: (difference: number) => unknown): Operator =>
  onValue((value) => {
    const [left, right] = value as unknown[];
    return answer(compareMissing(left, right));
  });

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Our accumulators in mingo's form: inside its stages they take documents, anywhere else they are operators on a list
 * (`{ $sum: ["$a", "$b"] }`).
 */
const accumulating =
  (name: string): Operator =>
  (subject, argument, options) => {
    const { accumulator, input } = parseAccumulator(name, argument ?? '$$CURRENT');
    const [only, ...more] = listOf(input);
    const values = Array.isArray(subject)
      ? mingoAccumulators.$push(subject, input as never, options as never)
      : listOf(evaluate(subject, more.length > 0 ? input : only, options));
    const state = values.reduce(
      (current, value) => accumulator.add(current, toPlain(value), () => {}),
      accumulator.start(),
    );
    return accumulator.result(state);
  };

const accumulators = Object.fromEntries(accumulatorNames.map((name) => [name, accumulating(name)]));
const { $sum, $avg, $min, $max, $median, $percentile } = accumulators as Record<string, Operator>;

/** Elements that an array made by one operator may have; one very large array would end the process. */
const longestArray = 4_000_000;

function bounded(length: number): void {
  if (length > longestArray)
    throw new CommandError(292, `an expression would make an array of ${length} elements`);
}

function concatArrays(given: unknown): unknown[] | null {
  const lists = given as unknown[];
  if (lists.some((list) => list === null || list === undefined)) return null;
  const wrong = lists.find((list) => !Array.isArray(list));
  if (wrong !== undefined)
    throw new CommandError(28664, `$concatArrays only supports arrays, not ${typeName(wrong)}`);
  bounded((lists as unknown[][]).reduce((sum, list) => sum + list.length, 0));
  return lists.flat();
}

function range(given: unknown): number[] {
  const [start, end, step = 1] = given as number[];
  if (![start, end, step].every(Number.isInteger) || step === 0)
    throw new CommandError(34443, '$range requires whole numbers, and a step other than zero');
  const length = Math.max(0, Math.ceil((Number(end) - Number(start)) / step));
  bounded(length);
  return Array.from({ length }, (_, i) => Number(start) + i * step);
}

/** Operators whose mingo versions do not know BSON's order or BSON's types. */
const corrections: Record<string, Operator | undefined> = {
  $eq: compared((difference) => difference === 0),
  $ne: compared((difference) => difference !== 0),
  $gt: compared((difference) => difference > 0),
  $gte: compared((difference) => difference >= 0),
  $lt: compared((difference) => difference < 0),
  $lte: compared((difference) => difference <= 0),
  $cmp: compared((difference) => difference),
  $in: onValue((value) => {
    const [item, list] = value as unknown[];
    if (Array.isArray(list)) return list.some((candidate) => equalValues(candidate, item));
    throw new CommandError(40081, `$in requires an array as a second argument, found: ${typeName(list)}`);
  }),
  $type: onValue(typeName),
  $isNumber: onValue((value) => value !== undefined && typeOrder(value) === order.number),
  $toString: (document, argument, options) => {
    const value = evaluate(document, argument, options);
    if (value instanceof ObjectId || value instanceof Decimal128) return value.toString();
    return (expressions.$toString as unknown as Operator)(document, { $literal: value }, options);
  },
  $toObjectId: onValue((value) => {
    if (value === null || value === undefined) return null;
    if (value instanceof ObjectId) return value;
    if (typeof value === 'string' && ObjectId.isValid(value) && value.length === 24)
      return new ObjectId(value);
    throw new CommandError(
      241,
      `Failed to parse objectId '${String(value)}' in $convert with no onError value`,
    );
  }),
  $concatArrays: onValue(concatArrays),
  $range: onValue(range),
  // $first and $last are operators on lists in mingo too.
  ...{ $sum, $avg, $min, $max, $median, $percentile },
};

/** Operators that would run a script, and some that mingo answers wrongly. */
const refused = new Set(['$function', '$accumulator', '$where', '$bsonSize', '$toDecimal']);

type Table = Record<string, never>;
const operators = {
  expression: { ...expressions, ...corrections } as unknown as Table,
  accumulator: accumulators as unknown as Table,
};
const context = Context.init(operators);

/** What mingo's own stages need; its window functions are built on its $function, which users cannot reach. */
const stageContext = Context.init({
  ...operators,
  pipeline: stages as unknown as Table,
  projection: projections as unknown as Table,
  query: queries as unknown as Table,
  window: windows as unknown as Table,
});

/**
 * mingo copies all its operator tables for every evaluation unless it is given its own options object back. That
 * object is not exported, so an operator of ours hands it out; this makes an evaluation ten times faster.
 */
function newComputation(): Computation {
  const capturing = Context.from(context).addExpressionOps({
    $captureOptions: ((_d: unknown, _a: unknown, options: unknown) => options) as never,
  });
  return evaluate({}, { $captureOptions: 1 }, { context: capturing, scriptEnabled: false }) as Computation;
}

const known = new Set([...Object.keys(expressions), ...Object.keys(corrections)]);

/**
 * Refuses operators when an expression is compiled, so that an empty collection does not hide them. In the arguments
 * of a stage there are other operators than those of expressions, so that unknown ones are left to the stage.
 */
export function checkOperators(expression: unknown, inStage = false): void {
  if (Array.isArray(expression)) for (const item of expression) checkOperators(item, inStage);
  if (!isDocument(expression)) return;
  const entries = Object.entries(expression);
  for (const [key, item] of entries) {
    if (refused.has(key)) throw notImplemented(`${key} is not supported`);
    if (key.startsWith('$') && !inStage) {
      if (entries.length > 1)
        throw new CommandError(15983, 'an object representing an expression must have exactly one field');
      if (!known.has(key)) throw new CommandError(168, `Unrecognized expression '${key}'`);
    }
    if (key !== '$literal') checkOperators(item, inStage);
  }
}

/** Compiles an expression; plain field paths and literals do without mingo. Documents may have exact numbers. */
export function compileExpression(source: unknown, variables?: Document): Expression {
  checkOperators(source);
  if (isDocument(source) && !Object.keys(source).some((key) => key.startsWith('$')))
    return compileFields(source, variables);
  const expression = plainExpression(source);
  const text = typeof expression === 'string' ? expression : '';
  if (/^\$[^$]/.test(text)) return compilePath(text.slice(1));
  if (!text.startsWith('$') && !isDocument(expression) && !Array.isArray(expression)) return () => expression;
  const shared = plainDocument(variables ?? {});
  const computation = newComputation();
  return (document) => {
    const root = plainDocument(document);
    return guarded(() => evaluate(root, expression, computation.update({ root, variables: shared })));
  };
}

/** A document of expressions; what yields nothing is left out. */
function compileFields(source: Document, variables?: Document): Expression {
  const fields = Object.entries(source).map(
    ([name, value]) => [name, compileExpression(value, variables)] as const,
  );
  return (document) => {
    const result: Document = {};
    for (const [name, expression] of fields) {
      const value = expression(document);
      if (value !== undefined) result[name] = value;
    }
    return result;
  };
}

/** Runs one of mingo's stages over documents. */
export function runWithMingo(
  stage: Document,
  documents: Document[],
  resolve: (name: string) => Document[],
): Document[] {
  return guarded(() => {
    const options = { context: stageContext, collectionResolver: resolve, scriptEnabled: true };
    return new Aggregator([stage], options as never).run<Document>(documents as never);
  });
}

function guarded<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError(message.startsWith('Use of undefined variable') ? 17276 : 16020, message);
  }
}

function compilePath(path: string): Expression {
  const parts = path.split('.');
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) {
    return (document) => (Object.hasOwn(document, first) ? toPlain(document[first]) : undefined);
  }
  return (document) => toPlain(follow(document, parts, 0));
}

/** Field paths in expressions go through arrays, and never index them. */
function follow(value: unknown, parts: string[], depth: number): unknown {
  if (depth === parts.length) return value;
  if (Array.isArray(value)) {
    return value.map((item) => follow(item, parts, depth)).filter((item) => item !== undefined);
  }
  const part = parts[depth] as string;
  return isDocument(value) && Object.hasOwn(value, part) ? follow(value[part], parts, depth + 1) : undefined;
}
