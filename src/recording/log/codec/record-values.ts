import { fieldRows } from '../fields.ts';
import type { LogRecord } from '../record.ts';

const crossing = fieldRows.filter(([, field]) => !field.isDerived);

/** What the values of a record are, in their order. */
export const RECORD_COLUMNS: readonly string[] = crossing.map(([name, { type }]) => `${name} ${type}`);

/** Their defaults: what a record of before a field was there has of it. */
export const RECORD_DEFAULTS: readonly unknown[] = crossing.map(([, field]) => field.default ?? null);

// The table becomes source text once: a loop over names would take 1 µs more for each request.

const jsonOf = (name: string, type: string): string =>
  type === 'time' ? `record.${name}.getTime()` : `record.${name}`;
const memberOf = (name: string, type: string, at: number): string =>
  type === 'time' ? `${name}: new Date(values[${at}])` : `${name}: values[${at}]`;

/** The fields of a record that are not derived, as JSON values in the order of the table. */
export const valuesOfRecord = new Function(
  'record',
  `return [${crossing.map(([name, { type }]) => jsonOf(name, type)).join(', ')}]`,
) as (record: LogRecord) => unknown[];

const members = fieldRows.map((row) => {
  const [name, { type, default: blank = null }] = row;
  const at = crossing.indexOf(row);
  return at < 0 ? `${name}: ${JSON.stringify(blank)}` : memberOf(name, type, at);
});

/** The record of such values, which begin a list; derived fields have their defaults. */
export const recordOfValues = new Function('values', `return { ${members.join(', ')} }`) as (
  values: readonly unknown[],
) => LogRecord;
