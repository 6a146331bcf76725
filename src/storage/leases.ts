import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, Schema } from 'mongoose';
import { GatewayError } from '../errors/index.ts';
import type { Logger } from '../lib/logger.ts';
import { isDuplicateBatch } from './duplicates.ts';
import { defineModel } from './model.ts';

type Lease = { _id: string; owner: string; until: Date };

const schema = new Schema<Lease>(
  { _id: String, owner: String, until: Date },
  { collection: 'leases', versionKey: false, autoIndex: false, autoCreate: false },
);
// What a process left behind when it died.
schema.index({ until: 1 }, { expireAfterSeconds: 0 });

export const leaseModel = defineModel('Lease', schema);

/** Milliseconds after which the lease of a process that died is free; a living one renews it in time. */
const DURATION = 10_000;
const RENEWAL = 3_000;
/** Milliseconds between two looks at a lease that another process holds. */
const LOOK = 20;

export type Leases = {
  /**
   * Runs `work` while no other work of this id runs, in this process or in another one. Waits about `patience`
   * milliseconds for its turn, then throws IN_PROGRESS; with a patience of 0 it throws at once.
   */
  hold<T>(db: Connection, id: string, patience: number, work: () => Promise<T>): Promise<T>;
};

/** Leases in the database: each a document that its holder owns until a time, and renews. */
export function createLeases(log: Logger): Leases {
  // Within a process, waiting work is woken in turn; only one waits on the database.
  const lines = new Map<string, Promise<void>>();

  const orLog = (write: PromiseLike<unknown>, id: string) =>
    Promise.resolve(write).catch((error: unknown) =>
      log.warn({ error, lease: id }, 'A lease could not be renewed or given back; it ends by itself.'),
    );

  return {
    async hold(db, id, patience, work) {
      const deadline = Date.now() + patience;
      if (patience === 0 && lines.has(id)) throw inProgress();
      const leave = await standInLine(lines, id);
      try {
        const owner = randomUUID();
        await takeBefore(deadline, db, id, owner);
        const mine = { _id: id, owner };
        const renewal = setInterval(() => {
          const until = new Date(Date.now() + DURATION);
          void orLog(leaseModel(db).updateOne(mine, { $set: { until } }), id);
        }, RENEWAL);
        try {
          return await work();
        } finally {
          clearInterval(renewal);
          await orLog(leaseModel(db).deleteOne(mine), id);
        }
      } finally {
        leave();
      }
    },
  };
}

const inProgress = () => new GatewayError('IN_PROGRESS', { retryAfter: 1 });

async function takeBefore(deadline: number, db: Connection, id: string, owner: string): Promise<void> {
  while (!(await take(db, id, owner))) {
    if (Date.now() >= deadline) throw inProgress();
    await pause(LOOK * (1 + Math.random()));
  }
}

async function take(db: Connection, id: string, owner: string): Promise<boolean> {
  const now = Date.now();
  // While another holder's lease lasts, the filter matches nothing, and the insert fails on the unique _id.
  const free = { _id: id, until: { $lte: new Date(now) } };
  const mine = { owner, until: new Date(now + DURATION) };
  try {
    await leaseModel(db).updateOne(free, { $set: mine }, { upsert: true });
    return true;
  } catch (error) {
    if (isDuplicateBatch(error)) return false;
    throw error;
  }
}

/** Resolves when all earlier callers have left; the caller leaves by calling the function that it gets. */
async function standInLine(lines: Map<string, Promise<void>>, id: string): Promise<() => void> {
  const before = lines.get(id);
  const { promise, resolve } = Promise.withResolvers<void>();
  lines.set(id, promise);
  await before;
  return () => {
    if (lines.get(id) === promise) lines.delete(id);
    resolve();
  };
}
