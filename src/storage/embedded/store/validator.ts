import { CommandError, notImplemented } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { type Document, isDocument } from '../value/types.ts';

/** Refuses a document that a collection does not admit; `before` is the version that an update replaces. */
export type Validator = (document: Document, before: Document | null) => void;

/** The options that concern validation. */
export const validationFields = 'validator:object validationLevel:string validationAction:string';

const levels = ['off', 'strict', 'moderate'];
const actions = ['error', 'warn', 'errorAndLog'];

/** The validation options of a collection, checked; what is not given stays as it was. */
export function validationOptions(given: Document, before: Document): Document {
  const { validator, validationLevel, validationAction } = { ...before, ...given };
  if (validator !== undefined && !isDocument(validator))
    throw new CommandError(14, "BSON field 'validator' must be an object");
  if (validationLevel !== undefined && !levels.includes(String(validationLevel)))
    throw new CommandError(
      2,
      `Enumeration value '${String(validationLevel)}' for field 'validationLevel' is not a valid value.`,
    );
  if (validationAction !== undefined && !actions.includes(String(validationAction)))
    throw new CommandError(
      2,
      `Enumeration value '${String(validationAction)}' for field 'validationAction' is not a valid value.`,
    );
  // Warnings are refused, because nobody would see them: there is no log for them.
  if (validationAction !== undefined && validationAction !== 'error')
    throw notImplemented(`the validationAction '${String(validationAction)}' is not supported`);
  if (validator !== undefined) compileFilter(validator);
  return {
    ...(validator === undefined ? {} : { validator }),
    ...(validationLevel === undefined ? {} : { validationLevel }),
    ...(validationAction === undefined ? {} : { validationAction }),
  };
}

/** Compiles a collection's validator; null when it admits everything. */
export function compileValidator({ validator, validationLevel = 'strict' }: Document): Validator | null {
  if (!isDocument(validator) || Object.keys(validator).length === 0 || validationLevel === 'off') return null;
  const { test } = compileFilter(validator);
  return (document, before) => {
    if (test(document)) return;
    // "moderate" lets documents be that were not valid before.
    if (validationLevel === 'moderate' && before && !test(before)) return;
    throw new CommandError(121, 'Document failed validation', {
      errInfo: { failingDocumentId: document._id, details: { operatorName: '$and', validator } },
    });
  };
}
