import { isDeepStrictEqual } from 'node:util';
import { RECORD_COLUMNS, RECORD_DEFAULTS } from './record-values.ts';

/** The parts of a draft beside its record, in the order of `partsOf`. */
export const PARTS = [
  'requestHeaders',
  'requestBytes',
  'requestSize',
  'finalBytes',
  'finalSize',
  'transformedHeaders',
  'transformedBytes',
  'transformedSize',
  'responseHeaders',
  'responseSize',
  'responseHead',
  'responseTail',
  'isComplete',
  'originalHeaders',
  'originalBytes',
  'originalSize',
  'keeps',
  'sensitiveHeaders',
  'quotable',
  'pricing',
  'endsCall',
  'mcp',
] as const;

/** What the values of a draft are, in their order. Stands before drafts, so that other versions of this program can read them. */
export type Columns = { record: readonly string[]; parts: readonly string[] };

export const COLUMNS: Columns = { record: RECORD_COLUMNS, parts: PARTS };

/**
 * Brings values that stand in the order of `columns` into ours. Of what has come since, a field of the record has its default
 * and a part is null; fields that are no more are left out. Throws for a part that is not known, since the bytes after it would
 * be misread.
 */
export function arranging(columns: Columns): (values: readonly unknown[]) => readonly unknown[] {
  if (isDeepStrictEqual(columns, COLUMNS)) return (values) => values;
  const unknown = columns.parts.find((part) => !COLUMNS.parts.includes(part));
  if (unknown !== undefined) throw new Error(`The drafts are of another version, which has "${unknown}".`);
  const places = (ours: readonly string[], theirs: readonly string[], first: number) =>
    ours.map((column) => (theirs.includes(column) ? first + theirs.indexOf(column) : null));
  const ofRecord = places(COLUMNS.record, columns.record, 0);
  const ofParts = places(COLUMNS.parts, columns.parts, columns.record.length);
  return (values) => [
    ...ofRecord.map((place, at) => (place === null ? RECORD_DEFAULTS[at] : values[place])),
    ...ofParts.map((place) => (place === null ? null : values[place])),
  ];
}
