import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { unpack } from '../../src/recording/log/write-logs.ts';
import { createThreadErasure } from '../../src/runs/erasure/index.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const env = { ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64') };

let app: TestApp;
let client: OpenAI;
let assistantId: string;
beforeAll(async () => {
  app = await startApp(env);
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  assistantId = (
    await client.beta.assistants.create({ model: '@mock/mock-1', tools: [{ type: 'file_search' }] })
  ).id;
});
afterAll(() => app.stop());

const mutation = `mutation ($input: EraseThreadsInput!) {
  eraseThreads(input: $input) { threads messages runs files vectorStoreFiles logs hasMore }
}`;
const erase = (input: object, key = app.adminKey) => app.graphql(mutation, { input }, key);
const refusal = async (input: object, key?: string) => {
  const [error] = (await erase(input, key)).errors ?? [];
  return { code: error?.extensions.code, param: error?.extensions.param ?? null };
};

/** A thread on which a word was said, with a run that answered, and a file that came along. */
async function spoken(word: string, metadata: Record<string, string>) {
  const content = Buffer.from(`A file about ${word}.`);
  const file = await client.files.create({ file: await toFile(content, 'a.txt'), purpose: 'assistants' });
  const attachments = [{ file_id: file.id, tools: [{ type: 'file_search' as const }] }];
  const thread = await client.beta.threads.create({
    metadata,
    messages: [{ role: 'user', content: `Tell me about ${word}`, attachments }],
  });
  const [store = ''] = thread.tool_resources?.file_search?.vector_store_ids ?? [];
  const run = await client.beta.threads.runs.createAndPoll(thread.id, { assistant_id: assistantId });
  expect(run.status).toBe('completed');
  return { thread: thread.id, run: run.id, file: file.id, store };
}

const statusOf = (read: Promise<unknown>) =>
  read.then(
    () => 200,
    ({ status }: { status: number }) => status,
  );

/** The collections that hold a word, in clear or in a pack of bodies. */
async function holding(word: string): Promise<string[]> {
  const db = app.db.db;
  if (!db) throw new Error('There is no database.');
  const holders: string[] = [];
  for (const { name } of await db.listCollections().toArray()) {
    for (const document of await db.collection(name).find().toArray()) {
      const shown = name === 'log_bodies' ? unpack(document as never) : document;
      if (JSON.stringify(shown).includes(word)) holders.push(name);
    }
  }
  return [...new Set(holders)].sort();
}

