import type { LogExportFiltersInput, LogFilters } from '../documents.ts';

/** What exports select by as lists do, and what they take as a text with commas between its values. */
const same = new Set([
  'costMin',
  'costMax',
  'totalUnitsMin',
  'totalUnitsMax',
  'metadata',
  'traceId',
  'promptSlug',
  'timeOfGenerationMin',
  'timeOfGenerationMax',
]);
const listed = new Set(['statusCode', 'virtualKeys', 'configs', 'aiOrgModel']);

/** Values that an export can tell apart: one with a comma would be two. */
const isPlain = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((one) => !String(one).includes(','));

/** The filters of a list as an export takes them; null where it would select other logs than the list has. */
export function exportFilters(filters: LogFilters): LogExportFiltersInput | null {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(filters)) {
    if (value === null || value === undefined) continue;
    if (same.has(name)) entries.push([name, value]);
    else if (listed.has(name) && isPlain(value)) entries.push([name, value.join(',')]);
    else return null;
  }
  return Object.fromEntries(entries);
}
