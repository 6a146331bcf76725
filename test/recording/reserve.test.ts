import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BSON } from 'bson';
import { createLogger } from '../../src/lib/logger.ts';
import type { AuditEntry, IdentifiedAuditEntry } from '../../src/recording/audit/entry.ts';
import { createReserve, type Reserve } from '../../src/recording/audit/reserve.ts';
import { createSpool } from '../../src/recording/audit/spool.ts';
import { createAuditTrail } from '../../src/recording/audit/trail.ts';

let directory: string;
let reserve: Reserve;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-reserve-'));
  reserve = createReserve(directory);
  await reserve.fill();
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const document = (_id: number, length = 10) => Buffer.from(BSON.serialize({ _id, text: 'x'.repeat(length) }));

/** The ids that a process brings in. */
async function replayed(by = createReserve(directory)): Promise<number[]> {
  const ids: number[] = [];
  await by.replay(async (bytes) => {
    for (let at = 0; bytes.readInt32LE(at) > 0; at += bytes.readInt32LE(at))
      ids.push(BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)))._id);
    return { damaged: false };
  });
  return ids;
}

const states = async () => {
  const counts: Record<string, number> = {};
  for (const name of await readdir(directory)) counts[name.slice(0, 4)] = (counts[name.slice(0, 4)] ?? 0) + 1;
  return counts;
};

test('has room that another process finds again, once, and is made whole again', async () => {
  await Promise.all([1, 2, 3].map((id) => reserve.put(document(id))));
  expect(await states()).toEqual({ free: 15, used: 1 });
  expect(await replayed()).toEqual([1, 2, 3]);
  expect(await replayed()).toEqual([]);
  await reserve.fill();
  expect(await states()).toEqual({ free: 16 });
});

test('says so when it is full, and keeps what it has', async () => {
  let taken = 0;
  while (await reserve.put(document(taken, 20_000))) taken++;
  expect(taken).toBe(48);
  expect(await reserve.put(document(-1, 70_000))).toBe(false);
  expect((await replayed()).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 48 }, (_, id) => id));
});

test('is shared by processes, of which each writes to files of its own', async () => {
  const other = createReserve(directory);
  await Promise.all([reserve.put(document(1)), other.put(document(2)), other.put(document(3))]);
  await reserve.put(document(4));
  expect((await replayed()).toSorted()).toEqual([1, 2, 3, 4]);
});

test('keeps what the database refuses once more', async () => {
  await reserve.put(document(1));
  await expect(reserve.replay(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
  await reserve.put(document(2));
  expect(await replayed()).toEqual([1, 2]);
});

test.each(['held', 'read'])(
  'finds what a process left that was killed while its file was %s',
  async (state) => {
    await reserve.put(document(1));
    await rename(join(directory, 'used-00'), join(directory, `${state}-00`));
    expect(await replayed()).toEqual([]);
    await utimes(join(directory, `${state}-00`), 1, 1);
    expect(await replayed()).toEqual([1]);
  },
);

test('an entry that neither database nor disk takes is kept in memory, and comes in once there is room', async () => {
  const stored: string[] = [];
  let isFull = true;
  const blocked = join(directory, 'spool');
  await writeFile(blocked, 'a file where the spool wants its directory');
  const trail = createAuditTrail({
    chain: {
      async append(entries) {
        if (isFull) throw Object.assign(new Error('full'), { code: 14031 });
        stored.push(...entries.map(({ requestId }) => requestId));
      },
      settle: async () => undefined,
    },
    onAppended: () => undefined,
    onRefused: () => undefined,
    spool: createSpool<IdentifiedAuditEntry>(blocked, 'audit', reserve),
    reserve,
    log: createLogger('silent'),
  });
  const entry = (requestId: string, requestBody = '') =>
    ({ requestId, requestBody, requestHeaders: '', uri: '', queryParams: '', userAgent: '' }) as AuditEntry;
  await trail.record(entry('one'));
  await trail.record(entry('two'));
  await trail.replay();
  // There is an end to it.
  await expect(trail.record(entry('large', 'x'.repeat(9_000_000)))).rejects.toThrow();
  isFull = false;
  await rm(blocked);
  await trail.replay();
  await trail.replay();
  expect(stored).toEqual(['one', 'two']);
  await trail.stop();
});
