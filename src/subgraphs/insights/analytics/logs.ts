import { LOGS_COLLECTION, type LogRecord } from '../../../recording/log/record.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead } from '../../bounded-read.ts';
import { each } from './each-document.ts';
import { tracesWithSomeFeedback } from './feedback.ts';
import type { AnalyticsScope } from './scope.ts';

/** Logs of one answer of the store: what is decoded between two looks at other work. */
const BATCH = 300;

/** Gives every log of the scope between two moments, and of one workspace where one is named; throws REQUEST_TIMEOUT where there are too many. */
export async function readLogs(
  scope: AnalyticsScope,
  { from, end, workspaceId }: { from: number; end: number; workspaceId?: string },
  give: (record: LogRecord) => void,
): Promise<void> {
  const traces = await tracesWithSomeFeedback(scope);
  const cursor = nativeDb(scope.context.db)
    .collection<LogRecord>(LOGS_COLLECTION)
    .find(
      {
        ...scope.owner,
        ...(workspaceId && { workspaceId }),
        createdAt: { $gte: new Date(from), $lt: new Date(end) },
        $and: [scope.logs, ...(traces ? [{ traceId: { $in: traces } }] : [])],
      } as object,
      // Whole: the embedded store sends what it keeps, and takes twice as long to pick members out of it.
      { ...boundedRead, batchSize: BATCH },
    );
  await each(cursor, scope.context.signal, give);
}
