import type { Span } from './buckets.ts';
import {
  type Dimension,
  EVERY_KEY,
  type Facet,
  labelSums,
  MOST_KEYS,
  mostRows,
  partOf,
  requestDimensions,
} from './facets.ts';
import type { Counts } from './histogram.ts';
import { addTally, emptyTally, type Sum, sums, type Tally } from './tally.ts';

export const ROLLUPS_COLLECTION = 'log_rollups';

/** Whose requests of which time a roll-up document sums up, and in which view. */
export type RollupPlace = {
  organisationId: string;
  workspaceId: string;
  facet: Facet;
  span: Span;
  start: Date;
};

/** A roll-up as it is stored. Rows are JSON text: it is read several times as fast as the same in BSON. */
export type RollupDocument = RollupPlace & {
  _id: string;
  /** When the last log in it is removed; null keeps it. */
  expiresAt: Date | null;
  /** Counts the writes, so that of two at the same time one begins anew. */
  version: number;
  /** By writer, the number of its last batch that is in here, and all before. */
  marks: Record<string, number>;
  /** Parts whose rows are not kept, since they were too many. */
  given: string[];
  rows: string;
  /** The histograms of response times, row by row; only of requests. */
  latencies: string | null;
};

/** Dimensions, sums with the first and last moment, and retries where there were any: number, times, number, times … */
export type EncodedRow = [Dimension[], number[], number[]?];

export type Row = { dimensions: Dimension[]; tally: Tally };
export type Rows = Map<string, Row>;

export const rollupId = ({ workspaceId, facet, span, start }: RollupPlace): string =>
  `${workspaceId} ${span} ${facet} ${start.toISOString()}`;

const sumsOf = (facet: Facet): readonly Sum[] => (facet === 'requests' ? sums : labelSums);

/** Adds a tally to the row of these dimensions. */
export function addToRow(rows: Rows, dimensions: Dimension[], tally: Tally): void {
  tallyAt(rows, dimensions, (into) => addTally(into, tally));
}

/** A text that is different for different dimensions: each string with its length before it. */
function keyOf(dimensions: readonly Dimension[]): string {
  let key = '';
  for (const value of dimensions) key += typeof value === 'string' ? `${value.length}:${value}` : `${value};`;
  return key;
}

export function tallyAt(rows: Rows, dimensions: Dimension[], add: (tally: Tally) => void): void {
  const key = keyOf(dimensions);
  let row = rows.get(key);
  if (!row) {
    row = { dimensions, tally: emptyTally() };
    rows.set(key, row);
  }
  add(row.tally);
}

/** Adds rows to those of a document, and gives up what there is too much of. */
export function mergeRows(facet: Facet, into: Rows, given: Set<string>, from: Rows): void {
  for (const { dimensions, tally } of from.values()) {
    const isGiven = given.has(EVERY_KEY) || given.has(partOf(facet, dimensions));
    if (!isGiven) addToRow(into, dimensions, tally);
    else if (facet === 'requests') addToRow(into, onlyStatus(dimensions), tally);
  }
  const parts = Map.groupBy(into.values(), ({ dimensions }) => partOf(facet, dimensions));
  if (parts.size > MOST_KEYS) giveUp(facet, into, given, EVERY_KEY);
  for (const [part, rows] of parts) {
    const isGiven = given.has(EVERY_KEY) || given.has(part);
    if (rows.length > mostRows[facet] && !isGiven) giveUp(facet, into, given, part);
  }
}

const statusAt = requestDimensions.indexOf('status');

const onlyStatus = (dimensions: Dimension[]): Dimension[] =>
  dimensions.map((value, index) => (index === statusAt ? value : null));

/** Keeps the rows of a part no longer; of requests, only by their status. */
export function giveUp(facet: Facet, rows: Rows, given: Set<string>, part: string): void {
  given.add(part);
  for (const [key, { dimensions, tally }] of [...rows]) {
    if (part !== EVERY_KEY && partOf(facet, dimensions) !== part) continue;
    rows.delete(key);
    if (facet === 'requests') addToRow(rows, onlyStatus(dimensions), tally);
  }
}

export function encodeRows(facet: Facet, rows: Rows): Pick<RollupDocument, 'rows' | 'latencies'> {
  const all = [...rows.values()];
  const names = sumsOf(facet);
  const encoded = all.map(({ dimensions, tally }): EncodedRow => {
    const numbers = [...names.map((name) => tally[name]), tally.firstSeen, tally.lastSeen];
    return tally.retries.size === 0 ? [dimensions, numbers] : [dimensions, numbers, flat(tally.retries)];
  });
  return {
    rows: JSON.stringify(encoded),
    latencies: facet === 'requests' ? JSON.stringify(all.map(({ tally }) => flat(tally.latencies))) : null,
  };
}

export function decodeRows({
  facet,
  rows,
  latencies,
}: Pick<RollupDocument, 'facet' | 'rows' | 'latencies'>): Rows {
  const decoded: Rows = new Map();
  const histograms = JSON.parse(latencies ?? '[]') as number[][];
  for (const [index, row] of (JSON.parse(rows) as EncodedRow[]).entries()) {
    tallyAt(decoded, row[0], (tally) => addEncoded(tally, facet, row, histograms[index]));
  }
  return decoded;
}

/** Adds what a stored row says, and its histogram where that was read. */
export function addEncoded(
  tally: Tally,
  facet: Facet,
  [, numbers, retries]: EncodedRow,
  histogram: number[] | undefined,
): void {
  const names = sumsOf(facet);
  for (let index = 0; index < names.length; index++) tally[names[index] as Sum] += numbers[index] as number;
  tally.firstSeen = Math.min(tally.firstSeen, numbers[names.length] as number);
  tally.lastSeen = Math.max(tally.lastSeen, numbers[names.length + 1] as number);
  if (retries) addFlat(tally.retries, retries);
  if (histogram) addFlat(tally.latencies, histogram);
}

const flat = (counts: Counts): number[] => [...counts].flat();

function addFlat(counts: Counts, pairs: number[]): void {
  for (let index = 0; index < pairs.length; index += 2) {
    const key = pairs[index] as number;
    counts.set(key, (counts.get(key) ?? 0) + (pairs[index + 1] as number));
  }
}
