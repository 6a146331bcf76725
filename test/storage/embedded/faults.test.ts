import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { type EmbeddedServer, startEmbedded } from '../../../src/storage/embedded/index.ts';
import { Database } from '../../../src/storage/embedded/store/database.ts';
import { quickToFail, type ServerProcess, startProcess } from './fixtures/process.ts';
import { errorOf, seededRandom, temporaryDirectory } from './support.ts';

/** Every fault here is a real one: real processes, real files, the real driver. */
const isRoot = process.getuid?.() === 0;
const nobody = 65534;

let directory: { path: string; remove(): void };
let open: (() => Promise<unknown>)[];
beforeEach(() => {
  directory = temporaryDirectory();
  open = [];
});
afterEach(async () => {
  for (const close of open.reverse()) await close();
  directory.remove();
});

const file = (name: string): string => join(directory.path, name);
const refusal = async (path = directory.path): Promise<string> =>
  (await errorOf(startEmbedded({ directory: path }))).message;

async function connect(uri: string): Promise<MongoClient> {
  const client = await MongoClient.connect(uri, quickToFail);
  open.push(() => client.close());
  return client;
}

async function start(path = directory.path): Promise<{ server: EmbeddedServer; client: MongoClient }> {
  const server = await startEmbedded({ directory: path });
  open.push(() => server.stop());
  return { server, client: await connect(server.uri) };
}

async function spawnServer(command: string[] = []): Promise<ServerProcess> {
  const server = await startProcess(directory.path, command);
  open.push(() => server.kill());
  return server;
}

/** Writes with a server that ends in an orderly way, so that everything is in the data file. */
async function prepare(work: (client: MongoClient) => Promise<unknown>): Promise<void> {
  const { server, client } = await start();
  await work(client);
  await client.close();
  await server.stop();
}

const items = (client: MongoClient, name = 'items'): Collection<Document> => client.db().collection(name);
const idsOf = async (collection: Collection<Document>): Promise<unknown[]> =>
  (await collection.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);

describe('a full disk', () => {
  /** Ten writers write until the disk is full; whatever was acknowledged can be read then, and after a kill. */
  async function fillAndFree(server: ServerProcess, code: number, free: () => void): Promise<void> {
    const client = await connect(server.uri);
    const acknowledged: number[] = [];
    const write = async (_id: number): Promise<void> => {
      await items(client).insertOne({ _id, body: 'x'.repeat(10_000) } as Document);
      acknowledged.push(_id);
    };
    const failures = await Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let n = 0; n < 10_000; n++) {
          const failed = await write(writer * 10_000 + n).catch((error: Document) => error);
          if (failed) return failed;
        }
        throw new Error('the disk was never full');
      }),
    );
    expect([...new Set(failures.map((failure) => failure.code))]).toEqual([code]);
    for (const attempt of [
      () =>
        items(client).insertMany([{ a: 'x'.repeat(50_000) }, { a: 'x'.repeat(50_000) }], { ordered: false }),
      () => items(client).updateMany({}, { $set: { more: 'x'.repeat(10_000) } }),
      () => items(client).bulkWrite([{ insertOne: { document: { a: 'x'.repeat(50_000) } } }]),
      () => items(client).createIndex({ body: 1 }),
    ]) {
      expect((await errorOf(attempt())).code).toBe(code);
    }
    expect(new Set(await idsOf(items(client)))).toEqual(new Set(acknowledged));
    free();
    await write(-1);
    await items(client).createIndex({ number: 1 });
    await client.close();
    await server.kill();
    // Clearing away the index that was not built is work that no client waits for: its failure is told here.
    for (const complaint of server.complaints().trim().split('\n'))
      expect(complaint).toMatch(
        /^$|Warning: Work in the background of the store in .* failed: the disk|trace-warnings/,
      );
    const again = await start();
    expect(new Set(await idsOf(items(again.client)))).toEqual(new Set(acknowledged));
  }

  test('refuses writes with OutOfDiskSpace, goes on reading, and writes again once there is space', async () => {
    if (!isRoot) {
      process.stderr.write('not run: only root can mount a small file system\n');
      return;
    }
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory.path]);
    try {
      await fillAndFree(await spawnServer(), 14031, () => {
        execFileSync('mount', ['-o', 'remount,size=64m', directory.path]);
      });
    } finally {
      for (const close of open.splice(0).reverse()) await close();
      execFileSync('umount', [directory.path]);
    }
  });

  test('a write that the system refuses for another reason fails and is not acknowledged', async () => {
    const limited = `ulimit -S -f 4000; exec "$0" "$@"`;
    const server = await spawnServer(['bash', '-c', limited]);
    await fillAndFree(server, 8, () => {
      execFileSync('prlimit', ['--fsize=unlimited', '--pid', String(server.child.pid)]);
    });
  });
});

