/**
 * True for a member name that the database can hold as it is: BSON ends names at a NUL, and its encoder takes `_bsontype`
 * for a type of its own.
 */
export const isStorableName = (name: string): boolean => name !== '_bsontype' && !name.includes('\0');

/** The first member name of a JSON value, at any depth, that the database cannot hold; null when all can. */
export function unstorableName(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value) && !isStorableName(name)) return name;
    const below = unstorableName(member);
    if (below !== null) return below;
  }
  return null;
}

/** Levels of JSON that callers may send; the database holds a hundred. */
export const maxDepth = 64;

/** True when objects and lists stand in each other more than `levels` deep. */
export const isNestedDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isNestedDeeperThan(levels - 1, member)));
