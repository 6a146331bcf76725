import type { Connection } from 'mongoose';
import type { LogBodies, LogRecord } from '../../../recording/log-record.ts';
import { isDuplicateBatch } from '../duplicates.ts';
import { logBodiesModel, logModel } from './model.ts';

export type LogEntry = { record: LogRecord; bodies: LogBodies | null };

/**
 * Stores a batch of logs: two unordered inserts past mongoose's casting. What is there already stays as it is, so that
 * a batch may be written again after an unclear failure.
 */
export async function writeLogs(db: Connection, entries: readonly LogEntry[]): Promise<void> {
  const insert = async (collection: Collection, documents: object[]) => {
    if (documents.length > 0) await collection.insertMany(documents as Documents, { ordered: false });
  };
  const results = await Promise.allSettled([
    insert(
      logModel(db).collection,
      entries.map(({ record }) => record),
    ),
    insert(
      logBodiesModel(db).collection,
      entries.flatMap(({ bodies }) => bodies ?? []),
    ),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && !isDuplicateBatch(result.reason)) throw result.reason;
  }
}

type Collection = ReturnType<typeof logModel>['collection'];
type Documents = Parameters<Collection['insertMany']>[0];
