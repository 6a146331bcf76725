import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { MongoClient } from 'mongodb';
import { DataFile } from '../../../../src/storage/embedded/store/file/data-file.ts';
import { rounds } from '../../../support/long.ts';
import {
  connect,
  file,
  idsOf,
  items,
  prepare,
  refusal,
  spawnServer,
  start,
  useDirectory,
} from '../fixtures/store-under-fault.ts';
import { errorOf, seededRandom } from '../support.ts';

useDirectory();

describe('a damaged data file', () => {
  test('with a broken header is refused at the start', async () => {
    await prepare((client) => items(client).insertOne({}));
    const bytes = readFileSync(file('data.sqlite'));
    writeFileSync(file('data.sqlite'), bytes.fill(0xa5, 0, 100));
    expect(await refusal()).toBe(
      `The store in ${file()} cannot start: the data file is damaged (SQLite 26: file is not a database).`,
    );
  });

  test('with broken pages fails the statements that meet them, and no others', async () => {
    const fill = (client: MongoClient, name: string): Promise<unknown> =>
      items(client, name).insertMany(
        Array.from({ length: 2000 }, (_, n) => ({ _id: n as never, n, text: `${name} `.repeat(100) })),
      );
    await prepare(async (client) => {
      await fill(client, 'before');
      await fill(client, 'broken');
      await fill(client, 'after');
    });
    const bytes = readFileSync(file('data.sqlite'));
    const pages = Array.from({ length: bytes.length / 16384 }, (_, n) =>
      bytes.subarray(n * 16384, (n + 1) * 16384),
    ).filter((page) => page.includes('broken broken') && !/(before|after) /.test(page.toString('latin1')));
    expect(pages.length).toBeGreaterThan(20);
    for (const page of pages.slice(5, -5)) page.fill(0xa5);
    writeFileSync(file('data.sqlite'), bytes);

    const { client } = await start();
    const broken = items(client, 'broken');
    for (const attempt of [
      () => broken.find().toArray(),
      () => broken.findOne({ _id: 1000 as never }),
      () => broken.countDocuments({ n: 1000 }),
      () => broken.aggregate([{ $group: { _id: null, sum: { $sum: '$n' } } }]).toArray(),
      () => broken.updateOne({ _id: 1000 as never }, { $set: { n: 1 } }),
      () => broken.updateMany({}, { $set: { more: 1 } }),
      () => broken.deleteOne({ _id: 1000 as never }),
      () => broken.deleteMany({ n: { $gte: 0 } }),
      () => broken.findOneAndUpdate({ _id: 1000 as never }, { $inc: { n: 1 } }),
      () => broken.bulkWrite([{ deleteOne: { filter: { n: 1000 } } }]),
      () => broken.createIndex({ n: 1 }),
    ]) {
      const error = await errorOf(attempt());
      expect({ attempt: String(attempt), code: error.code, message: error.message }).toEqual({
        attempt: String(attempt),
        code: 301,
        message: expect.stringContaining('the data file is damaged'),
      });
    }
    for (const name of ['before', 'after']) {
      expect(await items(client, name).find().toArray()).toHaveLength(2000);
      await items(client, name).updateMany({}, { $inc: { n: 1 } });
      await items(client, name).createIndex({ n: 1 });
      expect(await items(client, name).countDocuments({ n: 1000 })).toBe(1);
    }
  });

  test.each([
    ['an unknown type', -7, Buffer.from([0x63])],
    ['a length beyond the end', -4, Buffer.from([0xff, 0xff, 0xff, 0x7f])],
    ['a negative length', -4, Buffer.from([0xf0, 0xff, 0xff, 0xff])],
  ])('a stored document with %s is an error of those who read it', async (_, offset, damage) => {
    await prepare((client) =>
      items(client).insertMany([
        { _id: 1 as never, a: 'sound' },
        { _id: 2 as never, a: 'MARKED' },
      ]),
    );
    const bytes = readFileSync(file('data.sqlite'));
    damage.copy(bytes, bytes.indexOf('MARKED') + offset);
    writeFileSync(file('data.sqlite'), bytes);
    const { client } = await start();
    // Where bytes go out as they are stored, the driver is the first to look at them.
    await expect(items(client).find().toArray()).rejects.toThrow(/offset/);
    await expect(items(client).findOne({ _id: 2 as never })).rejects.toThrow(/offset/);
    for (const attempt of [
      () => items(client).find({ a: 'MARKED' }).toArray(),
      () => items(client).find({ b: 1 }).toArray(),
      () => items(client).distinct('a'),
      () => items(client).updateOne({ _id: 2 as never }, { $set: { b: 1 } }),
      () => items(client).createIndex({ a: 1 }),
    ]) {
      const { code, message } = await errorOf(attempt());
      expect({ attempt: String(attempt), code, message }).toEqual({
        attempt: String(attempt),
        code: 22,
        message: expect.stringContaining('BSON'),
      });
    }
    expect(await items(client).findOne({ _id: 1 as never })).toEqual({ _id: 1, a: 'sound' });
  });
});

