import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { Document } from 'mongodb';
import { eventually } from '../../../support/eventually.ts';
import type { ServerProcess } from '../fixtures/process.ts';
import {
  closeAll,
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

const isRoot = process.getuid?.() === 0;
const nobody = 65534;
useDirectory();

describe('a full disk', () => {
  /** Ten writers write until the disk is full; whatever was acknowledged can be read then, and after a kill. */
  async function fillAndFree(server: ServerProcess, code: number, free: () => void): Promise<void> {
    const client = await connect(server.uri);
    const acknowledged: number[] = [];
    const write = async (_id: number): Promise<void> => {
      await items(client).insertOne({ _id, body: 'x'.repeat(10_000) } as Document);
      acknowledged.push(_id);
    };
    let turn = 0;
    async function fill(): Promise<unknown[]> {
      const first = turn++ * 100_000;
      return Promise.all(
        Array.from({ length: 10 }, async (_, writer) => {
          for (let n = 0; n < 10_000; n++) {
            const failed = await write(first + writer * 10_000 + n).catch((error: Document) => error);
            if (failed) return failed.code;
          }
          throw new Error('the disk was never full');
        }),
      );
    }
    /** The store may make room between two writes, by writing its log back: then the disk is filled again. */
    async function refusal(attempt: () => Promise<unknown>): Promise<Document> {
      for (;;) {
        try {
          await attempt();
        } catch (error) {
          return error as Document;
        }
        expect([...new Set(await fill())]).toEqual([code]);
      }
    }
    expect([...new Set(await fill())]).toEqual([code]);
    const large = (_id: number) => ({ _id, a: 'x'.repeat(50_000) }) as Document;
    let last = -10;
    const insert = async (count: number, by: (documents: Document[]) => Promise<unknown>) => {
      const documents = Array.from({ length: count }, () => large(last--));
      await by(documents);
      acknowledged.push(...documents.map(({ _id }) => _id as number));
    };
    for (const attempt of [
      () => insert(2, (documents) => items(client).insertMany(documents, { ordered: false })),
      () => items(client).updateMany({}, { $set: { more: 'x'.repeat(10_000) } }),
      () =>
        insert(1, (documents) =>
          items(client).bulkWrite(documents.map((document) => ({ insertOne: { document } }))),
        ),
      () => items(client).createIndex({ body: 1 }),
    ]) {
      expect((await refusal(attempt)).code).toBe(code);
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

  /** A small file system of its own in the place of the data directory. */
  async function onSmallDisk(megabytes: number, work: () => Promise<void>): Promise<void> {
    if (!isRoot) {
      process.stderr.write('not run: only root can mount a small file system\n');
      return;
    }
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', file()]);
    try {
      await work();
    } finally {
      await closeAll();
      execFileSync('umount', ['--lazy', file()]);
    }
  }

  test('refuses writes with OutOfDiskSpace, goes on reading, and writes again once there is space', () =>
    onSmallDisk(4, async () => {
      await fillAndFree(await spawnServer(), 14031, () => {
        execFileSync('mount', ['-o', 'remount,size=64m', file()]);
      });
    }));

  test('that has no room for what is in the log ends nobody', () =>
    onSmallDisk(96, async () => {
      const server = await spawnServer();
      const client = await connect(server.uri);
      const codes = new Set<unknown>();
      const log = file('data.sqlite-wal');
      const beginning = () => readFileSync(log).toString('hex', 0, 32);
      let acknowledged = 0;
      const insert = async () => {
        await items(client).insertOne({ body: 'x'.repeat(10_000) });
        acknowledged++;
      };
      // While somebody reads, nothing is copied and the log grows to twice the length at which a copy is due.
      await insert();
      const reader = new DatabaseSync(file('data.sqlite'));
      reader.exec('BEGIN; SELECT count(*) FROM catalogue');
      while (statSync(log).size < 2000 * 16_384) await insert();
      reader.close();
      // Once it is copied the log begins anew in the same place, which its first bytes tell.
      const first = beginning();
      while (beginning() === first) await insert();
      spawnSync('dd', ['if=/dev/zero', `of=${file('filler')}`, 'bs=64k']);
      while (codes.size === 0) await insert().catch(({ code }) => codes.add(code));
      expect([...codes]).toEqual([14031]);
      rmSync(file('filler'));
      await insert();
      expect(await items(client).countDocuments({})).toBe(acknowledged);
      await client.close();
      // The warning comes through a pipe, on its own time.
      await eventually(async () =>
        expect(server.complaints()).toMatch(/Work in the background of the store in .* failed: the disk/),
      );
    }));

  test('a write that the system refuses for another reason fails and is not acknowledged', async () => {
    const limited = `ulimit -S -f 4000; exec "$0" "$@"`;
    const server = await spawnServer(['bash', '-c', limited]);
    await fillAndFree(server, 8, () => {
      execFileSync('prlimit', ['--fsize=unlimited', '--pid', String(server.child.pid)]);
    });
  });
});

test('a quota that is used up is a full disk, whatever SQLite calls it', async () => {
  if (spawnSync('strace', ['-V']).error) {
    process.stderr.write('not run: strace, which makes system calls fail, is not installed\n');
    return;
  }
  const quietly = ['-D', '-f', '-qq', '-o', '/dev/null'];
  const inject = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=EDQUOT:when=40+'];
  const server = await spawnServer(['strace', ...quietly, ...inject]);
  const client = await connect(server.uri);
  const codes = new Set<unknown>();
  for (let n = 0; n < 40; n++)
    await items(client)
      .insertOne({})
      .catch(({ code }) => codes.add(code));
  expect([...codes]).toEqual([14031]);
  await client.close();
});

describe('a failing disk', () => {
  test.each(['fsync', 'pwrite64'])(
    'whose %s fails for a while acknowledges nothing that is not kept',
    async (call) => {
      if (spawnSync('strace', ['-V']).error) {
        process.stderr.write('not run: strace, which makes system calls fail, is not installed\n');
        return;
      }
      // With -D the server, not strace, is the child that the test can kill.
      const quietly = ['-D', '-f', '-qq', '-o', '/dev/null'];
      const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=40..47`];
      const server = await spawnServer(['strace', ...quietly, ...inject]);
      const client = await connect(server.uri);
      const acknowledged: number[] = [];
      const codes = new Set<unknown>();
      for (let n = 0; n < 100; n++) {
        await items(client)
          .insertOne({ _id: n as never })
          .then(
            () => acknowledged.push(n),
            ({ code }) => codes.add(code),
          );
      }
      expect([...codes]).toEqual([8]);
      expect(acknowledged.at(-1)).toBe(99);
      expect(await idsOf(items(client))).toEqual(acknowledged);
      await client.close();
      await server.kill();
      expect(await idsOf(items((await start()).client))).toEqual(acknowledged);
    },
  );
});

describe('a data directory that cannot be used', () => {
  /** Starts in a process that obeys permission bits, which root does not without giving up a capability. */
  function startPlainly(path: string): { started?: boolean; message?: string; cause?: boolean } {
    const script = fileURLToPath(new URL('../fixtures/start-once.ts', import.meta.url));
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', script, path];
    const plain = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', ...node] : node;
    const { stdout, stderr } = spawnSync(plain[0] as string, plain.slice(1), { encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  test('because it is read-only', () => {
    chmodSync(file(), 0o555);
    expect(startPlainly(file())).toEqual({
      message: `The data directory ${file()} cannot be read and written by this user (EACCES).`,
      cause: true,
    });
    chmodSync(file(), 0o700);
    expect(startPlainly(file())).toEqual({ started: true });
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
    expect(startPlainly(file()).message).toBe(
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
    expect(await refusal()).toBe(`The data directory ${file()} is in use by process ${child.pid}.`);
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
