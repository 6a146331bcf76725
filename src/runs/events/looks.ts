import type { Collection } from 'mongodb';
import type { RunDocument } from '../run.ts';
import type { RunEventBatch } from './batches.ts';

/** Milliseconds between two looks for what comes next. */
const LOOK_MS = 100;

/** What of a run says how to go on with its events. */
export type RunState = Pick<RunDocument, '_id' | 'fence' | 'status' | 'active'>;

/** The next batch, where it is there, and what has become of the run; null where it is gone. */
export type Look = { batch: RunEventBatch | null; run: RunState | null };

type Wish = { batchId: string; runId: string; resolve(look: Look): void; reject(error: unknown): void };

/** Looks for the next events of all runs that are followed in a process, in two queries each 100 ms while anybody waits. */
export function createLooks(deps: {
  batches: () => Collection<RunEventBatch>;
  runs: () => Collection<RunDocument>;
}) {
  let wishes: Wish[] = [];

  async function lookAll(): Promise<void> {
    const asked = wishes;
    wishes = [];
    try {
      const [batches, runs] = await Promise.all([
        deps
          .batches()
          .find({ _id: { $in: asked.map(({ batchId }) => batchId) } })
          .toArray(),
        deps
          .runs()
          .find(
            { _id: { $in: asked.map(({ runId }) => runId) } },
            { projection: { fence: 1, status: 1, active: 1 } },
          )
          .toArray(),
      ]);
      const batchById = new Map(batches.map((batch) => [batch._id, batch]));
      const runById = new Map(runs.map((run) => [run._id, run]));
      for (const { batchId, runId, resolve } of asked)
        resolve({ batch: batchById.get(batchId) ?? null, run: runById.get(runId) ?? null });
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  return {
    /** Resolves after the next look. */
    look: (batchId: string, runId: string): Promise<Look> =>
      new Promise((resolve, reject) => {
        if (wishes.length === 0) setTimeout(() => void lookAll(), LOOK_MS);
        wishes.push({ batchId, runId, resolve, reject });
      }),
  };
}

export type Looks = ReturnType<typeof createLooks>;
