import type { Db } from 'mongodb';
import type { Logger } from '../../lib/logger.ts';
import { LOGS_COLLECTION, type LogRecord } from '../log/record.ts';
import { applyDeltas } from './apply.ts';
import { batchesIn, GRACE, type LogBatch } from './batches.ts';
import { deltaOf } from './delta.ts';

/** Milliseconds between two looks for batches that were left behind. */
const INTERVAL = 60_000;

export type RollupRepair = { start(): void; stop(): Promise<void> };

/** Works off, every now and then, what a writer in any process left behind. */
export function createRollupRepair({
  database,
  log,
}: {
  database: () => Promise<Db>;
  log: Logger;
}): RollupRepair {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const repaired = await repairRollups(await database(), new Date(Date.now() - GRACE));
      if (repaired > 0) log.info({ batches: repaired }, 'Roll-ups took in batches that were left behind.');
    } catch (error) {
      log.warn({ error }, 'Roll-ups could not be repaired yet.');
    }
  }

  return {
    start() {
      timer = setInterval(() => {
        running = running.then(look);
      }, INTERVAL).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Works off the batches that were noted before `limit` and never finished; answers how many. */
export async function repairRollups(db: Db, limit: Date): Promise<number> {
  const writers: string[] = await batchesIn(db).distinct('writer', { createdAt: { $lt: limit } });
  let repaired = 0;
  for (const writer of writers) {
    for await (const batch of batchesIn(db).find({ writer }).sort({ number: 1 })) {
      // In their order, so that none is passed over because a later one came first.
      if (batch.createdAt >= limit) break;
      await repairBatch(db, batch);
      repaired++;
    }
  }
  return repaired;
}

async function repairBatch(db: Db, batch: LogBatch): Promise<void> {
  const { _id, writer, number, organisationIds, from, until } = batch;
  const records = await db
    .collection<LogRecord>(LOGS_COLLECTION)
    .find({
      organisationId: { $in: organisationIds },
      createdAt: { $gte: from, $lte: until },
      batchId: _id,
    })
    .toArray();
  await applyDeltas(db, [{ writer, number, delta: deltaOf(records, Date.now()) }], new Map());
  await batchesIn(db).deleteOne({ _id });
}
