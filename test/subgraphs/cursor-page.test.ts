import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Model, Schema } from 'mongoose';
import { openStorage, type Storage } from '../../src/storage/connection.ts';
import { defineModel, resourceSchema } from '../../src/storage/model.ts';
import { type CursorArguments, findCursorPage } from '../../src/subgraphs/cursor-page.ts';
import { testDatabase } from '../support/database.ts';

type Item = { _id: string; organisationId: string; createdAt: Date; kind: string };

const schema = new Schema<Item>(
  { _id: String, organisationId: String, createdAt: Date, kind: String },
  { ...resourceSchema('items'), timestamps: false },
);
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });

const database = testDatabase();
let directory: string;
let storage: Storage;
let model: Model<Item>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  storage = await openStorage({ dataDirectory: directory, mongodbUri: database.uri || null });
  model = defineModel('Item', schema)(storage.db);
  await model.createCollection();
  await model.createIndexes();
});
afterAll(async () => {
  await storage.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const start = Date.UTC(2026, 0, 1);

/** Items of a tenant of their own, few moments for many items; in the order of the list. */
async function store(seeds: { moment: number; kind: string }[], order: 'asc' | 'desc') {
  const organisationId = randomBytes(8).toString('hex');
  const items = seeds.map(({ moment, kind }) => ({
    _id: randomBytes(8).toString('hex'),
    organisationId,
    createdAt: new Date(start + moment),
    kind,
  }));
  if (items.length > 0) await model.insertMany(items);
  const sign = order === 'asc' ? 1 : -1;
  const compare = (left: Item, right: Item) =>
    left.createdAt.getTime() - right.createdAt.getTime() || (left._id < right._id ? -1 : 1);
  return { organisationId, sorted: items.sort((left, right) => sign * compare(left, right)) };
}

const page = (organisationId: string, args: CursorArguments, filter: object = {}) =>
  findCursorPage(model, { organisationId }, filter, args);
const ids = (items: { _id: string }[]) => items.map(({ _id }) => _id);

const seeds = fc.array(fc.record({ moment: fc.nat(4), kind: fc.constantFrom('a', 'b') }), { maxLength: 30 });
const order = fc.constantFrom('asc' as const, 'desc' as const);

describe('a list that is walked by cursor', () => {
  it('is the sorted list, walked forward or back, whatever the page size', async () => {
    const walks = fc.asyncProperty(
      seeds,
      order,
      fc.integer({ min: 1, max: 9 }),
      async (given, order, limit) => {
        const { organisationId, sorted } = await store(given, order);
        const wanted = ids(sorted.filter(({ kind }) => kind === 'a'));
        const read = (cursor: Partial<CursorArguments>) =>
          page(organisationId, { limit, order, ...cursor }, { kind: 'a' });

        const forward: string[] = [];
        for (let found = await read({}); ; found = await read({ after: found.lastId })) {
          forward.push(...ids(found.data));
          expect(found.data.length).toBeLessThanOrEqual(limit);
          expect(found.hasMore).toBe(forward.length < wanted.length);
          if (!found.hasMore) break;
        }
        expect(forward).toEqual(wanted);

        const last = wanted.at(-1);
        if (last === undefined) return;
        const back = [last];
        for (let found = await read({ before: last }); ; found = await read({ before: found.firstId })) {
          back.unshift(...ids(found.data));
          expect(found.hasMore).toBe(back.length < wanted.length);
          if (!found.hasMore) break;
        }
        expect(back).toEqual(wanted);
      },
    );
    await fc.assert(walks, { numRuns: 40 });
  });

  it('gives what lies around any item, and between any two', async () => {
    const limit = 3;
    const looks = fc.asyncProperty(
      fc.array(fc.record({ moment: fc.nat(3), kind: fc.constant('a') }), { minLength: 2, maxLength: 12 }),
      order,
      fc.nat(),
      fc.nat(),
      async (given, order, left, right) => {
        const { organisationId, sorted } = await store(given, order);
        const [from, to] = [left % sorted.length, right % sorted.length];
        const [after, before] = [sorted[from]?._id ?? '', sorted[to]?._id ?? ''];
        const read = (cursor: Partial<CursorArguments>) => page(organisationId, { limit, order, ...cursor });
        const all = ids(sorted);

        const following = await read({ after });
        expect(ids(following.data)).toEqual(all.slice(from + 1, from + 1 + limit));
        const preceding = await read({ before });
        expect(ids(preceding.data)).toEqual(all.slice(Math.max(0, to - limit), to));
        expect(preceding.hasMore).toBe(to > limit);
        const between = await read({ after, before });
        expect(ids(between.data)).toEqual(all.slice(from + 1, Math.max(from + 1, to)).slice(0, limit));
        expect(between.firstId).toBe(between.data[0]?._id ?? null);
        expect(between.lastId).toBe(between.data.at(-1)?._id ?? null);
      },
    );
    await fc.assert(looks, { numRuns: 40 });
  });

  it.each(['after', 'before'] as const)('takes no id of a neighbour, or of nothing, as %s', async (param) => {
    const own = await store([{ moment: 1, kind: 'a' }], 'desc');
    const neighbour = await store([{ moment: 2, kind: 'a' }], 'desc');
    for (const id of [neighbour.sorted[0]?._id ?? '', 'nothing', '']) {
      const asked = page(own.organisationId, { limit: 5, order: 'desc', [param]: id });
      await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_FAILED', param });
    }
  });

  it('goes on from an item that the filter no longer takes', async () => {
    const { organisationId, sorted } = await store(
      [1, 2, 3].map((moment) => ({ moment, kind: moment === 2 ? 'b' : 'a' })),
      'asc',
    );
    const after = sorted[1]?._id ?? '';
    const found = await page(organisationId, { limit: 5, order: 'asc', after }, { kind: 'a' });
    expect(ids(found.data)).toEqual([sorted[2]?._id]);
  });
});
