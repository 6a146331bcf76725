import { isObject, type JsonObject } from '../../lib/json.ts';

/** What the graph can show as an Int; more is nonsense from a provider. */
const MOST = 2 ** 31 - 1;

/** A number of tokens or of other whole things, as a provider said it; null for everything else. */
export const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST ? value : null;

/** A quantity that need not be whole, e.g. seconds. */
export const quantity = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MOST ? value : null;

/** The object under a name; empty when there is none, so that its members can be asked for. */
export const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** A sum in which what is not known counts as nothing; null when nothing is known. */
export function sum(...counts: (number | null)[]): number | null {
  const known = counts.filter((each) => each !== null);
  return known.length === 0 ? null : known.reduce((total, each) => total + each, 0);
}
