import type { Db } from 'mongodb';
import type { LogRecord } from '../log/record.ts';

/**
 * How roll-ups stay equal to a recount of the logs, with one document as the unit of atomicity:
 *
 * 1. Before a batch of logs is inserted, a note of it is, and every log of it carries its id. A log is inserted once, so
 *    it belongs to one batch for ever, however often and in whatever company it is written again; what a batch adds to
 *    the roll-ups is what the logs that carry its id add.
 * 2. Once the store has said which logs it took, the batch is brought into the roll-up documents, each of which notes
 *    that in the same write (`apply.ts`), and then its note is removed.
 * 3. A note that stays behind (its writer died, or never heard what became of the insert) is worked off by whoever
 *    sees it after GRACE: the logs that carry its id are read, and brought in as by the writer itself (`repair.ts`). No
 *    lease is needed: the same batch, brought in by several at the same time, counts once.
 *
 * What this takes for granted: an insert that nobody waits for any more is over, one way or the other, within GRACE.
 */
export type LogBatch = {
  _id: string;
  writer: string;
  /** Counts the batches of the writer. */
  number: number;
  /** When it was noted. */
  createdAt: Date;
  /** Whose logs of which time it has. */
  organisationIds: string[];
  from: Date;
  until: Date;
};

export const LOG_BATCHES_COLLECTION = 'log_batches';

/** Milliseconds after which the note of a batch is taken for left behind. */
export const GRACE = 5 * 60 * 1000;

export const batchesIn = (db: Db) => db.collection<LogBatch>(LOG_BATCHES_COLLECTION);

export function noteOf(
  records: readonly LogRecord[],
  { _id, writer, number, createdAt }: Pick<LogBatch, '_id' | 'writer' | 'number' | 'createdAt'>,
): LogBatch {
  const organisationIds = new Set<string>();
  let from = records[0]?.createdAt ?? createdAt;
  let until = from;
  for (const record of records) {
    organisationIds.add(record.organisationId);
    if (record.createdAt < from) from = record.createdAt;
    if (record.createdAt > until) until = record.createdAt;
  }
  return { _id, writer, number, createdAt, organisationIds: [...organisationIds], from, until };
}
