import { invalidInput } from '../../../errors/index.ts';

const MOST_KEYS = 20;
const LONGEST = 128;

/** Texts by metadata key, as a caller gave them in `param`; throws VALIDATION_FAILED where they are none. */
export function metadataTexts(value: unknown, param: string): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidInput(param, 'Metadata must be an object of texts.');
  }
  const entries = Object.entries(value);
  if (entries.length > MOST_KEYS) {
    throw invalidInput(param, `At most ${MOST_KEYS} metadata keys can be asked for.`);
  }
  return entries.map(([key, text]) => {
    // A dot or dollar would mean a path or an operator in a query.
    if (!/^[^.$]{1,128}$/.test(key)) {
      throw invalidInput(`${param}.${key}`, 'This metadata key cannot be asked for.');
    }
    if (typeof text !== 'string' || text.length > LONGEST) {
      throw invalidInput(`${param}.${key}`, `Metadata values are strings of at most ${LONGEST} characters.`);
    }
    return [key, text];
  });
}

/** A condition for each metadata key that is asked for. */
export const metadataConditions = (value: unknown, param: string): Record<string, string>[] =>
  metadataTexts(value, param).map(([key, text]) => ({ [`metadata.${key}`]: text }));
