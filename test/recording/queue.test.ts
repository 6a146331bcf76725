import { mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BSON } from 'bson';
import fc from 'fast-check';
import { createLogger } from '../../src/lib/logger.ts';
import { createQueue } from '../../src/recording/queue/queue.ts';
import { createSpool } from '../../src/recording/queue/spool.ts';

type Item = { _id: number; text?: string };

const log = createLogger('silent');
let root: string;
let directory: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-queue-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(() => {
  directory = join(root, String(count++));
});

/** A database in memory that keeps every record once, as the real one does by `_id`, and fails on demand. */
function database() {
  const kept = new Map<number, number>();
  const state = {
    down: false,
    /** Ids in the order in which they came, repetitions included. */
    writes: [] as number[],
    write: async (records: Item[]) => {
      if (state.down) throw new Error('The database is down.');
      for (const { _id } of records) {
        state.writes.push(_id);
        kept.set(_id, (kept.get(_id) ?? 0) + 1);
      }
    },
    ids: () => [...kept.keys()].sort((a, b) => a - b),
  };
  return state;
}

const open = (write: (records: Item[]) => Promise<void>, at = directory) =>
  createQueue<Item, Item>({
    name: 'tests',
    prepare: async (items) => items,
    write,
    spool: createSpool<Item>(at, 'tests'),
    log,
  });

const files = async () =>
  (await readdir(directory).catch(() => [])).filter((name) => name.startsWith('tests-'));
const numbers = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

