import { describe, expect, test } from '@jest/globals';
import { deserialize, serialize } from 'bson';
import { plan } from '../../../src/storage/embedded/plan/planner.ts';
import { emptyCollection } from '../../../src/storage/embedded/store/collection.ts';
import { indexFromSpec, normaliseSpec } from '../../../src/storage/embedded/store/indexes/index-spec.ts';

/** A document as a command brings it. */
const sent = (value: object) => deserialize(serialize(value));

function collectionWith(specs: { key: object; name: string }[]) {
  const collection = emptyCollection(1, 'test', 'threads', {});
  collection.indexes = specs.map((spec, at) => indexFromSpec(at, normaliseSpec(sent(spec))));
  return collection;
}

const collection = collectionWith([
  { key: { _id: 1 }, name: 'id', unique: true } as { key: object; name: string },
  { key: { organisationId: 1, workspaceId: 1 }, name: 'owner' },
]);

test.each([
  [{ $or: [{ _id: 'a' }] }],
  [{ $and: [{ organisationId: 'o', workspaceId: { $in: ['w', null] } }, { $or: [{ _id: 'a' }] }] }],
  [{ organisationId: 'o', $or: [{ $and: [{ $or: [{ _id: 'a' }] }] }] }],
])('one alternative is no choice: %j is found by its id', (filter) => {
  const found = plan(collection, { filter: sent(filter) });
  expect(found).toMatchObject({ kind: 'index', index: { name: 'id' } });
});

test('of several alternatives each has its index, where nothing else narrows the search', () => {
  const filter = sent({ $or: [{ _id: 'a' }, { organisationId: 'o' }] });
  expect(plan(collection, { filter })).toMatchObject({ kind: 'union', exact: false });
});

describe('of indexes that narrow by different fields', () => {
  const items = {
    ...collectionWith([
      { key: { organisationId: 1, workspaceId: 1, createdAt: 1 }, name: 'owner' },
      { key: { threadId: 1, kind: 1 }, name: 'thread' },
    ]),
    count: 1_000_000,
  };
  const ofThread = { threadId: 't', organisationId: 'o', workspaceId: 'w' };
  const byTime = [{ path: 'createdAt', descending: false }];

  /** The name of the index that is taken where each has so many entries, and how many were counted. */
  function taken(entries: Record<string, number>, selection: object = {}) {
    let counted = 0;
    const found = plan(items, { filter: sent(ofThread), ...selection }, ({ index }, most) => {
      const count = Math.min(most, entries[index.name] ?? 0);
      counted += count;
      return count;
    });
    return { name: found.kind === 'index' ? found.index.name : found.kind, counted };
  }

  test('the one with fewer entries is taken', () => {
    expect(taken({ owner: 900_000, thread: 12 }).name).toBe('thread');
    expect(taken({ owner: 12, thread: 900_000 }).name).toBe('owner');
    expect(taken({ owner: 900_000, thread: 5000 }).name).toBe('thread');
    expect(taken({ owner: 0, thread: 0 }).name).toBe('owner');
  });

  test('few are better than an order, and an order is better than many', () => {
    const page = { sort: byTime, limit: 20 };
    expect(taken({ owner: 900_000, thread: 12 }, page).name).toBe('thread');
    expect(taken({ owner: 900_000, thread: 5000 }, page).name).toBe('owner');
  });

  test('counting ends with the shorter one, or where both are long', () => {
    expect(taken({ owner: 900_000, thread: 12 }).counted).toBeLessThan(100);
    expect(taken({ owner: 900_000, thread: 800_000 })).toEqual({
      name: 'owner',
      counted: expect.any(Number),
    });
    expect(taken({ owner: 900_000, thread: 800_000 }).counted).toBeLessThan(20_000);
  });

  test('nothing is counted in a small collection, nor where no other field narrows', () => {
    const never = () => {
      throw new Error('Entries were counted.');
    };
    expect(plan({ ...items, count: 1000 }, { filter: sent(ofThread) }, never).kind).toBe('index');
    expect(plan(items, { filter: sent({ organisationId: 'o', workspaceId: 'w' }) }, never).kind).toBe(
      'index',
    );
  });
});
