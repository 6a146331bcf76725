import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { encode } from '../../../src/storage/embedded/bson/encode.ts';
import type { Index } from '../../../src/storage/embedded/store/indexes/index-spec.ts';
import { defaultOptions } from '../../../src/storage/embedded/store/options.ts';
import { Store } from '../../../src/storage/embedded/store/store.ts';
import { temporaryDirectory } from './support.ts';

/** The one place where the store is used without a driver: faults cannot be provoked through the protocol. */
let directory: { path: string; remove(): void };
let store: Store;
const background: unknown[] = [];
const open = (): Store =>
  new Store(join(directory.path, 'data.sqlite'), defaultOptions, (error) => background.push(error));

beforeEach(() => {
  directory = temporaryDirectory();
  store = open();
});
afterEach(async () => {
  await store.close();
  directory.remove();
  expect(background).toEqual([]);
});

const insert = (name: string, document: Record<string, unknown>): void =>
  store.documents.insert(store.obtain('db', name), encode(document));

/** What memory and the file say about a collection; they must agree. */
function state(name: string): { count: number; stored: number; entries: number } | null {
  const collection = store.catalogue.find('db', name);
  if (!collection) return null;
  const value = (sql: string, ...ids: number[]): number =>
    store.database.all<[number]>(sql, ...ids)[0]?.[0] ?? 0;
  return {
    count: collection.count,
    stored: value(`SELECT count(*) FROM documents_${collection.id}`),
    entries: value('SELECT count(*) FROM entries WHERE idx = ?', collection.indexes[0]?.id ?? 0),
  };
}

test('a statement that breaks halfway takes back only its own changes', async () => {
  const outcomes = await Promise.allSettled([
    store.writes.run(() => insert('a', { _id: 1 })),
    store.writes.run(() => {
      insert('a', { _id: 2 });
      insert('made', { _id: 1 });
      throw new Error('injected');
    }),
    store.writes.run(() => insert('a', { _id: 3 })),
    store.writes.run(() => {
      insert('a', { _id: 4 });
      insert('a', { _id: 1 });
    }),
    store.writes.run(() => insert('b', { _id: 1 })),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  const expected = {
    a: { count: 2, stored: 2, entries: 2 },
    b: { count: 1, stored: 1, entries: 1 },
    made: null,
  };
  expect({ a: state('a'), b: state('b'), made: state('made') }).toEqual(expected);
  await store.close();
  store = open();
  expect({ a: state('a'), b: state('b'), made: state('made') }).toEqual(expected);
});

test('when the disk is full nothing of the batch is acknowledged or kept, and later writes work again', async () => {
  await store.writes.run(() => insert('a', { _id: 0 }));
  store.database.run('PRAGMA max_page_count = 12');
  const body = 'x'.repeat(200_000);
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map((_id) => store.writes.run(() => insert(`c${_id}`, { _id, body }))),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  store.database.run('PRAGMA max_page_count = 100000');
  for (const [i, { status }] of outcomes.entries()) {
    const kept = state(`c${i + 1}`);
    if (status === 'rejected') expect(kept?.stored ?? 0).toBe(0);
    else expect(kept).toEqual({ count: 1, stored: 1, entries: 1 });
  }
  await store.writes.run(() => insert('a', { _id: 1 }));
  expect(state('a')).toEqual({ count: 2, stored: 2, entries: 2 });
});

test('of two drops of a collection in one turn the second leaves what was made in between', async () => {
  await store.writes.run(() => insert('a', { _id: 1 }));
  const drop = (collection = store.require('db', 'a')): Promise<void> =>
    store.writes.run(() => store.catalogue.drop(collection));
  await Promise.all([drop(), store.writes.run(() => insert('a', { _id: 2 })), drop()]);
  const expected = { count: 1, stored: 1, entries: 1 };
  expect(state('a')).toEqual(expected);
  await store.close();
  store = open();
  expect(state('a')).toEqual(expected);
});

test('the clearing of what was dropped leaves an index alone whose build has ended meanwhile', async () => {
  await store.writes.run(() => {
    for (let _id = 0; _id < 3000; _id++) insert('dropped', { _id });
    insert('a', { _id: 1 });
  });
  const [index] = store.require('db', 'a').indexes as [Index];
  await store.writes.run(() => {
    index.building = true;
    store.catalogue.addTrash('index', index.id);
    store.catalogue.drop(store.require('db', 'dropped'));
  });
  store.cleaner.wake();
  await store.writes.run(() => {
    index.building = false;
    store.catalogue.removeTrash({ kind: 'index', id: index.id });
  });
  // Some turns more, in which the last on its list would come to harm.
  for (let turns = 0; turns < 20; turns += store.catalogue.trash().length > 0 ? 0 : 1)
    await new Promise((resolve) => setImmediate(resolve));
  expect(state('a')).toEqual({ count: 1, stored: 1, entries: 1 });
});
