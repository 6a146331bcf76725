import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startQdrant } from '../support/qdrant.ts';

jest.setTimeout(120_000);

const KEY = 'qdrant-key-4711';
// Each app has a data directory of its own, and any of them may index a file.
const env = { ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'), CONTENTS_IN_DATABASE: 'true' };

let engine: Awaited<ReturnType<typeof startQdrant>>;
let app: TestApp;
let other: TestApp;
let oracle: TestApp;
beforeAll(async () => {
  engine = await startQdrant(KEY);
  const outside = { ...env, QDRANT_URL: engine.url, QDRANT_API_KEY: KEY };
  app = await startApp(outside);
  other = await startApp({ ...outside, MONGODB_URI: app.databaseUri });
  oracle = await startApp({ ...env, MONGODB_URI: app.databaseUri });
}, 120_000);
afterAll(async () => {
  for (const each of [oracle, other, app]) await each.stop();
  await engine.stop();
});
afterEach(() => {
  Object.assign(engine.trouble, { status: null, delayMs: 0 });
});

const clientOf = ({ url }: TestApp, apiKey = app.workspaceKey) =>
  new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });

const texts: [name: string, text: string, year: number][] = [
  ['herons.txt', 'Herons fish at dawn, standing in the shallow water of the lake.', 2020],
  ['bread.txt', 'Bread rises in a warm kitchen before it goes into the oven.', 2021],
  ['clocks.txt', 'A clock of the tower is wound by hand each Monday morning.', 2022],
  ['lakes.txt', 'The lake freezes in January, and the birds of the shallow water leave.', 2023],
];

async function add(store: string, [name, text, year]: (typeof texts)[number], key = app.workspaceKey) {
  const client = clientOf(app, key);
  const file = await client.files.create({
    file: await toFile(Buffer.from(text), name),
    purpose: 'assistants',
  });
  const made = { file_id: file.id, attributes: { year } };
  const { status } = await client.vectorStores.files.createAndPoll(store, made, { pollIntervalMs: 50 });
  expect(status).toBe('completed');
  return file.id;
}

async function filled(key = app.workspaceKey): Promise<string> {
  const { id } = await clientOf(app, key).vectorStores.create({ name: 'Notes' });
  for (const each of texts) await add(id, each, key);
  return id;
}

type Query = Omit<OpenAI.VectorStoreSearchParams, 'query'>;
async function found(where: TestApp, store: string, query: string, more: Query = {}) {
  const { data } = await clientOf(where).vectorStores.search(store, { query, ...more });
  return data;
}
const names = async (...asked: Parameters<typeof found>) =>
  (await found(...asked)).map(({ filename }) => filename);

