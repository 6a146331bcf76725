import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { json, type Script } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';
import { embedder } from './embedders.ts';

let world: World;
let client: OpenAI;

beforeAll(async () => {
  world = await startWorld();
  client = new OpenAI({ apiKey: world.app.workspaceKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
});
afterAll(() => world.stop());

const add = async (store: string, name: string, content: string) =>
  client.vectorStores.files.uploadAndPoll(store, await toFile(Buffer.from(content), name), {
    pollIntervalMs: 50,
  });

async function filledStore(): Promise<string> {
  world.provider.play(embedder(3));
  const { id } = await client.vectorStores.create({
    name: 'Birds',
    embedding_model: `@${world.slug}/embedder`,
  } as OpenAI.VectorStoreCreateParams);
  expect(await add(id, 'herons.txt', 'Herons fish at dawn.')).toMatchObject({ status: 'completed' });
  expect(await add(id, 'bread.txt', 'Bread rises in the oven.')).toMatchObject({ status: 'completed' });
  return id;
}

const search = (store: string) =>
  client.vectorStores.search(store, {
    query: 'Where is the heron?',
    ranking_options: { ranker: 'none' },
  } as OpenAI.VectorStoreSearchParams);

describe('a vector store whose vectors a model makes', () => {
  it('is searched by them', async () => {
    const { data } = await search(await filledStore());
    expect(data.map(({ filename }) => filename)).toEqual(['herons.txt', 'bread.txt']);
    expect(data[0]?.score).toBeGreaterThan(data[1]?.score ?? 1);
    expect(JSON.parse(world.provider.requests.at(-1)?.body.toString() ?? '')).toEqual({
      model: 'embedder',
      input: ['Where is the heron?'],
    });
  });

  it('says so where the model answers vectors of another length, and stays as it was', async () => {
    const store = await filledStore();
    world.provider.play(embedder(4));
    const problem = /answers vectors of 4 numbers, and those of the vector store have 3/;
    await expect(search(store)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(problem),
    });
    expect(await add(store, 'late.txt', 'A late file.')).toMatchObject({
      status: 'failed',
      last_error: { code: 'server_error', message: expect.stringMatching(problem) },
    });
    world.provider.play(embedder(3));
    expect((await search(store)).data).toHaveLength(2);
  });

  it.each<[string, number, Script]>([
    ['answered 401', 400, json(401, { error: { message: 'no such key' } })],
    ['answered 503', 503, json(503, { error: { message: 'busy' } })],
    ['did not answer an embedding for each text', 400, json(200, { data: [null] })],
    ['did not answer an embedding for each text', 400, json(200, 'nothing')],
  ])('says that the model %s, with %i', async (problem, status, answer) => {
    const store = await filledStore();
    world.provider.play(answer);
    await expect(search(store)).rejects.toMatchObject({ status, message: expect.stringContaining(problem) });
  });
});
