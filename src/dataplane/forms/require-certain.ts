import { GatewayError } from '../../errors/index.ts';
import type { FieldChanges } from './field-changes.ts';
import { type Form, hasStray } from './form.ts';
import { isPlainName } from './part-head.ts';

/** Whether the bytes of a form are held, or come as a stream. */
type FormBody = { kind: 'bytes' | 'stream' };

/**
 * Throws VALIDATION_FAILED for a form that a provider may read in another way than the gateway, where something is decided
 * or changed by its `field`. Of a form that is not held whole, what is held counts here.
 */
export function requireCertain({ kind }: FormBody, form: Form, field: string): void {
  if (form.hasProse) throw uncertainForm(field, 'there is text before its first part or behind its last');
  if (kind === 'bytes' && !form.isEnded) throw uncertainForm(field, 'it has no end');
  const { bytes, boundary, parts } = form;
  if (parts.some((part) => hasStray(bytes, boundary, part.valueStart, part.valueEnd ?? bytes.length)))
    throw uncertainForm(field, 'its boundary is in a value');
  const odd = parts.findIndex(({ isCertain }) => !isCertain);
  if (odd !== -1) throw uncertainForm(field, `the headers of part ${odd + 1} are unusual`);
}

/** Throws for a form whose `model` may be another one to the provider than to the gateway. */
export function requireCertainModel(body: FormBody, form: Form): void {
  requireCertain(body, form, 'model');
  for (const part of form.parts)
    if (isLikeModel(part.name) && (part.name !== 'model' || part.isFile))
      throw uncertainForm('model', 'its model is a file, or spelled differently');
}

/** Throws for new fields, of a config, by which a provider might come to read another model. */
export function requireNoOtherModel(changes: FieldChanges): void {
  for (const name of changes.keys())
    if (!isPlainName(name) || (isLikeModel(name) && name !== 'model'))
      throw uncertainForm(
        'model',
        "one of the config's parameters has a name like it, or with unusual characters",
      );
}

/** Some frameworks do not mind the case of names. */
export const isLikeModel = (name: string): boolean => name.toLowerCase() === 'model';

export const uncertainForm = (field: string, reason: string): GatewayError =>
  new GatewayError('VALIDATION_FAILED', {
    message: `The form could be read in several ways, and its field ${field} matters here: ${reason}.`,
    param: field,
  });
