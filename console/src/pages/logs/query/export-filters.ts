import type { LogExportFiltersInput, LogFilters } from '../documents.ts';

/** What lists take as several values, and exports as a text with commas between them. */
const listed = new Set(['statusCode', 'virtualKeys', 'configs', 'aiOrgModel']);

/** Values that an export can tell apart: one with a comma would be two. */
const isPlain = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((one) => !String(one).includes(','));

/** The filters of a list as an export takes them; null where it would select other logs than the list has. */
export function exportFilters(filters: LogFilters): LogExportFiltersInput | null {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(filters)) {
    if (value === null || value === undefined) continue;
    if (!listed.has(name)) entries.push([name, value]);
    else if (isPlain(value) && value.length > 0) entries.push([name, value.join(',')]);
    else return null;
  }
  return Object.fromEntries(entries);
}