describe('a damaged data file', () => {
  test('with a broken header is refused at the start', async () => {
    await prepare((client) => items(client).insertOne({}));
    const bytes = readFileSync(file('data.sqlite'));
    writeFileSync(file('data.sqlite'), bytes.fill(0xa5, 0, 100));
    expect(await refusal()).toBe(
      `The store in ${directory.path} cannot start: the data file is damaged (SQLite 26: file is not a database).`,
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
        message: expect.stringContaining('invalid BSON'),
      });
    }
    expect(await items(client).findOne({ _id: 1 as never })).toEqual({ _id: 1, a: 'sound' });
  });
});

describe('a data directory that cannot be used', () => {
  /** Starts in a process that obeys permission bits, which root does not without giving up a capability. */
  function startPlainly(path: string): { started?: boolean; message?: string; cause?: boolean } {
    const script = fileURLToPath(new URL('./fixtures/start-once.ts', import.meta.url));
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', script, path];
    const plain = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', ...node] : node;
    const { stdout, stderr } = spawnSync(plain[0] as string, plain.slice(1), { encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  test('because it is read-only', () => {
    chmodSync(directory.path, 0o555);
    expect(startPlainly(directory.path)).toEqual({
      message: `The data directory ${directory.path} cannot be read and written by this user (EACCES).`,
      cause: true,
    });
    chmodSync(directory.path, 0o700);
    expect(startPlainly(directory.path)).toEqual({ started: true });
  });

  test('because it belongs to another user', () => {
    const path = isRoot ? file('theirs') : '/root';
    if (isRoot) {
      mkdirSync(path, { mode: 0o700 });
      chownSync(path, nobody, nobody);
    }
    expect(startPlainly(path).message).toBe(
      `The data directory ${path} cannot be read and written by this user (EACCES).`,
    );
    expect(startPlainly(join(path, 'made')).message).toBe(
      `The data directory ${join(path, 'made')} cannot be made (EACCES).`,
    );
  });

  test('because its data file is read-only', async () => {
    await prepare((client) => items(client).insertOne({}));
    chmodSync(file('data.sqlite'), 0o444);
    expect(startPlainly(directory.path).message).toBe(
      `The data file ${file('data.sqlite')} cannot be read and written by this user (EACCES).`,
    );
  });

  test('because it is a file', async () => {
    writeFileSync(file('file'), '');
    expect(await refusal(file('file'))).toBe(`The data directory ${file('file')} is a file.`);
    expect(await refusal(file('file/below'))).toBe(
      `The data directory ${file('file/below')} cannot be made (ENOTDIR).`,
    );
  });

  test('because another process uses it', async () => {
    const { child, uri } = await spawnServer();
    expect(await refusal()).toBe(`The data directory ${directory.path} is in use by process ${child.pid}.`);
    expect(await (await connect(uri)).db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test('because its file was written by a later version', async () => {
    await prepare((client) => items(client).insertOne({ _id: 1 as never }));
    const setVersion = (version: number): void => {
      const data = new DatabaseSync(file('data.sqlite'));
      data.exec(`PRAGMA user_version = ${version}`);
      data.close();
    };
    setVersion(99);
    expect(await refusal()).toBe(
      `The data file ${file('data.sqlite')} has layout version 99, and this version of the store reads version 1 only.`,
    );
    setVersion(1);
    expect(await idsOf(items((await start()).client))).toEqual([1]);
  });

  test('because its file is the database of another program, which stays as it is', async () => {
    const foreign = new DatabaseSync(file('data.sqlite'));
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    const before = readFileSync(file('data.sqlite'));
    expect(await refusal()).toBe(`The file ${file('data.sqlite')} is an SQLite database of another program.`);
    expect(readFileSync(file('data.sqlite')).equals(before)).toBe(true);
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
      copyFileSync(file(name), file(`${name}.kept`));
  }

  const restore = (): void => {
    for (const name of ['data.sqlite', 'data.sqlite-wal', 'data.sqlite-acknowledged'])
      copyFileSync(file(`${name}.kept`), file(name));
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
    const script = fileURLToPath(new URL('./fixtures/checkpointing-writer.ts', import.meta.url));
    const command = ['--disable-warning=ExperimentalWarning', script, file('data.sqlite')];
    let last = 0;
    for (let round = 0; round < 10; round++) {
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
    const database = new Database(file('data.sqlite'));
    const rows = database.all<[number]>('SELECT count(*) FROM catalogue');
    database.close();
    expect(rows[0]?.[0]).toBeGreaterThanOrEqual(last);
  });
});