describe('a write-ahead log', () => {
  const log = (): string => file('data.sqlite-wal');
  const side = (): string => file('data.sqlite-acknowledged');
  const sentence = (problem: string, found: number | RegExp): RegExp =>
    new RegExp(
      `^The write-ahead log ${log()} ${problem}: of \\d+ frames with acknowledged writes ${found instanceof RegExp ? found.source : found} can be read; restore a backup, or delete ${side()} to go on without the lost writes\\.$`,
    );

  /** A killed process leaves a log that is not yet copied to the data file. */
  async function leaveLog(): Promise<void> {
    const server = await spawnServer();
    const client = await connect(server.uri);
    for (let n = 0; n < 50; n++) await items(client).insertOne({ _id: n as never });
    await client.close();
    await server.kill();
    for (const name of ['data.sqlite', 'data.sqlite-wal', 'data.sqlite-acknowledged'])
      cpSync(file(name), file(`${name}.kept`), { preserveTimestamps: true });
  }

  const restore = (): void => {
    for (const name of ['data.sqlite', 'data.sqlite-wal', 'data.sqlite-acknowledged'])
      cpSync(file(`${name}.kept`), file(name), { preserveTimestamps: true });
  };

  /** Changes one byte of the log. */
  function damage(at: number): void {
    const bytes = readFileSync(log());
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(log(), bytes);
  }

  test('that lost acknowledged writes is refused at the start, until the operator accepts the loss', async () => {
    await leaveLog();
    const size = statSync(log()).size;
    truncateSync(log(), Math.floor(size / 2));
    expect(await refusal()).toMatch(sentence('is damaged or cut short', /\d+/));
    restore();
    damage(Math.floor(size / 2));
    expect(await refusal()).toMatch(sentence('is damaged or cut short', /\d+/));
    restore();
    damage(size - 100);
    expect(await refusal()).toMatch(sentence('is damaged or cut short', /\d+/));
    restore();
    damage(17);
    expect(await refusal()).toMatch(sentence('has a damaged header', 0));
    restore();
    truncateSync(log(), 0);
    expect(await refusal()).toMatch(sentence('is missing or empty', 0));
    rmSync(log());
    expect(await refusal()).toMatch(sentence('is missing or empty', 0));
    restore();
    truncateSync(log(), Math.floor(size / 2));
    rmSync(side());
    const found = await idsOf(items((await start()).client));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(50);
    expect(found).toEqual(Array.from({ length: found.length }, (_, n) => n));
  });

  test('whose data file is gone is not taken for a new store', async () => {
    await leaveLog();
    rmSync(file('data.sqlite'));
    const expected = `The data file ${file('data.sqlite')} is missing or empty although its write-ahead log ${log()} is there; restore a backup, or delete the log to start with nothing.`;
    expect(await refusal()).toBe(expected);
    writeFileSync(file('data.sqlite'), '');
    expect(await refusal()).toBe(expected);
    restore();
    expect(await idsOf(items((await start()).client))).toHaveLength(50);
  });

  test('that SQLite itself removed, because the process ended without a stop, is no fault', async () => {
    const script = fileURLToPath(new URL('../fixtures/leave.ts', import.meta.url));
    for (const count of [1, 2]) {
      execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, file()]);
      expect([existsSync(log()), existsSync(side())]).toEqual([false, true]);
      await prepare(async (client) => expect(await idsOf(items(client))).toHaveLength(count));
    }
  });

  test('with bytes after the acknowledged ones, or a torn note of what was acknowledged, is no fault', async () => {
    await leaveLog();
    appendFileSync(log(), Buffer.alloc(20_000, 0xa5));
    truncateSync(side(), 7);
    await prepare(async (client) => expect(await idsOf(items(client))).toHaveLength(50));
    expect(existsSync(side())).toBe(false);
    restore();
    appendFileSync(log(), Buffer.alloc(20_000, 0xa5));
    await prepare(async (client) => expect(await idsOf(items(client))).toHaveLength(50));
  });

  test('that begins anew again and again raises no false alarm, whenever the process is killed', async () => {
    const seed = randomInt(2 ** 31);
    const random = seededRandom(seed);
    const script = fileURLToPath(new URL('../fixtures/checkpointing-writer.ts', import.meta.url));
    const command = ['--disable-warning=ExperimentalWarning', script, file('data.sqlite')];
    let last = 0;
    for (let round = 0; round < rounds(3, 10); round++) {
      // The writer starts by opening what the kill before it left.
      const writer = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
      const numbers = createInterface(writer.stdout);
      const exited = once(numbers, 'close');
      const before = last;
      numbers.on('line', (number) => {
        last = Number(number);
      });
      await Promise.race([once(numbers, 'line'), exited]);
      await sleep(random() * 100);
      writer.kill('SIGKILL');
      await exited;
      expect({ seed, round, wentOn: last > before }).toEqual({ seed, round, wentOn: true });
    }
    const database = new DataFile(file('data.sqlite'), (error) => {
      throw error;
    });
    const rows = database.all<[number]>('SELECT count(*) FROM catalogue');
    database.close();
    expect(rows[0]?.[0]).toBeGreaterThanOrEqual(last);
  });
});
