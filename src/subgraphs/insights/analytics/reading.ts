import { spans } from '../../../recording/rollups/buckets.ts';
import {
  addEncoded,
  type EncodedRow,
  ROLLUPS_COLLECTION,
  type RollupDocument,
} from '../../../recording/rollups/document.ts';
import { type Dimension, EVERY_KEY, type Facet, rowsOf } from '../../../recording/rollups/facets.ts';
import { addRecord, type Tally } from '../../../recording/rollups/tally.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead } from '../../bounded-read.ts';
import { each } from './each-document.ts';
import { filtersDimensions, filtersRows, needsLogs, rowMatcher } from './filters.ts';
import { readLogs } from './logs.ts';
import type { AnalyticsScope } from './scope.ts';
import { type Source, sourcesOf } from './sources.ts';

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
  /** The part of the facet that is asked for, where it is a metadata key. */
  key?: string;
};

/**
 * Meets all requests of the scope, from roll-ups where they can answer and from the logs where they cannot. Both are
 * counted by the same code, so that it makes no difference to the sums.
 */
export async function readFacet(
  scope: AnalyticsScope,
  question: AnalyticsQuestion,
  meet: (met: Met) => void,
): Promise<void> {
  const { window, filters, context, beginning } = scope;
  const { facet } = question;
  const onlyLogs = needsLogs(filters) || (facet !== 'requests' && filtersRows(filters));
  const sources: Source[] = onlyLogs
    ? [{ kind: 'logs', from: window.from, end: window.end }]
    : sourcesOf(window, { now: context.now().getTime(), beginning });
  await Promise.all(
    sources.map((source) =>
      source.kind === 'logs'
        ? meetLogs(scope, facet, source, meet)
        : meetRollups(scope, question, source, meet),
    ),
  );
}

async function meetLogs(
  scope: AnalyticsScope,
  facet: Facet,
  { from, end, ...owner }: { from: number; end: number; workspaceId?: string },
  meet: (met: Met) => void,
): Promise<void> {
  const { workspaceId } = owner;
  await readLogs(scope, { from, end, workspaceId }, (record) => {
    for (const row of rowsOf(facet, record)) {
      const addTo = (tally: Tally) => addRecord(tally, record);
      meet({ row, workspaceId: record.workspaceId, moment: record.createdAt.getTime(), addTo });
    }
  });
}

type Stored = Pick<RollupDocument, 'workspaceId' | 'start' | 'span' | 'given' | 'rows' | 'latencies'>;

/** Documents of one answer of the store: what is decoded between two looks at other work. */
const BATCH = 25;

async function meetRollups(
  scope: AnalyticsScope,
  question: AnalyticsQuestion,
  { kind, from, end }: Source,
  meet: (met: Met) => void,
): Promise<void> {
  const { facet, latencies = false } = question;
  const matches = rowMatcher(scope.filters);
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
        projection: {
          workspaceId: 1,
          start: 1,
          span: 1,
          given: 1,
          rows: 1,
          ...(latencies && { latencies: 1 }),
        },
      },
    );
  const lacking: Stored[] = [];
  await each(cursor, scope.context.signal, (document) => {
    if (lacks(document, scope, question)) lacking.push(document);
    else meetRows(document, facet, matches, meet);
  });
  for (const { workspaceId, start, span } of lacking) {
    const time = { from: start.getTime(), end: start.getTime() + spans[span] };
    await meetLogs(scope, facet, { ...time, workspaceId }, meet);
  }
}

/** Whether a document gave up what is asked for. */
function lacks(
  { given }: Stored,
  { filters }: AnalyticsScope,
  { facet, byDimension, key }: AnalyticsQuestion,
): boolean {
  if (given.length === 0) return false;
  if (facet === 'requests') return byDimension || filtersDimensions(filters);
  return facet === 'users' || given.includes(EVERY_KEY) || given.includes(key ?? EVERY_KEY);
}

function meetRows(
  { workspaceId, start, rows, latencies }: Stored,
  facet: Facet,
  matches: ((row: Dimension[]) => boolean) | null,
  meet: (met: Met) => void,
): void {
  const moment = start.getTime();
  const histograms = latencies ? (JSON.parse(latencies) as number[][]) : [];
  for (const [index, encoded] of (JSON.parse(rows) as EncodedRow[]).entries()) {
    const [row] = encoded;
    if (matches && !matches(row)) continue;
    const addTo = (tally: Tally) => addEncoded(tally, facet, encoded, histograms[index]);
    meet({ row, workspaceId, moment, addTo });
  }
}
