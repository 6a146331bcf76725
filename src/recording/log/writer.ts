import type { Db } from 'mongodb';
import { uuid } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { applyDeltas, type Known, type NumberedDelta } from '../rollups/apply.ts';
import { batchesIn, noteOf } from '../rollups/batches.ts';
import { deltaOf } from '../rollups/delta.ts';
import { insertFeedback } from './feedback.ts';
import { LOGS_COLLECTION, type LogEntry, type LogRecord } from './record.ts';
import { insertBodies, insertRecords } from './write-logs.ts';

/** Stores request logs and keeps the roll-ups that analytics read up with them. */
export type LogWriter = {
  /** Stores logs with their bodies. When it rejects, the same logs are to be given again, alone or with others. */
  write(entries: readonly LogEntry[]): Promise<void>;
  /** Brings everything that was stored into the roll-ups; what the store does not take now is tried again later. */
  settle(): Promise<void>;
  /** Settles and ends. */
  stop(): Promise<void>;
};

/** Milliseconds between two updates of the roll-ups, and how many times as long as the last one took at least. */
const INTERVAL = 1000;
const REST = 10;
/** Batches that may wait for the roll-ups; beyond, they are left to be repaired. */
const CAPACITY = 1000;
/** Roll-up documents that are kept in mind. */
const KNOWN = 200;

type Pending = NumberedDelta & { batchId: string };

/** The scheme is in `rollups/batches.ts`. */
export function createLogWriter({ database, log }: { database: () => Promise<Db>; log: Logger }): LogWriter {
  let writer = uuid();
  let number = 0;
  let pending: Pending[] = [];
  const known: Known = new Map();
  let timer: NodeJS.Timeout | undefined;
  let settling: Promise<void> | null = null;
  let lastWrite: Promise<unknown> = Promise.resolve();

  /** Under a new name, what the old one left unclear is nobody's but the repair's. */
  function beginAnew(): void {
    writer = uuid();
    number = 0;
  }

  async function writeNow(entries: readonly LogEntry[]): Promise<void> {
    const db = await database();
    const records = entries.map(({ record }) => record);
    const batch = noteOf(records, { _id: uuid(), writer, number: ++number, createdAt: new Date() });
    // Bodies come before records, so that whoever sees a record finds its bodies.
    const [noted, bodies] = await Promise.allSettled([
      batchesIn(db).insertOne(batch),
      insertBodies(db, entries),
    ]);
    if (noted.status === 'rejected') throw noted.reason;
    if (bodies.status === 'rejected') throw bodies.reason;
    // In place: a copy would lose the shape that makes encoding fast.
    for (const record of records) record.batchId = batch._id;
    const [stored, feedback] = await Promise.allSettled([
      insertRecords(db, records),
      insertFeedback(db, records),
    ]);
    if (stored.status === 'rejected') {
      beginAnew();
      throw stored.reason;
    }
    const own = await ownOf(db, records, stored.value, batch._id).catch((error: unknown) => {
      beginAnew();
      throw error;
    });
    add({ writer: batch.writer, number: batch.number, batchId: batch._id, delta: deltaOf(own, Date.now()) });
    if (feedback.status === 'rejected') throw feedback.reason;
  }

  function add(done: Pending): void {
    pending.push(done);
    if (pending.length > CAPACITY) {
      log.warn({ batches: pending.length }, 'Roll-ups lag behind; they are repaired in some minutes.');
      pending = [];
      beginAnew();
    }
    schedule(INTERVAL);
  }

  function schedule(delay: number): void {
    timer ??= setTimeout(() => void settle(), delay).unref();
  }

  function settle(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const next = (settling ?? Promise.resolve()).then(settleNow).finally(() => {
      if (settling === next) settling = null;
    });
    settling = next;
    return next;
  }

  async function settleNow(): Promise<void> {
    const taken = pending;
    if (taken.length === 0) return;
    pending = [];
    const startedAt = performance.now();
    try {
      const db = await database();
      await applyDeltas(db, taken, known);
      await batchesIn(db).deleteMany({ _id: { $in: taken.map(({ batchId }) => batchId) } });
    } catch (error) {
      log.warn({ error, batches: taken.length }, 'Roll-ups could not be brought up to date yet.');
      known.clear();
      pending = [...taken, ...pending];
    }
    if (known.size > KNOWN) known.clear();
    if (pending.length > 0) schedule(Math.max(INTERVAL, REST * (performance.now() - startedAt)));
  }

  return {
    write(entries) {
      // One after the other, so that a writer's batches are settled in the order of their numbers.
      const next = lastWrite.then(() => writeNow(entries));
      lastWrite = next.catch(() => undefined);
      return next;
    },
    settle,
    async stop() {
      await lastWrite;
      await settle();
      clearTimeout(timer);
    },
  };
}

/** The records that carry this batch's id in the store: those that were there before may be its own, by a repeated insert. */
async function ownOf(
  db: Db,
  records: readonly LogRecord[],
  refused: readonly LogRecord[],
  batchId: string,
): Promise<readonly LogRecord[]> {
  if (refused.length === 0) return records;
  const ids = refused.map(({ _id }) => _id);
  const mine = await db
    .collection<LogRecord>(LOGS_COLLECTION)
    .find({ _id: { $in: ids }, batchId }, { projection: { _id: 1 } })
    .toArray();
  const others = new Set(ids);
  for (const { _id } of mine) others.delete(_id);
  return records.filter(({ _id }) => !others.has(_id));
}