describe('vector stores in a Qdrant', () => {
  it('are searched as the index of a process is', async () => {
    const store = await filled();
    const cosines: Query = { ranking_options: { ranker: 'none' } as never };
    for (const query of ['Where do herons fish?', 'warm oven', 'tower clock', 'birds and water']) {
      const [mine, own] = [
        await found(app, store, query, cosines),
        await found(oracle, store, query, cosines),
      ];
      expect(mine.map(({ filename }) => filename)).toEqual(own.map(({ filename }) => filename));
      for (const [at, { score }] of mine.entries()) expect(score).toBeCloseTo(own[at]?.score ?? 0, 2);
      expect((await names(app, store, query))[0]).toBe((await names(oracle, store, query))[0]);
    }
    const [first] = await found(app, store, 'Where do herons fish?');
    expect(first).toMatchObject({ filename: 'herons.txt', attributes: { year: 2020 } });
    expect(first?.content).toEqual([{ type: 'text', text: texts[0]?.[1] }]);
    expect(first?.score).toBeGreaterThan(0.9);
  });

  it('are narrowed by attributes, which change without the engine', async () => {
    const store = await filled();
    const until2021: Query = { filters: { type: 'lte', key: 'year', value: 2021 } };
    expect((await names(app, store, 'water', until2021)).sort()).toEqual(['bread.txt', 'herons.txt']);
    const none: Query = { filters: { type: 'eq', key: 'year', value: '2020' } };
    expect(await names(app, store, 'water', none)).toEqual([]);
    const [heron] = await found(app, store, 'herons');
    await clientOf(app).vectorStores.files.update(heron?.file_id ?? '', {
      vector_store_id: store,
      attributes: { year: 1999 },
    });
    const old: Query = { filters: { type: 'eq', key: 'year', value: 1999 } };
    expect(await names(other, store, 'water', old)).toEqual(['herons.txt']);
  });

  it('are apart from each other: each question names its store, in the engine as well', async () => {
    const neighbour = await app.createTenant();
    const [mine, theirs] = [await filled(), await filled(neighbour.workspaceKey)];
    engine.asked.length = 0;
    const { data } = await clientOf(app, neighbour.workspaceKey).vectorStores.search(theirs, {
      query: 'herons',
    });
    expect(data[0]?.filename).toBe('herons.txt');
    const searches = engine.asked.flatMap(({ body }) => body?.searches ?? []);
    expect(searches).toHaveLength(2);
    for (const { filter } of searches)
      expect(filter.must[0]).toEqual({ key: 'store', match: { value: theirs } });
    await expect(
      clientOf(app, neighbour.workspaceKey).vectorStores.search(mine, { query: 'herons' }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('show nothing that the database does not have, whatever the engine has', async () => {
    const store = await filled();
    await found(app, store, 'herons');
    const planted = engine.points().find(({ payload }) => payload.store === store);
    const [collection] = engine.collections.values();
    for (const change of [{ file: 'file-unknown' }, { generation: 99 }]) {
      const id = `00000000-0000-0000-0000-0000000000${Object.keys(change)[0]?.length}0`.slice(0, 36);
      collection?.points.set(id, {
        ...(planted as NonNullable<typeof planted>),
        id,
        payload: { ...planted?.payload, ...change, text: 'herons herons herons' },
      });
    }
    const texts = (await found(app, store, 'herons')).map(({ content }) => content[0]?.text);
    expect(texts).not.toContain('herons herons herons');
  });

  it('lose there what is deleted here, though nobody searches', async () => {
    const store = await filled();
    await found(app, store, 'herons');
    const pointsOf = () => engine.points().filter(({ payload }) => payload.store === store);
    expect(pointsOf()).toHaveLength(4);
    const [heron] = await found(app, store, 'herons');
    await clientOf(app).files.delete(heron?.file_id ?? '');
    await eventually(async () => expect(pointsOf()).toHaveLength(3));
    expect(pointsOf().map(({ payload }) => payload.file)).not.toContain(heron?.file_id);
    await clientOf(app).vectorStores.delete(store);
    await eventually(async () => expect(pointsOf()).toEqual([]));
  });

  it('are filled again where the engine has lost them', async () => {
    const store = await filled();
    expect((await names(app, store, 'herons'))[0]).toBe('herons.txt');
    engine.collections.clear();
    expect((await names(app, store, 'herons'))[0]).toBe('herons.txt');
    expect((await names(other, store, 'oven'))[0]).toBe('bread.txt');
  });

  it('are indexed anew under another version, and the earlier one goes', async () => {
    const { id: store } = await clientOf(app).vectorStores.create({});
    const fileId = await add(store, ['notes.txt', 'one two three '.repeat(400), 2020]);
    await found(app, store, 'two');
    const again = {
      file_id: fileId,
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } },
    } as const;
    const before = engine.points().filter(({ payload }) => payload.store === store);
    await clientOf(other).vectorStores.files.createAndPoll(store, again, { pollIntervalMs: 50 });
    await found(other, store, 'two');
    const after = engine.points().filter(({ payload }) => payload.store === store);
    expect(after.length).toBeGreaterThan(before.length);
    expect(new Set(after.map(({ payload }) => payload.generation)).size).toBe(1);
  });
});

describe('where the engine', () => {
  it('is away, a search is refused as temporary, names no key, and works again afterwards', async () => {
    const store = await filled();
    engine.trouble.status = 503;
    const refused = await found(app, store, 'herons').catch((error) => error);
    expect(refused).toMatchObject({ status: 503, code: 'vector_engine_unavailable' });
    expect(JSON.stringify(refused)).not.toContain(KEY);
    // Files are indexed all the same: their segments are what counts.
    await add(store, ['late.txt', 'Owls hunt at night.', 2024]);
    engine.trouble.status = null;
    expect((await names(app, store, 'owls'))[0]).toBe('late.txt');
  });

  it('is slow, a search waits ten seconds for it', async () => {
    const store = await filled();
    await found(app, store, 'herons');
    engine.trouble.delayMs = 15_000;
    const from = performance.now();
    await expect(found(app, store, 'herons')).rejects.toMatchObject({ status: 503 });
    expect(performance.now() - from).toBeLessThan(14_500);
  });

  it('has a collection of vectors of another length, a search is refused', async () => {
    engine.collections.clear();
    engine.collections.set('sluice_1024', { size: 8, points: new Map() });
    const store = await filled();
    await expect(found(app, store, 'herons')).rejects.toMatchObject({ status: 503 });
    engine.collections.clear();
    expect((await names(app, store, 'herons'))[0]).toBe('herons.txt');
  });
});
