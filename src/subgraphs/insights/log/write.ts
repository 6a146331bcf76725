import type { Connection } from 'mongoose';
import type { LogBodies, LogRecord } from '../../../recording/log-record.ts';
import { logBodiesModel, logModel } from './model.ts';

type InsertResult = { code?: unknown; writeErrors?: unknown };

/**
 * Stores a batch of logs: two unordered inserts past mongoose's casting. Records that are there already are left as
 * they are, so that a batch may be written again after an unclear failure.
 */
export async function writeLogs(
  db: Connection,
  records: readonly { record: LogRecord; bodies: LogBodies }[],
): Promise<void> {
  if (records.length === 0) return;
  const options = { ordered: false } as const;
  const results = await Promise.allSettled([
    logModel(db).collection.insertMany(
      records.map(({ record }) => record) as unknown as Parameters<Insert>[0],
      options,
    ),
    logBodiesModel(db).collection.insertMany(
      records.map(({ bodies }) => bodies) as unknown as Parameters<Insert>[0],
      options,
    ),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && !hasOnlyDuplicates(result.reason)) throw result.reason;
  }
}

type Insert = ReturnType<typeof logModel>['collection']['insertMany'];

/** True when every failed insert of an unordered batch failed because its `_id` was there already. */
function hasOnlyDuplicates(error: unknown): boolean {
  const { code, writeErrors } = (error ?? {}) as InsertResult;
  const failures = Array.isArray(writeErrors) ? writeErrors : writeErrors ? [writeErrors] : [];
  if (failures.length === 0) return code === 11000;
  return failures.every((failure: { code?: unknown }) => failure.code === 11000);
}
