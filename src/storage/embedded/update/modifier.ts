import { badValue, CommandError, failedToParse } from '../errors.ts';
import type { FilterContext } from '../query/filter.ts';
import { compareStrings } from '../value/compare.ts';
import { type Document, isDocument } from '../value/types.ts';
import { compileFieldOperator, type FieldOperator } from './field-operators.ts';
import { expandPath, findSlot, type Positions } from './slots.ts';

/** One path with what happens there. */
type Step = {
  name: string;
  path: string;
  parts: string[];
  run: (document: Document, positions: Positions) => void;
};

/** Operators compiled into steps, applied to a document in place. */
export type Modifier = (document: Document, positions: Positions, inserting: boolean) => void;

/** Compiles `{ $set: {...}, $inc: {...} }`. Fields are visited in the order of their names, as a server does. */
export function compileModifier(update: Document, context: FilterContext): Modifier {
  const steps: Step[] = [];
  for (const [name, fields] of Object.entries(update)) {
    if (!isDocument(fields))
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${name}: ...}`,
      );
    for (const [path, operand] of Object.entries(fields))
      steps.push(...compileSteps(name, path, operand, context));
  }
  steps.sort((left, right) => comparePaths(left.parts, right.parts));
  checkConflicts(steps);
  return (document, positions, inserting) => {
    for (const step of steps) if (inserting || step.name !== '$setOnInsert') step.run(document, positions);
  };
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
  for (let i = 1; i < steps.length; i++) {
    const { path } = steps[i] as Step;
    const clash = steps.slice(0, i).find((other) => path === other.path || path.startsWith(`${other.path}.`));
    if (clash)
      throw new CommandError(40, `Updating the path '${path}' would create a conflict at '${clash.path}'`);
  }
}

function checkPath(path: string, parts: string[]): void {
  if (path === '' || parts.includes('')) {
    throw new CommandError(
      56,
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    );
  }
  if (parts[0] === '$' || /^\$\[/.test(parts[0] ?? '')) {
    throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  }
  for (const part of parts) {
    if (part.startsWith('$') && part !== '$' && !/^\$\[\w*\]$/.test(part) && parts.length === 1) {
      throw new CommandError(
        52,
        `The dollar ($) prefixed field '${part}' in '${path}' is not allowed in the context of an update's replacement document.`,
      );
    }
  }
}

function compileSteps(name: string, path: string, operand: unknown, context: FilterContext): Step[] {
  const parts = path.split('.');
  checkPath(path, parts);
  if (name === '$unset') {
    return [{ name, path, parts, run: (document, positions) => unset(document, parts, positions) }];
  }
  if (name === '$rename') return renameSteps(path, parts, operand);
  const operator = compileFieldOperator(name, path, operand, context);
  return [{ name, path, parts, run: (document, positions) => change(document, parts, positions, operator) }];
}

function change(document: Document, parts: string[], positions: Positions, operator: FieldOperator): void {
  for (const path of expandPath(document, parts, positions)) {
    const slot = findSlot(document, path, operator.creates);
    if (!slot) continue;
    const value = operator.change(slot.value, path.join('.'));
    if (value !== undefined) slot.set(value);
  }
}

function unset(document: Document, parts: string[], positions: Positions): void {
  for (const path of expandPath(document, parts, positions)) findSlot(document, path, false)?.unset();
}

/** Both paths take part in the check for conflicts; the work is done at the first. */
function renameSteps(path: string, parts: string[], operand: unknown): Step[] {
  if (typeof operand !== 'string') throw badValue(`The 'to' field for $rename must be a string: ${path}`);
  const target = operand.split('.');
  checkPath(operand, target);
  if (operand === path)
    throw badValue(`The source and target field for $rename must differ: ${path}: "${operand}"`);
  if ([...parts, ...target].some((part) => part.startsWith('$')))
    throw badValue(`The source and target field for $rename may not be dynamic: ${path}`);
  const run = (document: Document): void => {
    const source = findSlot(document, parts, false);
    if (!source) return;
    source.unset();
    findSlot(document, target, true)?.set(source.value);
  };
  return [
    { name: '$rename', path, parts, run },
    { name: '$rename', path: operand, parts: target, run: () => {} },
  ];
}
