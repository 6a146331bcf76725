import { spans } from '../../../recording/rollups/buckets.ts';
import {
  addEncoded,
  type EncodedRow,
  ROLLUPS_COLLECTION,
  type RollupDocument,
} from '../../../recording/rollups/document.ts';
import {
  type Dimension,
  EARLY_DIMENSIONS,
  EVERY_KEY,
  type Facet,
  rowsOf,
} from '../../../recording/rollups/facets.ts';
import { addRecord, type Tally } from '../../../recording/rollups/tally.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead } from '../../bounded-read.ts';
import { filtersDimensions, filtersLateDimensions, filtersRows, rowMatcher } from '../log-filters/index.ts';
import { each } from './each-document.ts';
import { readLogs } from './logs.ts';
import type { AnalyticsScope } from './scope.ts';
import { eachPartOfHours, type SplitHour } from './split-hours.ts';
import { type Source, sourcesOf } from './time/sources.ts';

/** Requests of one time and workspace that a facet does not tell apart. */
export type Met = {
  row: Dimension[];
  workspaceId: string;
  /** A moment of the time that they are of. */
  moment: number;
  addTo(tally: Tally): void;
};

export type AnalyticsQuestion = {
  facet: Facet;
  /** Whether histograms of response times are read too. */
  latencies?: boolean;
  /** Whether the answer tells requests apart by more than their status. */
  byDimension?: boolean;
  /** Whether it does by what only later versions kept in rows. */
  byLateDimension?: boolean;
  /** Whether the answer needs what the facet does not add up. */
  onlyLogs?: boolean;
  /** Whether metadata keys alone are asked for, which are known of those whose values were given up too. */
  onlyKeys?: boolean;
  /** The part of the facet that is asked for, where it is a metadata key. */
  key?: string;
  /** Whether the answer tells points of the window apart. Sums over all of it need not know to which point half an hour belongs. */
  byPoint?: boolean;
};

/** A question, and who hears the answer. */
type Asked = AnalyticsQuestion & { meet(met: Met): void };

/** Of each scope, the readings that are about to begin, by what they read. */
const beginning = new WeakMap<AnalyticsScope, Map<string, { asked: Asked[]; done: Promise<void> }>>();

/**
 * Meets all requests of the scope, from roll-ups where they can answer and from the logs where they cannot. Both are counted by the
 * same code, so that it makes no difference to the sums. What the fields of one answer ask is read once for all of them: decoding
 * takes most of the time.
 */
export function readFacet(
  scope: AnalyticsScope,
  question: AnalyticsQuestion,
  meet: (met: Met) => void,
): Promise<void> {
  const { facet } = question;
  const onlyLogs =
    scope.needsLogs || question.onlyLogs || (facet !== 'requests' && filtersRows(scope.filters));
  const readings = beginning.get(scope) ?? new Map();
  beginning.set(scope, readings);
  const place = `${facet} ${onlyLogs}`;
  let reading = readings.get(place);
  if (!reading) {
    const asked: Asked[] = [];
    const done = new Promise((resolve) => setImmediate(resolve)).then(() => {
      readings.delete(place);
      return readFor(scope, asked, { facet, onlyLogs: Boolean(onlyLogs) });
    });
    reading = { asked, done };
    readings.set(place, reading);
  }
  reading.asked.push({ ...question, meet });
  return reading.done;
}

async function readFor(
  scope: AnalyticsScope,
  asked: readonly Asked[],
  { facet, onlyLogs }: { facet: Facet; onlyLogs: boolean },
): Promise<void> {
  const { window, context } = scope;
  const sources: Source[] = onlyLogs
    ? [{ kind: 'logs', from: window.from, end: window.end }]
    : sourcesOf(window, { now: context.now().getTime(), beginning: scope.beginning });
  await Promise.all(
    sources.map((source) =>
      source.kind === 'logs'
        ? meetLogs(scope, facet, source, asked)
        : meetRollups(scope, facet, source, asked),
    ),
  );
}

async function meetLogs(
  scope: AnalyticsScope,
  facet: Facet,
  { from, end, ...owner }: { from: number; end: number; workspaceId?: string },
  asked: readonly Asked[],
): Promise<void> {
  const { workspaceId } = owner;
  await readLogs(scope, { from, end, workspaceId }, (record) => {
    for (const row of rowsOf(facet, record)) {
      const addTo = (tally: Tally) => addRecord(tally, record);
      const met = { row, workspaceId: record.workspaceId, moment: record.createdAt.getTime(), addTo };
      for (const { meet } of asked) meet(met);
    }
  });
}

type Stored = SplitHour & Pick<RollupDocument, 'span' | 'given' | 'rows' | 'latencies'>;

type Unanswered = { document: Stored; asked: Asked[] };

