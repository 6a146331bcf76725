/** `lastUpdatedAt` -> `last_updated_at`: the REST spelling of a name in the schema. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/**
 * Looks schema names up by what a caller may write: the snake_case spelling or the schema's own. Throws when two names
 * would be written alike.
 */
export function bySpelling<T extends { name: string }>(where: string, items: Iterable<T>): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of items) {
    for (const spelling of new Set([item.name, snakeCase(item.name)])) {
      const other = found.get(spelling);
      if (other) throw new Error(`${where}: ${other.name} and ${item.name} are both spelled ${spelling}.`);
      found.set(spelling, item);
    }
  }
  return found;
}