describe('erased threads', () => {
  it('leave nothing of what was said, and nothing else goes', async () => {
    const [ada, eve] = [
      await spoken('periwinkle', { person: 'ada' }),
      await spoken('marigold', { person: 'eve' }),
    ];
    await app.logged();
    expect(await holding('periwinkle')).toEqual(expect.arrayContaining(['log_bodies', 'thread_items']));
    const { data } = await erase({ metadata: { person: 'ada' }, attachedFiles: true });
    expect(data.eraseThreads).toEqual({
      threads: 1,
      messages: 2,
      runs: 1,
      files: 1,
      vectorStoreFiles: 1,
      logs: expect.any(Number),
      hasMore: false,
    });
    expect(data.eraseThreads.logs).toBeGreaterThan(0);
    expect(await holding('periwinkle')).toEqual([]);
    expect(await statusOf(client.beta.threads.retrieve(ada.thread))).toBe(404);
    expect(await statusOf(client.beta.threads.runs.retrieve(ada.run, { thread_id: ada.thread }))).toBe(404);
    expect(await statusOf(client.files.retrieve(ada.file))).toBe(404);
    expect(await statusOf(client.beta.threads.retrieve(eve.thread))).toBe(200);
    expect(await statusOf(client.files.retrieve(eve.file))).toBe(200);
    expect(await holding('marigold')).toEqual(expect.arrayContaining(['log_bodies', 'thread_items']));
  });

  it('leave nothing of a run that was speaking in another process', async () => {
    const slow = await client.beta.assistants.create({ model: '@mock/mock-slow-20' });
    const metadata = { person: 'zoe' };
    const thread = { metadata, messages: [{ role: 'user' as const, content: 'anemone '.repeat(99) }] };
    const other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
    const eraseThere = () => other.graphql(mutation, { input: { metadata } }, app.adminKey);
    const stream = client.beta.threads.createAndRunStream({ assistant_id: slow.id, thread });
    const erased = new Promise<any>((resolve) => stream.once('textDelta', () => resolve(eraseThere())));
    await expect(stream.done()).rejects.toThrow('interrupted');
    expect((await erased).data.eraseThreads).toMatchObject({ threads: 1, runs: 1 });
    await other.stop();
    await app.logged();
    // Its last call was logged when it ended, behind the erasure.
    await eventually(async () => expect(await holding('anemone')).toEqual(['log_bodies']));
    const later = () => new Date(Date.now() + 90_000);
    const keeper = await startApp({ ...env, MONGODB_URI: app.databaseUri }, undefined, later);
    try {
      await eventually(async () => expect(await holding('anemone')).toEqual([]));
    } finally {
      await keeper.stop();
    }
  });

  it('leave their logs, without bodies', async () => {
    await spoken('cornflower', { person: 'bob' });
    await app.logged();
    const logs = `query { logHistory(limit: 100) { data { id cost isSuccess request { body } run { id } } } }`;
    const read = async () => (await app.graphql(logs, {}, app.workspaceKey)).data.logHistory.data;
    const before: { id: string; request: unknown }[] = await read();
    const own = before
      .filter(({ request }) => JSON.stringify(request).includes('cornflower'))
      .map(({ id }) => id);
    expect(own.length).toBeGreaterThan(0);
    await erase({ metadata: { person: 'bob' } });
    const after: any[] = await read();
    expect(after).toHaveLength(before.length);
    for (const log of after.filter(({ id }) => own.includes(id)))
      expect(log).toMatchObject({ isSuccess: true, request: null, run: null });
  });

  it('are those on which nothing was said since, and the files that came along stay unless they are meant', async () => {
    const { thread, file, store } = await spoken('foxglove', { person: 'kim' });
    const before = new Date();
    await client.beta.threads.messages.create(thread, { role: 'user', content: 'Still here.' });
    const input = { metadata: { person: 'kim' }, before: before.toISOString() };
    expect((await erase(input)).data.eraseThreads).toMatchObject({ threads: 0, messages: 0 });
    expect(await statusOf(client.beta.threads.retrieve(thread))).toBe(200);
    const { data } = await erase({ ...input, before: new Date().toISOString() });
    expect(data.eraseThreads).toMatchObject({ threads: 1, messages: 3, files: 0, vectorStoreFiles: 1 });
    expect(await statusOf(client.files.retrieve(file))).toBe(200);
    // The store was made for this thread alone; what it had of the file goes with it.
    expect(await statusOf(client.vectorStores.retrieve(store))).toBe(404);
    for (const name of ['vector_segments', 'vector_store_files'])
      expect(await app.db.collection(name).countDocuments({ storeId: store })).toBe(0);
  });

  it('may be those of keys of metadata that look like paths', async () => {
    const { thread } = await spoken('hyacinth', { 'person.name': 'lee' });
    expect((await erase({ metadata: { 'person.name': 'lea' } })).data.eraseThreads.threads).toBe(0);
    expect((await erase({ metadata: { 'person.name': 'lee' } })).data.eraseThreads.threads).toBe(1);
    expect(await statusOf(client.beta.threads.retrieve(thread))).toBe(404);
  });

  it('are found again by whoever asks twice, also where the first time broke off', async () => {
    await spoken('snowdrop', { person: 'max' });
    await app.logged();
    const collection = (name: string) => () => nativeDb(app.db).collection<never>(name);
    const breaking = createThreadErasure({
      db: () => nativeDb(app.db),
      threads: collection('threads') as never,
      runs: collection('runs') as never,
      items: collection('thread_items') as never,
      batches: collection('run_events') as never,
      logs: collection('logs') as never,
      erasedRuns: collection('erased_runs') as never,
      now: () => new Date(),
      files: { remove: async () => false },
      storeFiles: async () => 0,
      forgetOwnStore: async () => 0,
      // As far as a process comes that is killed when the runs have gone.
      async forgetThread(threadId) {
        await collection('runs')().deleteMany({ threadId } as never);
        throw new Error('killed');
      },
    });
    const { organisationId, workspaceId } = app;
    const choice = { organisationId, workspaceId, metadata: { person: 'max' }, before: null };
    await expect(breaking.erase(choice, { attached: true })).rejects.toThrow('killed');
    const input = { metadata: { person: 'max' }, attachedFiles: true };
    expect((await erase(input)).data.eraseThreads).toMatchObject({ threads: 1, messages: 2, files: 1 });
    expect(await holding('snowdrop')).toEqual([]);
    expect((await erase(input)).data.eraseThreads).toMatchObject({ threads: 0, messages: 0 });
  });
});

