import { Timestamp } from 'bson';
import { badValue, CommandError, failedToParse, notImplemented, typeMismatch } from '../errors.ts';
import type { FilterContext } from '../query/filter.ts';
import { compareStrings, compareValues } from '../value/compare.ts';
import { type Document, expectDocument, isDocument, typeName } from '../value/types.ts';
import { combine, isNumeric } from './arithmetic.ts';
import { compileAddToSet, compilePop, compilePull, compilePullAll, compilePush } from './array-operators.ts';
import { type Edit, editAt, type FieldChange, isPositional, type Positions, removed } from './walk.ts';

type CompileEdit = (operand: unknown, path: string, context: FilterContext) => Edit;

const creates = (change: FieldChange): Edit => ({ change, creates: true });
const touches = (change: FieldChange): Edit => ({ change, creates: false });

const operators: Record<string, CompileEdit> = {
  $set: (operand) => creates(() => operand),
  $setOnInsert: (operand) => creates(() => operand),
  $unset: () => touches(() => removed),
  $inc: (operand, path) => creates(arithmetic('$inc', path, operand)),
  $mul: (operand, path) => creates(arithmetic('$mul', path, operand)),
  $min: (operand, _path, { fold }) =>
    creates((value) => (value === undefined || compareValues(operand, value, fold) < 0 ? operand : value)),
  $max: (operand, _path, { fold }) =>
    creates((value) => (value === undefined || compareValues(operand, value, fold) > 0 ? operand : value)),
  $currentDate: (operand) => creates(currentDate(operand)),
  $push: (operand) => creates(compilePush(operand)),
  $addToSet: (operand) => creates(compileAddToSet(operand)),
  $pull: (operand, _path, context) => touches(compilePull(operand, context)),
  $pullAll: (operand) => touches(compilePullAll(operand)),
  $pop: (operand) => touches(compilePop(operand)),
  $bit: () => {
    throw notImplemented('the update operator $bit is not supported');
  },
};

function arithmetic(operator: '$inc' | '$mul', path: string, operand: unknown): FieldChange {
  if (!isNumeric(operand)) {
    const verb = operator === '$inc' ? 'increment' : 'multiply';
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${String(operand)}}`);
  }
  return (value, place) => {
    if (value === undefined) return operator === '$inc' ? operand : combine('$mul', operand, 0);
    if (isNumeric(value)) return combine(operator, value, operand);
    throw typeMismatch(
      `Cannot apply ${operator} to a value of non-numeric type. The field '${place}' is of type ${typeName(value)}`,
    );
  };
}

function currentDate(operand: unknown): FieldChange {
  const type = typeof operand === 'boolean' ? 'date' : isDocument(operand) ? operand.$type : undefined;
  if (type === 'date') return () => new Date();
  if (type === 'timestamp') return () => new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
  throw badValue(
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

/** One path with what happens there. */
type Step = {
  path: string;
  parts: string[];
  onInsertOnly: boolean;
  run: (document: Document, positions: Positions, own: WeakSet<object>) => Document;
};

/** Compiled operators: they give a changed copy of the document. */
export type Modifier = (document: Document, positions: Positions, inserting: boolean) => Document;

/** Compiles `{ $set: {...}, $inc: {...} }`. Fields are visited in the order of their names, as a server does. */
export function compileModifier(update: Document, context: FilterContext): Modifier {
  const steps = Object.entries(update).flatMap(([name, fields]) => {
    const message = `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${name}: ...}`;
    return Object.entries(expectDocument(fields, 9, message)).flatMap(([path, operand]) =>
      compileSteps(name, path, operand, context),
    );
  });
  steps.sort((left, right) => comparePaths(left.parts, right.parts));
  checkConflicts(steps);
  return (document, positions, inserting) => {
    const own = new WeakSet<object>();
    return steps.reduce(
      (current, { onInsertOnly, run }) =>
        onInsertOnly && !inserting ? current : run(current, positions, own),
      document,
    );
  };
}

function compileSteps(name: string, path: string, operand: unknown, context: FilterContext): Step[] {
  const parts = checkedParts(path);
  if (name === '$rename') return renameSteps(path, parts, operand);
  const compile = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!compile)
    throw failedToParse(
      `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  const edit = compile(operand, path, context);
  const run: Step['run'] = (document, positions, own) => editAt(document, parts, edit, positions, own);
  return [{ path, parts, onInsertOnly: name === '$setOnInsert', run }];
}

/** Both paths take part in the check for conflicts; the work is done at the first. */
function renameSteps(path: string, parts: string[], operand: unknown): Step[] {
  if (typeof operand !== 'string') throw badValue(`The 'to' field for $rename must be a string: ${path}`);
  const target = checkedParts(operand);
  if (operand === path)
    throw badValue(`The source and target field for $rename must differ: ${path}: "${operand}"`);
  if ([...parts, ...target].some((part) => part.startsWith('$')))
    throw badValue(`The source and target field for $rename may not be dynamic: ${path}`);
  const run: Step['run'] = (document, positions, own) => {
    let moved: unknown;
    const take = touches((value) => {
      moved = value;
      return removed;
    });
    const without = editAt(document, parts, take, positions, own);
    const put = creates(() => moved);
    return moved === undefined ? document : editAt(without, target, put, positions, own);
  };
  return [
    { path, parts, onInsertOnly: false, run },
    { path: operand, parts: target, onInsertOnly: false, run: (document) => document },
  ];
}

/** The parts of a path that an update may name. */
function checkedParts(path: string): string[] {
  const parts = path.split('.');
  if (parts.includes('')) {
    throw new CommandError(
      56,
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    );
  }
  if (isPositional(parts[0] as string))
    throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  const [top = ''] = parts;
  if (top.startsWith('$')) {
    throw new CommandError(
      52,
      `The dollar ($) prefixed field '${top}' in '${path}' is not allowed in the context of an update's replacement document.`,
    );
  }
  const malformed = parts.find((part) => part.startsWith('$[') && !isPositional(part));
  if (malformed !== undefined)
    throw badValue(`Error parsing the path '${path}': '${malformed}' is no array filter`);
  return parts;
}

/** Numbers in paths compare as numbers. */
function comparePaths(left: readonly string[], right: readonly string[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const a = left[i] as string;
    const b = right[i] as string;
    if (a === b) continue;
    return /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) - Number(b) : compareStrings(a, b);
  }
  return left.length - right.length;
}

function checkConflicts(steps: Step[]): void {
  const paths = new Set<string>();
  const conflict = (path: string, at: string): CommandError =>
    new CommandError(40, `Updating the path '${path}' would create a conflict at '${at}'`);
  for (const { path } of steps) {
    if (paths.has(path)) throw conflict(path, path);
    paths.add(path);
  }
  for (const { path, parts } of steps) {
    for (let length = 1; length < parts.length; length++) {
      const beginning = parts.slice(0, length).join('.');
      if (paths.has(beginning)) throw conflict(path, beginning);
    }
  }
}
