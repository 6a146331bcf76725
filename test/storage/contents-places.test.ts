import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { type Contents, createContents } from '../../src/storage/contents/index.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { startApp, type TestApp } from '../support/app.ts';

const MEGABYTE = 1024 * 1024;
const never = new AbortController().signal;

let app: TestApp;
let directory: string;
const db = (): Db => nativeDb(app.db);
beforeAll(async () => {
  app = await startApp();
  directory = await mkdtemp(join(tmpdir(), 'sluice-contents-'));
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

const place = { bucket: null, folder: 'places', prefix: '' };
const places: [string, () => Contents][] = [
  ['on the disk', () => createContents({ ...place, database: null, dataDirectory: directory })],
  ['in the database', () => createContents({ ...place, database: db, dataDirectory: '/nowhere' })],
];

/** Bytes that differ at every place of a megabyte, given in uneven pieces. */
const bytes = (length: number) =>
  Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 13)) % 251));
async function* pieces(content: Buffer, end?: () => void) {
  for (let at = 0; at < content.length; at += 300_007) yield content.subarray(at, at + 300_007);
  end?.();
}
async function readOf(contents: Contents, name: string, range?: { start: number; end: number }) {
  const found = await contents.open(name);
  const read: Uint8Array[] = [];
  for await (const chunk of found?.read(range) ?? []) read.push(chunk);
  return found && Buffer.concat(read);
}
const documents = async () => ({
  files: await db().collection('gridfs_places.files').countDocuments(),
  chunks: await db().collection('gridfs_places.chunks').countDocuments(),
});

describe.each(places)('contents %s', (_where, made) => {
  it('are read as they were written, whole and in parts', async () => {
    const contents = made();
    const content = bytes(3 * MEGABYTE + 77);
    await contents.write('large', pieces(content), never);
    expect((await contents.open('large'))?.bytes).toBe(content.length);
    expect((await readOf(contents, 'large'))?.equals(content)).toBe(true);
    const ranges: [number, number][] = [
      [0, 0],
      [5, 9],
      [MEGABYTE - 1, MEGABYTE],
      [MEGABYTE, 2 * MEGABYTE - 1],
      [content.length - 1, content.length - 1],
      [0, content.length - 1],
    ];
    for (const [start, end] of ranges) {
      const part = await readOf(contents, 'large', { start, end });
      expect([start, end, part?.equals(content.subarray(start, end + 1))]).toEqual([start, end, true]);
    }
    expect(await contents.link('large', 60)).toBeNull();
    await contents.remove('large');
    expect(await contents.open('large')).toBeNull();
  });

  it('may be empty, and take the place of an earlier one', async () => {
    const contents = made();
    await contents.write('twice', pieces(bytes(2 * MEGABYTE)), never);
    await contents.write('twice', pieces(Buffer.alloc(0)), never);
    expect((await readOf(contents, 'twice'))?.length).toBe(0);
    await contents.remove('twice');
  });

  it('are gone, and missing, without an error', async () => {
    const contents = made();
    await contents.remove('never');
    expect(await contents.open('never')).toBeNull();
  });

  it.each(['breaks off', 'is aborted'])('leave nothing when the content %s', async (how) => {
    const contents = made();
    const stopping = new AbortController();
    const end = () => {
      if (how === 'is aborted') stopping.abort(new Error('stopped'));
      else throw new Error('broken');
    };
    const writing = contents.write('half', pieces(bytes(2 * MEGABYTE), end), stopping.signal);
    await expect(writing).rejects.toThrow(how === 'is aborted' ? 'stopped' : 'broken');
    expect(await contents.open('half')).toBeNull();
    expect(await documents()).toEqual({ files: 0, chunks: 0 });
  });
});

describe('contents in the database', () => {
  it('are there once they are whole, and chunks of a writer that died go with their name', async () => {
    const contents = createContents({ ...place, database: db, dataDirectory: '/nowhere' });
    const { promise: waiting, resolve: goOn } = Promise.withResolvers<void>();
    async function* slow() {
      yield bytes(2 * MEGABYTE);
      await waiting;
    }
    const writing = contents.write('slow', slow(), never);
    while ((await documents()).chunks < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await contents.open('slow')).toBeNull();
    // What the next process does with the name, while this writer goes no further.
    await contents.remove('slow');
    expect(await documents()).toEqual({ files: 0, chunks: 0 });
    goOn();
    await writing;
    await contents.remove('slow');
  });

  it('hand on that the database is full', async () => {
    const full = Object.assign(new Error('no room'), { code: 14031 });
    const refusing = () =>
      new Proxy(db(), {
        get(target, name) {
          if (name !== 'collection') return Reflect.get(target, name, target);
          return (given: string, options: never) => {
            const collection = target.collection(given, options);
            if (!given.endsWith('.chunks')) return collection;
            return new Proxy(collection, {
              get: (one, member) =>
                member === 'insertOne'
                  ? () => Promise.reject(full)
                  : typeof Reflect.get(one, member, one) === 'function'
                    ? Reflect.get(one, member, one).bind(one)
                    : Reflect.get(one, member, one),
            });
          };
        },
      });
    const contents = createContents({ ...place, database: refusing, dataDirectory: '/nowhere' });
    await expect(contents.write('full', pieces(bytes(2 * MEGABYTE)), never)).rejects.toMatchObject({
      code: 14031,
    });
    expect(await documents()).toEqual({ files: 0, chunks: 0 });
  });
});
