import { mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BSON } from 'bson';
import { createSpool } from '../../src/recording/audit/spool.ts';

type Item = { _id: number; text?: string };

let root: string;
let directory: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-spool-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(() => {
  directory = join(root, String(count++));
});

const files = async () =>
  (await readdir(directory).catch(() => [])).filter((name) => name.startsWith('tests-'));
const numbers = (length: number) => Array.from({ length }, (_, index) => index);

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
