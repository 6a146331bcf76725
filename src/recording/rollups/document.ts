import type { TimeSpan } from './buckets.ts';
import { type Dimension, type Facet, labelSums } from './facets.ts';
import type { HistogramCounts } from './histogram.ts';
import { type Rows, tallyAt } from './rows.ts';
import { addSums, type Sum, sums, type Tally } from './tally.ts';

export const ROLLUPS_COLLECTION = 'log_rollups';

/** Whose requests of which time a roll-up document sums up, and in which view. */
export type RollupPlace = {
  organisationId: string;
  workspaceId: string;
  facet: Facet;
  span: TimeSpan;
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

export const rollupId = ({ workspaceId, facet, span, start }: RollupPlace): string =>
  `${workspaceId} ${span} ${facet} ${start.toISOString()}`;

const sumsOf = (facet: Facet): readonly Sum[] => (facet === 'requests' ? sums : labelSums);

export type EncodedRows = Pick<RollupDocument, 'rows' | 'latencies'>;

export function encodeRows(facet: Facet, rows: Rows): EncodedRows {
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

export function decodeRows({ facet, rows, latencies }: EncodedRows & { facet: Facet }): Rows {
  const decoded: Rows = new Map();
  const histograms = JSON.parse(latencies ?? '[]') as number[][];
  for (const [index, row] of (JSON.parse(rows) as EncodedRow[]).entries()) {
    tallyAt(decoded, row[0], (tally) => addEncoded(tally, facet, row, histograms[index]));
  }
  return decoded;
}

/** The number of requests of a stored row: the first of the sums of every facet. */
export const requestsIn = ([, [requests = 0]]: EncodedRow): number => requests;

/** Adds what a stored row says, and its histogram where that was read. */
export function addEncoded(
  tally: Tally,
  facet: Facet,
  [, numbers, retries]: EncodedRow,
  histogram: number[] | undefined,
): void {
  const { length } = sumsOf(facet);
  if (facet === 'requests') addSums(tally, numbers);
  else
    for (let index = 0; index < length; index++) tally[labelSums[index] as Sum] += numbers[index] as number;
  tally.firstSeen = Math.min(tally.firstSeen, numbers[length] as number);
  tally.lastSeen = Math.max(tally.lastSeen, numbers[length + 1] as number);
  if (retries) addFlat(tally.retries, retries);
  if (histogram) addFlat(tally.latencies, histogram);
}

const flat = (counts: HistogramCounts): number[] => [...counts].flat();

function addFlat(counts: HistogramCounts, pairs: number[]): void {
  for (let index = 0; index < pairs.length; index += 2) {
    const key = pairs[index] as number;
    counts.set(key, (counts.get(key) ?? 0) + (pairs[index + 1] as number));
  }
}
