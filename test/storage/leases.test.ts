import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/lib/logger.ts';
import { openStorage, type Storage } from '../../src/storage/connection.ts';
import { createLeases, leaseModel } from '../../src/storage/leases.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let directory: string;
let database: TestDatabase;
let storage: Storage;
let other: Storage;

// Leases made apart know of each other only through the database, like two processes.
const log = createLogger('silent');
const [mine, theirs] = [createLeases(log), createLeases(log)];
const long = 20_000;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-leases-'));
  database = testDatabase();
  storage = await openStorage({ dataDirectory: directory, mongodbUri: database.uri || null });
  other = await openStorage({ dataDirectory: directory, mongodbUri: storage.uri });
  await leaseModel(storage.db).createCollection();
  await leaseModel(storage.db).createIndexes();
});
afterAll(async () => {
  await other.stop();
  await storage.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const leaseOf = (id: string) => leaseModel(storage.db).findById(id).lean();

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}

describe('work under a lease', () => {
  it('never runs twice at once, whoever asks, and all of it runs', async () => {
    let running = 0;
    let most = 0;
    const work = async () => {
      running++;
      most = Math.max(most, running);
      await pause(1);
      running--;
      return 'done';
    };
    const asked = Array.from({ length: 30 }, (_, index) =>
      index % 2 ? mine.hold(storage.db, 'busy', long, work) : theirs.hold(other.db, 'busy', long, work),
    );
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']));
    expect(most).toBe(1);
    expect(await leaseOf('busy')).toBeNull();
  });

  it('runs beside work of another id', async () => {
    await mine.hold(storage.db, 'one', 0, () => mine.hold(storage.db, 'two', 0, async () => undefined));
  });

  it('is refused at once to who does not wait', async () => {
    await mine.hold(storage.db, 'taken', 0, async () => {
      for (const refused of [
        mine.hold(storage.db, 'taken', 0, async () => 'ran'),
        theirs.hold(other.db, 'taken', 0, async () => 'ran'),
      ]) {
        await expect(refused).rejects.toMatchObject({ code: 'IN_PROGRESS' });
      }
    });
  });

  it('gives the lease back when it fails, with its own error', async () => {
    const failing = mine.hold(storage.db, 'failing', 0, async () => {
      throw new Error('mine');
    });
    await expect(failing).rejects.toThrow('mine');
    expect(await theirs.hold(other.db, 'failing', 0, async () => 'ran')).toBe('ran');
  });

  it('keeps its lease for as long as it runs', async () => {
    await mine.hold(storage.db, 'slow', 0, async () => {
      const first = (await leaseOf('slow'))?.until.getTime() ?? 0;
      await until(async () => ((await leaseOf('slow'))?.until.getTime() ?? 0) > first);
    });
    expect(await leaseOf('slow')).toBeNull();
  });
});

describe('the lease of a process that died', () => {
  const leave = (id: string, milliseconds: number) =>
    leaseModel(storage.db).create({ _id: id, owner: 'dead', until: new Date(Date.now() + milliseconds) });

  it('is waited for, then taken over', async () => {
    await leave('dead', 500);
    await expect(mine.hold(storage.db, 'dead', 0, async () => 'ran')).rejects.toMatchObject({
      code: 'IN_PROGRESS',
    });
    expect(await mine.hold(storage.db, 'dead', long, async () => 'ran')).toBe('ran');
  });

  it('is waited for no longer than asked', async () => {
    await leave('stuck', 600_000);
    const refused = mine.hold(storage.db, 'stuck', 50, async () => 'ran');
    await expect(refused).rejects.toMatchObject({ code: 'IN_PROGRESS' });
    expect(await leaseOf('stuck')).toMatchObject({ owner: 'dead' });
  });
});
