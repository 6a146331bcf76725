import type { RequestBody } from './call.ts';
import { fieldOf } from './forms/form.ts';

/** Bytes of a body in which the `model` field of a multipart form is looked for. */
const FORM_HEAD = 64 * 1024;

/** The model of a body that the gateway reads: JSON or a form; null when it names none. */
export function namedModel(body: RequestBody): string | null {
  if (body.kind === 'json') return text(body.value.model);
  if (body.kind === 'none' || body.form === null) return null;
  return fieldOf(body.form, 'model');
}

/**
 * The model that a body asks for, whatever its content type says: a rule about models must not depend on a label that the
 * caller sets. Null when it names none or cannot be read.
 */
export function requestedModel(body: RequestBody): string | null {
  const named = namedModel(body);
  if (named !== null || body.kind !== 'bytes') return named;
  const field = /name="?model"?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]{1,256})/i.exec(
    body.bytes.toString('latin1', 0, FORM_HEAD),
  );
  return text(parsed(body.bytes)?.model) ?? field?.[1] ?? null;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function parsed(bytes: Buffer): { model?: unknown } | null {
  try {
    return JSON.parse(bytes.toString('utf8')) as { model?: unknown } | null;
  } catch {
    // No JSON: then it names no model in a way that a provider would read either.
    return null;
  }
}
