import { EJSON } from 'bson';

/**
 * One text for equal values of the database, whatever the order of their members, and the same before they are stored
 * and after they are read.
 */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(ordered(EJSON.serialize(value, { relaxed: false })));

/** The same for values that came as JSON. */
export const canonicalJson = (value: unknown): string => JSON.stringify(ordered(value));

function ordered(value: unknown): unknown {
  // The database holds UTF-8, which has no place for half a character.
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
}
