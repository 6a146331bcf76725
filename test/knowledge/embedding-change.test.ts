import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Collection } from 'mongodb';
import OpenAI, { toFile } from 'openai';
import { vectorStoreModel } from '../../src/subgraphs/assistants/vector-store/index.ts';
import { vectorSegmentModel } from '../../src/subgraphs/assistants/vector-store-file/index.ts';
import { eventually } from '../support/eventually.ts';
import { json } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';
import { embedder, type Gate, gate } from './embedders.ts';

type Store = OpenAI.VectorStore & {
  embedding_model: string;
  embedding_dimensions: number | null;
  embedding_change: { model: string; prepared_files: number; error: string | null } | null;
};

let world: World;
let client: OpenAI;

beforeAll(async () => {
  world = await startWorld();
  client = new OpenAI({ apiKey: world.app.workspaceKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
});
afterAll(() => world.stop());

const model = (name = 'embedder') => `@${world.slug}/${name}`;
const shown = async (id: string) => (await client.vectorStores.retrieve(id)) as Store;
const change = (id: string, to: { embedding_model?: unknown; embedding_dimensions?: unknown }) =>
  client.vectorStores.update(id, to as OpenAI.VectorStoreUpdateParams) as Promise<unknown> as Promise<Store>;
const add = async (id: string, name: string, content: string) =>
  client.vectorStores.files.uploadAndPoll(id, await toFile(Buffer.from(content), name), {
    pollIntervalMs: 50,
  });
const search = async (id: string) => {
  const { data } = await client.vectorStores.search(id, {
    query: 'Where is the heron?',
    ranking_options: { ranker: 'none' },
  } as OpenAI.VectorStoreSearchParams);
  return data.map(({ filename }) => filename).sort();
};

/** A store of the embedder that needs no model, with two files. */
async function filledStore(): Promise<string> {
  const { id } = await client.vectorStores.create({ name: 'Birds' });
  await add(id, 'bread.txt', 'The heron bread rises in the oven.');
  await add(id, 'herons.txt', 'The heron is a bird that fishes at dawn.');
  return id;
}

const both = ['bread.txt', 'herons.txt'];
/** How many numbers each segment has that a store keeps, and what it keeps of a change. */
const kept = async (storeId: string) => {
  const segments = await vectorSegmentModel(world.app.db).find({ storeId }).lean();
  const store = await vectorStoreModel(world.app.db).findById(storeId).lean();
  return {
    dimensions: segments.map(({ dimensions }) => dimensions),
    next: store?.next,
    settling: store?.settling,
  };
};
const settled = (id: string, dimensions: number) =>
  eventually(async () =>
    expect(await kept(id)).toEqual({
      dimensions: [dimensions, dimensions],
      next: undefined,
      settling: undefined,
    }),
  );

/** Changes to a model that waits with its answer for the file about bread. */
async function held(id: string, given = 3): Promise<Gate> {
  const opened = gate();
  world.provider.play(embedder(given, { until: opened, of: /bread/ }));
  await change(id, { embedding_model: model() });
  await eventually(async () =>
    expect(await shown(id)).toMatchObject({ embedding_change: { prepared_files: 1, error: null } }),
  );
  return opened;
}

it('an error behind the last write of a file takes nothing from it', async () => {
  const { deleteMany } = Collection.prototype;
  let failures = 0;
  const spy = jest.spyOn(Collection.prototype, 'deleteMany').mockImplementation(function (
    this: Collection,
    ...given
  ) {
    if (this.collectionName !== 'vector_segments' || failures > 0) return deleteMany.apply(this, given);
    failures += 1;
    return Promise.reject(new Error('The disk is full.'));
  });
  try {
    const { id } = await client.vectorStores.create({ name: 'Birds' });
    expect(await add(id, 'herons.txt', 'The heron fishes at dawn.')).toMatchObject({ status: 'completed' });
    await eventually(async () => expect(failures).toBe(1));
    // The indexer has dealt with the error once it has another file.
    expect(await add(id, 'bread.txt', 'The heron bread rises.')).toMatchObject({ status: 'completed' });
    expect(await search(id)).toEqual(['bread.txt', 'herons.txt']);
  } finally {
    spy.mockRestore();
  }
});

describe('a vector store whose embedding model changes', () => {
  it('is searched by its present vectors until all files have others, and by these from then on', async () => {
    const id = await filledStore();
    expect(await shown(id)).toMatchObject({ embedding_model: 'local', embedding_change: null });
    const opened = await held(id);
    expect(await shown(id)).toMatchObject({
      ...{ embedding_model: 'local', status: 'completed', file_counts: { completed: 2, total: 2 } },
      embedding_change: { model: model(), prepared_files: 1, error: null },
    });
    const asked = world.provider.requests.length;
    expect(await search(id)).toEqual(both);
    expect(world.provider.requests).toHaveLength(asked);
    opened.open();
    await settled(id, 3);
    expect(await shown(id)).toMatchObject({ embedding_model: model(), embedding_change: null });
    expect(await search(id)).toEqual(both);
    expect(JSON.parse(world.provider.requests.at(-1)?.body.toString() ?? '')).toMatchObject({
      input: ['Where is the heron?'],
    });
    await change(id, { embedding_model: 'local' });
    await settled(id, 1024);
    expect(await search(id)).toEqual(both);
  });

  it('has files that come meanwhile in either form', async () => {
    const id = await filledStore();
    const opened = await held(id);
    expect(await add(id, 'late.txt', 'A heron that came late.')).toMatchObject({ status: 'completed' });
    expect(await search(id)).toEqual([...both, 'late.txt']);
    opened.open();
    await eventually(async () => expect((await kept(id)).dimensions).toEqual([3, 3, 3]));
    expect(await search(id)).toEqual([...both, 'late.txt']);
  });

  it('takes a later change in place of an earlier one', async () => {
    const id = await filledStore();
    const opened = await held(id);
    world.provider.play(embedder(5));
    await change(id, { embedding_model: model('other'), embedding_dimensions: 5 });
    opened.open();
    await settled(id, 5);
    expect(await shown(id)).toMatchObject({ embedding_model: model('other'), embedding_dimensions: 5 });
    expect(await search(id)).toEqual(both);
  });

  it('gives a change up when its present model is named', async () => {
    const id = await filledStore();
    const opened = await held(id);
    expect(await change(id, { embedding_model: 'local' })).toMatchObject({ embedding_change: null });
    opened.open();
    await settled(id, 1024);
    expect(await shown(id)).toMatchObject({ embedding_model: 'local' });
    expect(await search(id)).toEqual(both);
  });

  it('stays as it was where the model refuses, says why, and goes on when it is asked again', async () => {
    const id = await filledStore();
    world.provider.play(json(401, { error: { message: 'no such key' } }));
    await change(id, { embedding_model: model() });
    await eventually(async () =>
      expect(await shown(id)).toMatchObject({
        ...{ embedding_model: 'local', status: 'completed' },
        embedding_change: { error: expect.stringMatching(/answered 401/) },
      }),
    );
    expect(await search(id)).toEqual(both);
    world.provider.play(embedder(3));
    expect(await change(id, { embedding_model: model() })).toMatchObject({
      embedding_change: { error: null },
    });
    await settled(id, 3);
    expect(await search(id)).toEqual(both);
  });

  it('changes at once where it has no files', async () => {
    const { id } = await client.vectorStores.create({ name: 'Empty' });
    await change(id, { embedding_model: model() });
    await eventually(async () => expect(await shown(id)).toMatchObject({ embedding_model: model() }));
  });

  it.each([
    ['embedding_model', { embedding_model: '' }],
    ['embedding_model', { embedding_model: 7 }],
    ['embedding_dimensions', { embedding_dimensions: 0 }],
    ['embedding_dimensions', { embedding_model: 'local', embedding_dimensions: 9000 }],
  ])('refuses %s in %j, and stays as it is', async (field, to) => {
    const { id } = await client.vectorStores.create({ name: 'Plain' });
    const refusal = { status: 400, message: expect.stringContaining(field) };
    await expect(change(id, to)).rejects.toMatchObject(refusal);
    expect(await shown(id)).toMatchObject({ embedding_model: 'local', embedding_change: null });
  });
});
