import { GatewayError } from '../../errors/index.ts';

/** Segments that lead nowhere else. */
const safe = /^(?!\.{1,2}(?:\/|$))[\w.:@-]{1,255}(?:\/(?!\.{1,2}(?:\/|$))[\w.:@-]{1,255}){0,8}$/;

/** A model whose name becomes part of a path. Throws VALIDATION_FAILED for a name that would lead out of it. */
export function requireInPath(model: string | null): string {
  if (model !== null && safe.test(model)) return model;
  throw new GatewayError('VALIDATION_FAILED', {
    message:
      model === null
        ? 'The request needs a model: this provider has it in the path.'
        : 'model is not the name of a model.',
    param: 'model',
  });
}