/** Documents of one answer of the store: what is decoded between two looks at other work. */
const BATCH = 25;

async function meetRollups(
  scope: AnalyticsScope,
  facet: Facet,
  { kind, from, end }: Source,
  asked: readonly Asked[],
): Promise<void> {
  const latencies = asked.some((question) => question.latencies);
  const matches = rowMatcher(scope.filters);
  // The only key of users: one document says whether there are any.
  const isOne = facet === 'users' && asked.every(({ onlyKeys }) => onlyKeys);
  const cursor = nativeDb(scope.context.db)
    .collection<RollupDocument>(ROLLUPS_COLLECTION)
    .find<Stored>(
      {
        ...scope.owner,
        facet,
        span: kind as Stored['span'],
        start: { $gte: new Date(from), $lt: new Date(end) },
      },
      {
        ...boundedRead,
        batchSize: BATCH,
        ...(isOne && { limit: 1 }),
        projection: {
          organisationId: 1,
          workspaceId: 1,
          facet: 1,
          start: 1,
          span: 1,
          version: 1,
          expiresAt: 1,
          given: 1,
          rows: 1,
          ...(latencies && { latencies: 1 }),
        },
      },
    );
  const about = { facet, matches, latencies };
  const lacking: Unanswered[] = [];
  const split: Unanswered[] = [];
  await each(cursor, scope.context.signal, (document) => {
    const rows = JSON.parse(document.rows) as EncodedRow[];
    const isSplit = kind === 'hour' && scope.window.splitHours.has(document.start.getTime());
    const byPart = asked.filter(({ byPoint }) => isSplit && byPoint);
    const unanswered = asked.filter(
      (question) => !byPart.includes(question) && lacks(document, rows, scope, question),
    );
    if (byPart.length > 0) split.push({ document, asked: byPart });
    if (unanswered.length > 0) lacking.push({ document, asked: unanswered });
    const answered = asked.filter((question) => !byPart.includes(question) && !unanswered.includes(question));
    meetRows(document, rows, { ...about, asked: answered });
    for (const { onlyKeys, meet } of answered) if (onlyKeys) meetGiven(document, meet);
  });
  for (const { document, asked: unanswered } of lacking) {
    const { workspaceId, start, span } = document;
    const time = { from: start.getTime(), end: start.getTime() + spans[span] };
    await meetLogs(scope, facet, { ...time, workspaceId }, unanswered);
  }
  await eachPartOfHours(scope, facet, split, ({ document: { workspaceId }, asked: byPart }, part) => {
    const rows = JSON.parse(part.rows) as EncodedRow[];
    meetRows({ ...part, workspaceId }, rows, { ...about, asked: byPart });
  });
}

/** Whether a row is one that the filters let through. */
type Matches = ((row: Dimension[]) => boolean) | null;

/** Whether a document gave up what is asked for, or is of a version that did not keep it. */
function lacks(
  { given }: Stored,
  rows: readonly EncodedRow[],
  { filters }: AnalyticsScope,
  { facet, byDimension, byLateDimension = false, onlyKeys, key }: AnalyticsQuestion,
): boolean {
  const needsLate = facet === 'requests' && (byLateDimension || filtersLateDimensions(filters));
  if (needsLate && rows.some(([row]) => row.length === EARLY_DIMENSIONS)) return true;
  if (given.length === 0) return false;
  if (facet === 'requests') return byDimension || filtersDimensions(filters);
  if (onlyKeys) return given.includes(EVERY_KEY);
  return facet === 'users' || given.includes(EVERY_KEY) || given.includes(key ?? EVERY_KEY);
}

/** Metadata keys whose values a document does not have any more. */
function meetGiven({ workspaceId, start, given }: Stored, meet: (met: Met) => void): void {
  for (const key of given) meet({ row: [key], workspaceId, moment: start.getTime(), addTo() {} });
}

function meetRows(
  { workspaceId, start, latencies: text }: Pick<Stored, 'workspaceId' | 'start' | 'latencies'>,
  rows: readonly EncodedRow[],
  {
    facet,
    matches,
    latencies,
    asked,
  }: { facet: Facet; matches: Matches; latencies: boolean; asked: readonly Asked[] },
): void {
  if (asked.length === 0) return;
  const moment = start.getTime();
  const histograms = latencies && text ? (JSON.parse(text) as number[][]) : [];
  for (const [index, encoded] of rows.entries()) {
    const [row] = encoded;
    if (matches && !matches(row)) continue;
    const plain = (tally: Tally) => addEncoded(tally, facet, encoded, undefined);
    const whole = (tally: Tally) => addEncoded(tally, facet, encoded, histograms[index]);
    for (const { meet, latencies: isWhole } of asked)
      meet({ row, workspaceId, moment, addTo: isWhole ? whole : plain });
  }
}
