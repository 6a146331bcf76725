import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { createLogger } from '../../../src/lib/logger.ts';
import type { CounterStore } from '../../../src/limits/counters/document.ts';
import {
  createCounterStore,
  createLimitEngine,
  limitCounterModel,
  type RunningLimits,
} from '../../../src/limits/engine/index.ts';
import type { Reservation, Shortage } from '../../../src/limits/engine.ts';
import type { Limit } from '../../../src/limits/limit.ts';
import { openStorage } from '../../../src/storage/connection.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { testDatabase } from '../../support/database.ts';

let count = 0;

/** A budget of one dollar for ever, unless the test says otherwise. */
export const limitOf = (some: Partial<Limit> = {}): Limit => ({
  id: `policy:${process.pid}-${count++}`,
  version: 1,
  organisationId: 'org-1',
  workspaceId: 'ws-1',
  level: 'policy',
  name: 'a-policy',
  kind: 'usage',
  unit: 'cost',
  amount: 1_000_000_000,
  window: { kind: 'forever' },
  enforcement: 'hard',
  waitMs: 1000,
  unpriced: 'count',
  onStoreLoss: 'closed',
  onCrash: 'keep',
  onAbort: 'progress',
  alertThreshold: null,
  alertEmails: [],
  conditions: [],
  groupBy: [],
  target: 'llm',
  ...some,
});

export type TestCounters = {
  db(): Db;
  /** For engines in other processes. */
  uri(): string;
  raw(): Collection<any>;
  /** One more process, as far as counters can tell. `now`: by its own clock. */
  engine(now?: () => number): RunningLimits;
  /** Makes every exchange with the store fail, until it is mended. */
  breakStore(isBroken: boolean): void;
  /** Makes every read of the store take so many milliseconds more. */
  slowStore(delayMs: number): void;
  stop(): Promise<void>;
};

/** A store of counters and the engines on it. */
export async function startCounters(): Promise<TestCounters> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-limits-'));
  const database = testDatabase();
  const storage = await openStorage({ dataDirectory: directory, mongodbUri: database.uri || null });
  await limitCounterModel(storage.db).createCollection();
  await limitCounterModel(storage.db).createIndexes();
  const engines: RunningLimits[] = [];
  const db = () => nativeDb(storage.db);
  const real = createCounterStore(db);
  let isBroken = false;
  let delayMs = 0;
  const orBroken = <T>(work: () => Promise<T>) =>
    isBroken ? Promise.reject(new Error('The store is away.')) : work();
  return {
    db,
    uri: () => storage.uri,
    raw: () => db().collection('limit_counters'),
    engine(now = Date.now) {
      const store: CounterStore = {
        write: (updates) => orBroken(() => real.write(updates)),
        read: (ids) => orBroken(() => pause(delayMs).then(() => real.read(ids))),
      };
      const made = createLimitEngine({
        store,
        leaseMs: 1000,
        journalDirectory: null,
        log: createLogger('silent'),
        now,
      });
      made.start();
      engines.push(made);
      return made;
    },
    breakStore(broken) {
      isBroken = broken;
    },
    slowStore(added) {
      delayMs = added;
    },
    async stop() {
      await Promise.all(engines.map((engine) => engine.stop()));
      await storage.stop();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const isTaken = (outcome: Reservation | Shortage): outcome is Reservation => 'settle' in outcome;

/** The reservation; throws why there is none. */
export async function taken(outcome: ReturnType<RunningLimits['take']>): Promise<Reservation> {
  const answer = await outcome;
  if (!isTaken(answer)) throw new Error(`refused: ${answer.why}`);
  return answer;
}
