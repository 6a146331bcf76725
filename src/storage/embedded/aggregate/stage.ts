import type { Keep } from '../expression/accumulators.ts';
import { Meter } from '../memory.ts';
import type { Pace } from '../pace.ts';
import type { Collation } from '../query/collation.ts';
import type { ReadStore } from '../store/read-store.ts';
import { type Document, isDocument } from '../value/types.ts';

/** Documents on their way through a pipeline. */
export type Batches = AsyncIterable<Document[]>;

/** One step of a pipeline: it takes batches and gives batches. One that stops reading ends the scan behind it. */
export type Stage = (source: Batches) => Batches;

/** What stages need to know about their surroundings. */
export type StageContext = {
  store: ReadStore;
  database: string;
  pace: Pace;
  collation: Collation | null;
  variables: Document;
};

/** A stage that treats each batch by itself. */
export function eachBatch(change: (batch: Document[]) => Document[]): Stage {
  return async function* (source) {
    for await (const batch of source) yield change(batch);
  };
}

/** Connects stages to a source. Between two batches of each, other commands get their turn. */
export function pipe(source: Batches, stages: readonly Stage[], pace: Pace): Batches {
  return stages.reduce((batches, stage) => paced(stage(batches), pace), source);
}

async function* paced(batches: Batches, pace: Pace): AsyncGenerator<Document[]> {
  for await (const batch of batches) {
    if (batch.length > 0) yield batch;
    if (pace.tired) await pace.rest();
  }
}

const batchLength = 512;

/** Cuts a long list into batches. */
export function* inBatches<Item>(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Runs an operation that keeps values, counts them, and ends it when they are too many. */
export async function* metered(what: string, run: (keep: Keep) => Batches): AsyncGenerator<Document[]> {
  const meter = new Meter(what);
  try {
    yield* run((value, overhead = 0) => {
      meter.add(roughSize(value) + overhead);
      meter.check();
    });
  } finally {
    meter.release();
  }
}

/** A guess at the memory a document takes; exact enough for a limit and much cheaper than encoding it. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length * 2;
  if (typeof value !== 'object' || value === null) return 16;
  if (Array.isArray(value)) return value.reduce<number>((size, item) => size + roughSize(item), 32);
  if (!isDocument(value)) return 64;
  let size = 48;
  for (const key of Object.keys(value)) size += 16 + roughSize(value[key]);
  return size;
}