describe('erasing is refused', () => {
  it.each([
    ['that says nothing of which threads', {}, 'input.metadata'],
    ['with no pair', { metadata: {} }, 'input.metadata'],
    ['with metadata that no thread can have', { metadata: { person: 7 } }, 'input.metadata.person'],
    ['of the future', { before: new Date(Date.now() + 3_600_000).toISOString() }, 'input.before'],
  ])('%s', async (_name, input, param) => {
    expect(await refusal(input)).toEqual({ code: 'VALIDATION_FAILED', param });
  });

  it('to a key that may only call models, and to nobody', async () => {
    const { thread } = await spoken('crocus', { person: 'sam' });
    const input = { metadata: { person: 'sam' } };
    const made = await app.rest('POST', '/v1/api-keys/workspace/service', {
      key: app.adminKey,
      body: { name: 'calls', workspace_id: app.workspaceId, scopes: ['completions.write'] },
    });
    const { key } = made.body as { key: string };
    expect((await refusal(input, key)).code).toBe('FORBIDDEN');
    expect((await refusal(input, 'sl-nobody')).code).toBe('UNAUTHENTICATED');
    expect(await statusOf(client.beta.threads.retrieve(thread))).toBe(200);
  });

  it('and finds nothing at a neighbour, or in another workspace', async () => {
    const { thread } = await spoken('tulip', { person: 'pat' });
    const neighbour = await app.createTenant();
    const other = await app.rest('POST', '/v1/admin/workspaces', {
      key: app.adminKey,
      body: { name: 'Other' },
    });
    const made = await app.rest('POST', '/v1/api-keys/workspace/service', {
      key: app.adminKey,
      body: { name: 'other', workspace_id: (other.body as { id: string }).id, scopes: ['workspaces.update'] },
    });
    for (const key of [neighbour.adminKey, neighbour.workspaceKey, (made.body as { key: string }).key]) {
      const { data } = await erase({ metadata: { person: 'pat' } }, key);
      expect(data.eraseThreads.threads).toBe(0);
    }
    expect(await statusOf(client.beta.threads.retrieve(thread))).toBe(200);
  });
});

it('threads on which nothing was said for so many days are erased without being asked', async () => {
  const made = async (content: string) =>
    (await client.beta.threads.create({ messages: [{ role: 'user', content }] })).id;
  const [thread, other] = [await made('lavender'), await made('thyme')];
  const day = 86_400_000;
  const later = () => new Date(Date.now() + 31 * day);
  await app.db.db
    ?.collection<{ _id: string }>('thread_items')
    .updateMany({ threadId: other }, { $set: { createdAt: new Date(Date.now() + 5 * day) } });
  const keeper = await startApp(
    { ...env, MONGODB_URI: app.databaseUri, THREAD_RETENTION_DAYS: '30' },
    undefined,
    later,
  );
  try {
    await eventually(async () => expect(await statusOf(client.beta.threads.retrieve(thread))).toBe(404));
    await eventually(async () => expect(await holding('lavender')).toEqual([]));
    expect(await statusOf(client.beta.threads.retrieve(other))).toBe(200);
  } finally {
    await keeper.stop();
  }
});