describe('queue', () => {
  test('drain writes all that was added, in order and once', async () => {
    const db = database();
    const queue = open(db.write);
    for (const _id of numbers(1234)) queue.add({ _id });
    expect(queue.counters.waiting).toBe(1234);
    await queue.drain();
    expect(db.writes).toEqual(numbers(1234));
    expect(queue.counters).toEqual({ waiting: 0, written: 1234, spooled: 0, dropped: 0 });
  });

  test('what is added during a drain is written by it or the next', async () => {
    const db = database();
    const queue = open(async (records) => {
      if (db.writes.length === 0) for (const _id of numbers(10, 100)) queue.add({ _id });
      await db.write(records);
    });
    for (const _id of numbers(10)) queue.add({ _id });
    await queue.drain();
    expect(db.ids()).toEqual([...numbers(10), ...numbers(10, 100)]);
  });

  test('runs by itself once it is started', async () => {
    const db = database();
    const queue = open(db.write);
    queue.start();
    queue.add({ _id: 1 });
    while (db.writes.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    queue.add({ _id: 2 });
    while (db.writes.length === 1) await new Promise((resolve) => setTimeout(resolve, 20));
    await queue.stop();
    expect(db.writes).toEqual([1, 2]);
  });

  test('stop drains', async () => {
    const db = database();
    const queue = open(db.write);
    queue.start();
    for (const _id of numbers(700)) queue.add({ _id });
    await queue.stop();
    expect(db.ids()).toEqual(numbers(700));
  });

  test('what the database refuses is on disk when drain resolves, and in the database after the next start', async () => {
    const db = database();
    db.down = true;
    const queue = open(db.write);
    for (const _id of numbers(1200)) queue.add({ _id });
    await queue.drain();
    expect(queue.counters).toMatchObject({ written: 0, spooled: 1200, dropped: 0 });
    expect(await files()).not.toHaveLength(0);
    await queue.stop();

    db.down = false;
    const next = open(db.write);
    next.add({ _id: 5000 });
    await next.drain();
    expect(db.writes).toEqual([...numbers(1200), 5000]);
    expect(await files()).toHaveLength(0);
    await next.drain();
    expect(db.writes).toHaveLength(1201);
  });

  test('a database that fails in the middle costs nothing and repeats nothing that was taken', async () => {
    const db = database();
    const queue = open(db.write);
    queue.add({ _id: 1 });
    await queue.drain();
    db.down = true;
    queue.add({ _id: 2 });
    await queue.drain();
    db.down = false;
    // Until the spool is looked at again, new records line up behind the spooled ones.
    queue.add({ _id: 3 });
    await queue.stop();
    const next = open(db.write);
    await next.drain();
    expect(db.writes).toEqual([1, 2, 3]);
  });

  test('beyond its capacity it goes to disk instead of growing', async () => {
    const db = database();
    const queue = open(db.write);
    for (const _id of numbers(21_000)) queue.add({ _id });
    await queue.stop();
    expect(queue.counters).toMatchObject({ waiting: 0, dropped: 0, written: 20_000, spooled: 1000 });
    const next = open(db.write);
    await next.drain();
    expect(db.ids()).toEqual(numbers(21_000));
  });

  test('one record that cannot be stored takes no other with it', async () => {
    const db = database();
    const refuse = async (records: Item[]) => {
      if (records.some((record) => 'bad\0name' in record))
        throw new Error('Key must not contain null bytes.');
      await db.write(records);
    };
    const queue = open(refuse);
    for (const _id of numbers(20)) queue.add(_id === 7 ? ({ _id, 'bad\0name': 1 } as Item) : { _id });
    await queue.stop();
    expect(queue.counters).toMatchObject({ spooled: 19, dropped: 1 });
    const next = open(refuse);
    await next.drain();
    expect(db.ids()).toEqual(numbers(20).filter((id) => id !== 7));
  });

  test('without database and disk the loss is counted', async () => {
    const db = database();
    db.down = true;
    await writeFile(directory, 'a file where the spool wants its directory');
    const queue = open(db.write);
    for (const _id of numbers(3)) queue.add({ _id });
    await queue.stop();
    expect(queue.counters).toEqual({ waiting: 0, written: 0, spooled: 0, dropped: 3 });
  });

  test('what neither database nor disk takes is kept until one does, and what comes meanwhile waits', async () => {
    const db = database();
    db.down = true;
    await writeFile(directory, 'a file where the spool wants its directory');
    const queue = open(db.write);
    for (const _id of numbers(3)) queue.add({ _id });
    let isDrained = false;
    const drained = queue.drain().then(() => {
      isDrained = true;
    });
    await sleep(300);
    queue.add({ _id: 3 });
    expect(isDrained).toBe(false);
    expect(queue.counters).toMatchObject({ waiting: 1, dropped: 0 });
    db.down = false;
    await drained;
    await rm(directory);
    await queue.stop();
    expect(db.writes).toEqual(numbers(4));
    expect(queue.counters).toMatchObject({ dropped: 0 });
  });

  test('what has to be given up does not count as lost where it stands elsewhere', async () => {
    const db = database();
    db.down = true;
    await writeFile(directory, 'a file where the spool wants its directory');
    const queue = createQueue<Item, Item>({
      name: 'tests',
      prepare: async (items) => items,
      write: db.write,
      spool: createSpool<Item>(directory, 'tests'),
      isElsewhere: ({ _id }) => _id < 2,
      log,
    });
    for (const _id of numbers(3)) queue.add({ _id });
    await queue.stop();
    expect(queue.counters.dropped).toBe(1);
  });

  test('nothing is lost, whatever fails when', async () => {
    const step = fc.record({
      add: fc.integer({ min: 0, max: 700 }),
      down: fc.boolean(),
      restart: fc.boolean(),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 3 }),
        async (steps, failAfter) => {
          const at = join(directory, `run-${run++}`);
          const db = database();
          // A write may also fail half-way, with some of its records taken.
          let flaky = failAfter;
          const write = async (records: Item[]) => {
            if (flaky-- === 0) {
              await db.write(records.slice(0, records.length >> 1));
              throw new Error('The connection broke.');
            }
            await db.write(records);
          };
          let queue = open(write, at);
          let next = 0;
          for (const { add, down, restart } of steps) {
            db.down = down;
            for (const end = next + add; next < end; next++) queue.add({ _id: next });
            await queue.drain();
            expect(queue.counters.dropped).toBe(0);
            if (restart) {
              await queue.stop();
              queue = open(write, at);
            }
          }
          await queue.stop();
          db.down = false;
          // The unclear failure may still be to come.
          for (let restarts = 0; restarts < 2; restarts++) {
            const last = open(write, at);
            await last.drain();
            await last.stop();
          }
          expect(db.ids()).toEqual(numbers(next));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('spool', () => {
  const replayed = async () => {
    const seen: Item[] = [];
    await createSpool<Item>(directory, 'tests').replay(async (records) => void seen.push(...records));
    return seen;
  };

  test('gives back what it was given, values of every kind included', async () => {
    const spool = createSpool<object>(directory, 'tests');
    const record = {
      _id: 'x',
      at: new Date(5),
      nothing: null,
      list: [1, { a: 'é' }],
      metadata: { 'a.b': '1', $c: '' },
    };
    await spool.append([record]);
    const seen: object[] = [];
    await spool.replay(async (records) => void seen.push(...records));
    expect(seen).toEqual([record]);
    expect(await files()).toHaveLength(0);
  });

  test('its files are for their owner only', async () => {
    await createSpool<Item>(directory, 'tests').append([{ _id: 1 }]);
    const [name] = await files();
    expect((await stat(join(directory, name ?? ''))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  test('replays the oldest first and keeps what was not taken', async () => {
    const spool = createSpool<Item>(directory, 'tests');
    for (const _id of numbers(3)) await spool.append([{ _id }]);
    const seen: number[] = [];
    const failing = spool.replay(async ([record]) => {
      if (record?._id === 1) throw new Error('down');
      seen.push(record?._id ?? -1);
    });
    await expect(failing).rejects.toThrow('down');
    expect([seen, (await replayed()).map(({ _id }) => _id)]).toEqual([[0], [1, 2]]);
  });

  test('half a file that a killed process left is removed once nobody can be writing it', async () => {
    await createSpool<Item>(directory, 'tests').append([{ _id: 1 }]);
    const [old, young] = [join(directory, 'part-tests-1.bson'), join(directory, 'part-tests-2.bson')];
    await Promise.all([writeFile(old, ''), writeFile(young, '')]);
    await utimes(old, 1, 1);
    await replayed();
    expect(await readdir(directory)).toEqual(['part-tests-2.bson']);
  });

  test('leaves the files of others alone', async () => {
    await createSpool<Item>(directory, 'others').append([{ _id: 1 }]);
    expect(await replayed()).toEqual([]);
    expect(await readdir(directory)).toHaveLength(1);
  });

  test('a torn end costs the torn record alone, wherever it is torn', async () => {
    const records = numbers(3).map((_id) => ({ _id, text: 'x'.repeat(20) }));
    const whole = Buffer.concat(records.map((record) => BSON.serialize(record)));
    const size = whole.length / 3;
    for (let length = 0; length <= whole.length; length += 7) {
      await createSpool<Item>(directory, 'tests').append(records);
      const [name] = await files();
      await truncate(join(directory, name ?? ''), length);
      expect(await replayed()).toEqual(records.slice(0, Math.floor(length / size)));
    }
  });

  test('an end of zeros, as a crash of the machine may leave it, is left out', async () => {
    await createSpool<Item>(directory, 'tests').append([{ _id: 1 }]);
    const [name] = await files();
    const path = join(directory, name ?? '');
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(100)]));
    expect(await replayed()).toEqual([{ _id: 1 }]);
  });

  test('a file that is no spool does not hold up the others', async () => {
    await createSpool<Item>(directory, 'tests').append([{ _id: 1 }]);
    await writeFile(
      join(directory, 'tests-0000000000000-1-000000.bson'),
      Buffer.from('\x20\0\0\0garbage, garbage, garbage, garbage'),
    );
    expect(await replayed()).toEqual([{ _id: 1 }]);
  });
});
