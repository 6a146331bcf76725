import {
  type Dimension,
  EVERY_KEY,
  type Facet,
  MOST_KEYS,
  mostRows,
  partOf,
  requestDimensions,
} from './facets.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

/** Requests that a facet does not tell apart. */
export type Row = { dimensions: Dimension[]; tally: Tally };
export type Rows = Map<string, Row>;

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
