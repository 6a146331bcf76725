import type { Collection } from 'mongodb';
import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';

/** Milliseconds after its last sign of life, by the clock of the store, at which a process counts as dead. */
export const DEAD_AFTER_MS = 6000;
/** Dead processes whose runs are taken over at one look. */
const MOST_DEAD = 100;

/** A process that executes runs. */
export type RunInstanceDocument = { _id: string; seenAt: Date };

const schema = new Schema<RunInstanceDocument>(
  { _id: String, seenAt: { type: Date, required: true } },
  { collection: 'run_instances', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);
schema.index({ seenAt: 1 });

export const runInstanceModel = defineModel('RunInstance', schema);

/** One sign of life a process, however many runs it has: whose signs end, loses them all. */
export function createInstances(collection: () => Collection<RunInstanceDocument>, id: string) {
  return {
    /** Gives a sign of life; answers the processes that have given none for too long. */
    async beat(): Promise<string[]> {
      const own = await collection().findOneAndUpdate(
        { _id: id },
        { $currentDate: { seenAt: true } },
        { upsert: true, returnDocument: 'after' },
      );
      if (!own) return [];
      const limit = new Date(own.seenAt.getTime() - DEAD_AFTER_MS);
      const dead = await collection()
        .find({ seenAt: { $lt: limit } })
        .limit(MOST_DEAD)
        .toArray();
      return dead.map(({ _id }) => _id);
    },
    /** Forgets a process that has no runs any more. */
    async forget(instance: string): Promise<void> {
      await collection().deleteOne({ _id: instance });
    },
  };
}
