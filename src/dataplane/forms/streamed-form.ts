import type { Readable } from 'node:stream';
import { GatewayError } from '../../errors/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import { changedBytes, type FieldChanges } from './field-changes.ts';
import { type Form, fieldOf, secondModel } from './form.ts';
import { type CheckPart, LateParts } from './late-parts.ts';
import { isLikeModel, uncertainForm } from './require-certain.ts';

/**
 * A form of which only the beginning is held, with changes in that. A field that has a say in where the form goes, or that
 * the config changes, must stand in the beginning: the stream breaks with VALIDATION_FAILED for one that comes later.
 */
export function streamedForm(
  form: Form,
  rest: Readable,
  changes: FieldChanges,
  check: CheckPart,
): { content: Readable; growth: number; changed: boolean } {
  const last = form.parts.at(-1);
  // What follows it decides where it ends, and that is not here yet.
  if (last && changes.has(last.name)) throw tooLate(last.name);
  const end = last ? (last.valueEnd ?? last.valueStart) : 0;
  const head = changedBytes(form, changes, end);
  const content = new LateParts(form.boundary, check);
  content.push(head);
  content.write(form.bytes.subarray(end));
  rest.on('error', (error) => content.destroy(error));
  // Whoever reads it is told; it may fail before there is anybody. What the caller still sends is read and forgotten, so
  // that it comes to read its answer.
  content.on('error', () => rest.unpipe(content).resume());
  rest.pipe(content);
  return { content, growth: head.length - end, changed: changes.size > 0 };
}

/**
 * What `streamedForm` asks of a part that comes later: it may not have a say in what is decided by then. `restrictsModels`:
 * the target's models are restricted.
 */
export function lateCheck(
  form: Form,
  { defaultParams, overrideParams, dropParams }: Leaf,
  restrictsModels: boolean,
): CheckPart {
  const decided = new Set([
    ...Object.keys(defaultParams ?? {}),
    ...Object.keys(overrideParams ?? {}),
    ...dropParams,
  ]);
  const isModelKnown = fieldOf(form, 'model') !== null;
  const [important] = restrictsModels ? ['model'] : decided;
  return ({ name, isCertain }, first) => {
    if (name === 'model' && isModelKnown) throw secondModel();
    if (decided.has(name) || (name === 'model' && first === '@')) throw tooLate(name);
    if (restrictsModels && isLikeModel(name)) throw tooLate(name);
    if (!isCertain && important !== undefined)
      throw uncertainForm(important, 'the headers of a part behind its first file are unusual');
  };
}

const tooLate = (name: string) =>
  new GatewayError('VALIDATION_FAILED', {
    message: `In a form of this size the field ${name} must stand before the first file.`,
    param: name,
  });
