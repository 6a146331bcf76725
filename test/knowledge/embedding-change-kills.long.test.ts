import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { eventually } from '../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { type Script, type ScriptedProvider, startProvider } from '../support/provider.ts';
import { embedder } from './embedders.ts';

type Store = OpenAI.VectorStore & {
  embedding_model: string;
  embedding_change: { prepared_files: number } | null;
};

jest.setTimeout(600_000);

const FILES = 4;
const MODEL = '@birds/embedder';
let directory: string;
let provider: ScriptedProvider;
let sluice: SluiceProcess;
let client: OpenAI;
let keys: { workspace_api_key: string; admin_api_key: string };

async function start(): Promise<void> {
  sluice = await startProcess(directory);
  keys = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
  client = new OpenAI({ apiKey: keys.workspace_api_key, baseURL: `${sluice.url}/v1`, maxRetries: 0 });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-embedding-change-'));
  provider = await startProvider();
  await start();
  const integration = {
    ...{ name: 'Birds', slug: 'birds', ai_provider_id: 'openai', key: 'sk-none' },
    configurations: { custom_host: provider.url },
  };
  const made = await fetch(`${sluice.url}/v1/integrations`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': keys.admin_api_key, 'content-type': 'application/json' },
    body: JSON.stringify(integration),
  });
  expect(made.status).toBe(200);
});
afterAll(async () => {
  await sluice.kill('SIGKILL');
  await provider.stop();
  await rm(directory, { recursive: true, force: true });
});

const shown = async (id: string) => (await client.vectorStores.retrieve(id)) as Store;
/** The names of what a search finds, once for each chunk. */
const found = async (id: string) => {
  const body = { query: 'heron', max_num_results: 50 };
  const { data } = await client.vectorStores.search(id, body);
  return data.map(({ filename }) => filename).sort();
};

it('a kill in the middle of a change leaves the form that is searched whole, and the change goes on', async () => {
  const names = Array.from({ length: FILES }, (_, at) => `${at}.txt`);
  const { id } = await client.vectorStores.create({ name: 'Birds' });
  for (const name of names)
    await client.vectorStores.files.uploadAndPoll(id, await toFile(Buffer.from(`A heron, ${name}.`), name), {
      pollIntervalMs: 50,
    });
  expect(await found(id)).toEqual(names);

  // A file waits for its vectors until it is let through.
  let waiting: (() => void)[] = [];
  const some: Script = async (request, response, raw) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await embedder(3)(request, response, raw);
  };
  provider.play(some);
  await client.vectorStores.update(id, { embedding_model: MODEL } as OpenAI.VectorStoreUpdateParams);
  for (let kill = 1; kill < FILES; kill++) {
    await eventually(async () => expect(waiting).not.toEqual([]));
    waiting.shift()?.();
    await eventually(async () => {
      expect((await shown(id)).embedding_change).toMatchObject({ error: null, prepared_files: kill });
    }, 60_000);
    await sluice.kill('SIGKILL');
    waiting = [];
    await start();
    expect(await shown(id)).toMatchObject({ embedding_model: 'local', file_counts: { completed: FILES } });
    expect(await found(id)).toEqual(names);
  }
  provider.play(embedder(3));
  for (const goOn of waiting) goOn();
  await eventually(async () => {
    expect(await shown(id)).toMatchObject({ embedding_model: MODEL, embedding_change: null });
  }, 60_000);
  // Whatever a kill behind the swap leaves undone is done by the next process.
  await sluice.kill('SIGKILL');
  await start();
  expect(await found(id)).toEqual(names);
  expect(await shown(id)).toMatchObject({
    status: 'completed',
    file_counts: { completed: FILES, total: FILES },
  });
});
