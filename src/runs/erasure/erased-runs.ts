import type { Collection } from 'mongodb';
import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';

/** Milliseconds after which what a run wrote behind its erasure is looked for first. */
const FIRST_LOOK_MS = 60_000;
/** Milliseconds for which such things are looked for, each time after twice as long. */
const LOOKED_FOR_MS = 86_400_000;

/** A run that was erased, and may have logs and events that reach the store afterwards: it may have been speaking at that moment. */
export type ErasedRun = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  traceId: string;
  erasedAt: Date;
  nextLookAt: Date;
};

const schema = new Schema<ErasedRun>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    traceId: { type: String, required: true },
    erasedAt: { type: Date, required: true },
    nextLookAt: { type: Date, required: true },
  },
  { collection: 'erased_runs', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);
schema.index({ nextLookAt: 1 });

export const erasedRunModel = defineModel('ErasedRun', schema);

export async function noteErased(
  collection: Collection<ErasedRun>,
  runs: readonly Pick<ErasedRun, '_id' | 'organisationId' | 'workspaceId' | 'traceId'>[],
  erasedAt: Date,
): Promise<void> {
  if (runs.length === 0) return;
  const nextLookAt = new Date(erasedAt.getTime() + FIRST_LOOK_MS);
  await collection.bulkWrite(
    runs.map(({ _id, ...run }) => ({
      updateOne: { filter: { _id }, update: { $set: { ...run, erasedAt, nextLookAt } }, upsert: true },
    })),
  );
}

/** Notes when to look again, and forgets runs that were looked for long enough. */
export async function noteLook(
  collection: Collection<ErasedRun>,
  runs: readonly ErasedRun[],
  at: Date,
): Promise<void> {
  await collection.bulkWrite(
    runs.map(({ _id, erasedAt }) => {
      const age = at.getTime() - erasedAt.getTime();
      return age >= LOOKED_FOR_MS
        ? { deleteOne: { filter: { _id, erasedAt } } }
        : {
            updateOne: {
              filter: { _id, erasedAt },
              update: { $set: { nextLookAt: new Date(at.getTime() + age) } },
            },
          };
    }),
  );
}
