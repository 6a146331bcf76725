import type { Collection } from 'mongodb';
import { type Context, large, small, smallSize } from './context.ts';
import { type LogDocument, logDocuments } from './documents.ts';
import { timed } from './measure.ts';
import { atLeast, count } from './report.ts';

const batchSize = 1000;

/** Fills both collections, measuring the first 100,000 documents of each, then the rest of the large one. */
export async function measureInserts(context: Context): Promise<void> {
  const { report, memory, largeSize } = context;
  memory.phase('insertMany');
  const alone = await insertPrepared(small(context), 1);
  const together = await insertPrepared(large(context), 4);
  const budget = atLeast(Math.max(alone, together), 20_000, ' docs/s (the better of both)');
  const what = 'insertMany, 1,000 a batch, `_id` and 2 indexes';
  report.add(`${what}, 1 batch in flight`, `${count(alone)} docs/s`, budget);
  report.add(`${what}, 4 batches in flight`, `${count(together)} docs/s`, budget);
  if (largeSize === smallSize) return;
  const rest = largeSize - smallSize;
  const elapsed = await timed(() =>
    inFlight(4, rest / batchSize, (batch) =>
      large(context).insertMany(logDocuments(smallSize + batch * batchSize, batchSize)),
    ),
  );
  report.add(`the same, the next ${count(rest)}, made meanwhile`, `${count((rest * 1000) / elapsed)} docs/s`);
}

/** Documents a second; they are made before the clock starts. */
async function insertPrepared(collection: Collection<LogDocument>, lanes: number): Promise<number> {
  await collection.createIndex({ logId: 1 }, { unique: true });
  await collection.createIndex({ workspaceId: 1, createdAt: -1 });
  const batches = Array.from({ length: smallSize / batchSize }, (_, i) =>
    logDocuments(i * batchSize, batchSize),
  );
  const elapsed = await timed(() =>
    inFlight(lanes, batches.length, (batch) => collection.insertMany(batches[batch] ?? [])),
  );
  return (smallSize * 1000) / elapsed;
}

async function inFlight(
  lanes: number,
  batches: number,
  send: (batch: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const runLane = async () => {
    while (next < batches) await send(next++);
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
}
