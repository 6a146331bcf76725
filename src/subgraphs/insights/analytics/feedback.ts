import { invalidInput } from '../../../errors/index.ts';
import { LOGS_COLLECTION, type LogRecord } from '../../../recording/log/record.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { type FeedbackDocument, feedbackModel } from '../feedback/index.ts';
import { filtersRows, needsLogs } from '../log-filters/index.ts';
import { each } from './each-document.ts';
import type { AnalyticsScope } from './scope.ts';

export type Given = Pick<
  FeedbackDocument,
  'workspaceId' | 'traceId' | 'value' | 'weight' | 'aiModel' | 'createdAt'
>;

/** Feedback that one question looks at. */
const MOST = 50_000;
/** Traces that one query names. */
const TRACES = 1000;

export const weighted = ({ value, weight }: Given): number => value * weight;

/** A trace id is its workspace's own. */
export const traceOf = ({ workspaceId, traceId }: Pick<Given, 'workspaceId' | 'traceId'>): string =>
  `${workspaceId} ${traceId}`;

/** The feedback of the window, in the order in which it was given, on traces that have a log which the filters let through. */
export async function feedbackOf(scope: AnalyticsScope): Promise<Given[]> {
  const { window, filters } = scope;
  const { weightedFeedbackMin: _min, weightedFeedbackMax: _max, ...ofLogs } = filters;
  const given = (await readFeedback(scope, window.end)).filter(isWeightedAs(scope));
  if (!needsLogs(ofLogs) && !filtersRows(ofLogs)) return given;
  const traces = new Set<string>();
  await readLogsOf(scope, given, (record) => traces.add(traceOf(record)));
  return given.filter((one) => traces.has(traceOf(one)));
}

/**
 * The traces with at least one feedback between the bounds of the filters, given since the window began: feedback comes after
 * its requests. Null without such a filter. (The lists of logs ask for the average on the trace instead.)
 */
export async function tracesWithSomeFeedback(scope: AnalyticsScope): Promise<string[] | null> {
  const { weightedFeedbackMin, weightedFeedbackMax } = scope.filters;
  if (weightedFeedbackMin == null && weightedFeedbackMax == null) return null;
  const given = (await readFeedback(scope, null)).filter(isWeightedAs(scope));
  return [...new Set(given.map(({ traceId }) => traceId))];
}

function isWeightedAs({ filters }: AnalyticsScope) {
  const min = filters.weightedFeedbackMin ?? -Infinity;
  const max = filters.weightedFeedbackMax ?? Infinity;
  return (given: Given) => weighted(given) >= min && weighted(given) <= max;
}

/** The feedback that was given since the window began, before `end` where it says one. */
export async function readFeedback(
  { context, owner, window }: AnalyticsScope,
  end: number | null,
): Promise<Given[]> {
  const createdAt = { $gte: new Date(window.from), ...(end !== null && { $lt: new Date(end) }) };
  const found = await orTooSlow(
    feedbackModel(context.db)
      .find(
        { ...owner, createdAt },
        { workspaceId: 1, traceId: 1, value: 1, weight: 1, aiModel: 1, createdAt: 1 },
        boundedRead,
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(MOST + 1)
      .lean<Given[]>()
      .exec(),
  );
  if (found.length <= MOST) return found;
  throw invalidInput(
    'timeOfGenerationMin',
    `There is more feedback than the ${MOST} that are looked at; narrow the time.`,
  );
}

/** The logs of these traces that the filters let through, whenever they were written. */
export async function readLogsOf(
  { context, owner, logs }: AnalyticsScope,
  given: readonly Given[],
  give: (record: Pick<LogRecord, 'workspaceId' | 'traceId' | 'createdAt' | 'metadata'>) => void,
): Promise<void> {
  const traces = [...new Set(given.map(({ traceId }) => traceId))];
  for (let start = 0; start < traces.length; start += TRACES) {
    const cursor = nativeDb(context.db)
      .collection<LogRecord>(LOGS_COLLECTION)
      .find({ $and: [{ ...owner, traceId: { $in: traces.slice(start, start + TRACES) } }, logs] } as object, {
        ...boundedRead,
        projection: { workspaceId: 1, traceId: 1, createdAt: 1, metadata: 1 },
      });
    await each(cursor, context.signal, give);
  }
}
