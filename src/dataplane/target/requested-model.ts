import type { Call, RequestBody } from '../call/call.ts';
import { fieldOf } from '../forms/form.ts';

/** The model of a body that the gateway reads: JSON or a form; null when it names none. */
export function namedModel(body: RequestBody): string | null {
  if (body.kind === 'json') return typeof body.value.model === 'string' ? body.value.model : null;
  if (body.kind === 'none' || body.form === null) return null;
  return fieldOf(body.form, 'model');
}

/** Whether a config's default model takes effect: the request has a place for one and nothing there, not even null. */
export function lacksModel({ body, route }: Pick<Call, 'body' | 'route'>): boolean {
  if (body.kind === 'json') return !Object.hasOwn(body.value, 'model');
  // A session without a model in its query; nothing else takes a model without a body.
  if (body.kind === 'none') return route.endpoint === 'realtime';
  return body.form !== null && !body.form.parts.some(({ name }) => name === 'model');
}
