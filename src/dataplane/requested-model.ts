import type { RequestBody } from './call.ts';
import { fieldOf } from './forms/form.ts';

/** The model of a body that the gateway reads: JSON or a form; null when it names none. */
export function namedModel(body: RequestBody): string | null {
  if (body.kind === 'json') return typeof body.value.model === 'string' ? body.value.model : null;
  if (body.kind === 'none' || body.form === null) return null;
  return fieldOf(body.form, 'model');
}
