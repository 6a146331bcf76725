import type { MongoBulkWriteError } from 'mongodb';
import { type Connection, Schema } from 'mongoose';
import { isDuplicateBatch } from '../../../storage/duplicates.ts';
import { defineModel } from '../../../storage/model.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { Counts } from './rule.ts';

/** What all processes know of one target of a saved config, with one provider, credential and model. Times are milliseconds since the epoch. */
export type Circuit = Counts & {
  /** `<config id>:<target path>:<digest of provider, credential and model>` */
  _id: string;
  organisationId: string;
  /** When the present window began. */
  since: number;
  /** Until when calls are kept away; in the past while the circuit is closed. */
  openUntil: number;
  expiresAt: Date;
};

const schema = new Schema<Circuit>(
  {
    _id: String,
    organisationId: String,
    failures: Number,
    successes: Number,
    since: Number,
    openUntil: Number,
    expiresAt: Date,
  },
  { collection: 'circuits', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const circuitModel = defineModel('Circuit', schema);

/** `identity`: see `targetIdentity`. */
export const circuitId = (configId: string, path: string, identity: string): string =>
  `${configId}:${path}:${identity}`;

/** What `circuitId` was made of, identity aside. */
export function placeOfCircuit(id: string): { configId: string; path: string } {
  const [configId = '', path = ''] = id.split(':');
  return { configId, path };
}

type Named = Pick<Circuit, '_id' | 'organisationId'>;
export type Addition = Named & { counts: Counts; cooldown: number };

/**
 * Adds outcomes to what others have counted. A window lasts as long as a cooldown; one that is over begins anew, and
 * while a circuit is open nothing counts.
 */
export async function addOutcomes(db: Connection, additions: Addition[], now: number): Promise<void> {
  const updates = additions.map(({ _id, organisationId, counts, cooldown }) => ({
    updateOne: {
      filter: { _id, organisationId },
      update: addition(counts, cooldown, now),
      upsert: true,
    },
  }));
  const write = (some: typeof updates) =>
    nativeDb(db).collection<Circuit>('circuits').bulkWrite(some, { ordered: false });
  try {
    await write(updates);
  } catch (error) {
    if (!isDuplicateBatch(error)) throw error;
    // Another process was first to make these entries: now they stand there.
    const failed = new Set((error as MongoBulkWriteError).result.getWriteErrors().map(({ index }) => index));
    await write(updates.filter((_update, index) => failed.has(index)));
  }
}

function addition(counts: Counts, cooldown: number, now: number) {
  const isOpen = { $gt: ['$openUntil', now] };
  const goesOn = { $gt: [{ $add: ['$since', cooldown] }, now] };
  const plus = (field: string, more: number) => ({
    $cond: [isOpen, 0, { $cond: [goesOn, { $add: [field, more] }, more] }],
  });
  return [
    {
      $set: {
        failures: plus('$failures', counts.failures),
        successes: plus('$successes', counts.successes),
        since: { $cond: [{ $or: [isOpen, goesOn] }, '$since', now] },
        openUntil: { $ifNull: ['$openUntil', 0] },
        expiresAt: { $max: ['$expiresAt', new Date(now + 2 * cooldown)] },
      },
    },
  ];
}

/** Keeps calls away everywhere until a time; the next window begins then. */
export async function openCircuit(
  db: Connection,
  circuit: Named,
  until: number,
  cooldown: number,
): Promise<void> {
  await circuitModel(db).updateOne(
    circuit,
    {
      $max: { openUntil: until },
      $set: { failures: 0, successes: 0, since: until, expiresAt: new Date(until + cooldown) },
    },
    { upsert: true },
  );
}

export const readCircuits = (db: Connection, circuits: Named[]): Promise<Circuit[]> =>
  circuitModel(db)
    .find({
      organisationId: { $in: [...new Set(circuits.map(({ organisationId }) => organisationId))] },
      _id: { $in: circuits.map(({ _id }) => _id) },
    })
    .lean<Circuit[]>();
