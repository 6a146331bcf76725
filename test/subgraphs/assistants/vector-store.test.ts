import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';

let app: TestApp;
let client: OpenAI;
let neighbour: Tenant;
let stranger: OpenAI;
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });

beforeAll(async () => {
  app = await startApp();
  client = clientOf(app.workspaceKey);
  neighbour = await app.createTenant();
  stranger = clientOf(neighbour.workspaceKey);
});
afterAll(() => app.stop());

const text = (name: string, content: string) => toFile(Buffer.from(content), name);
const upload = async (name: string, content: string, of = client) =>
  (await of.files.create({ file: await text(name, content), purpose: 'assistants' })).id;
const soon = { pollIntervalMs: 50 };
const refused = async (work: () => PromiseLike<unknown>) => {
  const error = (await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as InstanceType<typeof OpenAI.APIError> | undefined;
  return { status: error?.status, param: error?.param, code: error?.code, message: error?.message };
};

const herons = 'Herons nest high in old trees. They fish in shallow water at dawn.';
const bread = 'Sourdough bread rises for twelve hours before it is baked in a hot oven.';

describe('a vector store', () => {
  it('gives up a file with which one process after another has died', async () => {
    const store = await client.vectorStores.create({ name: 'Deadly' });
    const deadly = await upload('deadly.md', herons);
    await client.vectorStores.files.createAndPoll(store.id, { file_id: deadly }, soon);
    const claimed = { status: 'in_progress', owner: 'dead', attempt: 10, leaseUntil: new Date(0) };
    await app.db.collection('vector_store_files').updateOne({ fileId: deadly }, { $set: claimed });
    const other = await upload('other.md', bread);
    const beside = await client.vectorStores.files.createAndPoll(store.id, { file_id: other }, soon);
    expect(beside.status).toBe('completed');
    const ended = await client.vectorStores.files.poll(store.id, deadly, soon);
    expect(ended).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
  });

  it('has the members of the reference, and is found, changed and deleted', async () => {
    const made = await client.vectorStores.create({
      name: 'Birds',
      metadata: { team: 'nature' },
      expires_after: { anchor: 'last_active_at', days: 7 },
    });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^vs_/),
      object: 'vector_store',
      name: 'Birds',
      usage_bytes: 0,
      file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
      status: 'completed',
      expires_after: { anchor: 'last_active_at', days: 7 },
      metadata: { team: 'nature' },
    });
    expect((made.expires_at ?? 0) - (made.last_active_at ?? 0)).toBe(7 * 86_400);
    const changed = await client.vectorStores.update(made.id, { name: null, expires_after: null });
    expect(changed).toMatchObject({
      name: '',
      expires_after: null,
      expires_at: null,
      metadata: { team: 'nature' },
    });
    expect(await client.vectorStores.retrieve(made.id)).toEqual(changed);
    expect(await client.vectorStores.delete(made.id)).toEqual({
      id: made.id,
      object: 'vector_store.deleted',
      deleted: true,
    });
    expect((await refused(() => client.vectorStores.retrieve(made.id))).status).toBe(404);
  });

  it('is listed, by a pager that deletes as it walks', async () => {
    for (let at = 0; at < 5; at++) await client.vectorStores.create({ name: `Listed ${at}` });
    const names: string[] = [];
    for await (const { id, name } of client.vectorStores.list({ limit: 2, order: 'asc' })) {
      if (!name.startsWith('Listed')) continue;
      names.push(name);
      await client.vectorStores.delete(id);
    }
    expect(names).toEqual([0, 1, 2, 3, 4].map((at) => `Listed ${at}`));
  });

  it('refuses what does not fit, naming it', async () => {
    const made = await client.vectorStores.create({});
    const cases: [() => PromiseLike<unknown>, string][] = [
      [
        () =>
          client.vectorStores.create({
            metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])),
          }),
        'metadata',
      ],
      [
        () => client.vectorStores.create({ expires_after: { anchor: 'last_active_at', days: 366 } }),
        'expires_after.days',
      ],
      [() => client.vectorStores.list({ limit: 101 }), 'limit'],
      [() => client.vectorStores.search(made.id, { query: '' }), 'query'],
      [() => client.vectorStores.search(made.id, { query: 'a', max_num_results: 51 }), 'max_num_results'],
      [
        () =>
          client.vectorStores.search(made.id, { query: 'a', filters: { type: 'gt', key: 'a', value: true } }),
        'filters.value',
      ],
      [
        () => client.vectorStores.search(made.id, { query: 'a', ranking_options: { score_threshold: 2 } }),
        'ranking_options.score_threshold',
      ],
    ];
    for (const [work, param] of cases) expect(await refused(work)).toMatchObject({ status: 400, param });
    expect(await refused(() => client.vectorStores.retrieve('undefined'))).toMatchObject({
      status: 400,
      message: expect.stringContaining("Invalid 'vector_store_id': 'undefined'"),
    });
    expect((await refused(() => client.vectorStores.create({ file_ids: ['file-none'] }))).status).toBe(404);
  });
});

describe('files of a vector store', () => {
  it('are uploaded, indexed, found, read and taken out', async () => {
    const { id } = await client.vectorStores.create({});
    const birds = await client.vectorStores.files.uploadAndPoll(id, await text('herons.md', herons), soon);
    expect(birds).toMatchObject({
      object: 'vector_store.file',
      vector_store_id: id,
      status: 'completed',
      last_error: null,
      attributes: {},
      chunking_strategy: {
        type: 'static',
        static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 },
      },
    });
    const file_id = await upload('bread.txt', bread);
    await client.vectorStores.files.createAndPoll(
      id,
      { file_id, attributes: { kind: 'food', year: 2024 } },
      soon,
    );
    const found = await client.vectorStores.search(id, { query: 'where do herons build nests?' });
    expect(found.data[0]).toMatchObject({
      file_id: birds.id,
      filename: 'herons.md',
      content: [{ type: 'text', text: herons }],
    });
    expect(found.data[0]?.score).toBeGreaterThan(found.data[1]?.score ?? 0);
    const page = await app.rest('POST', `/v1/vector_stores/${id}/search`, {
      body: { query: ['herons', 'nests'] },
    });
    expect(page.body).toMatchObject({
      object: 'vector_store.search_results.page',
      search_query: ['herons', 'nests'],
      has_more: false,
      next_page: null,
    });
    const content = await client.vectorStores.files.content(birds.id, { vector_store_id: id });
    expect(content.data).toEqual([{ type: 'text', text: herons }]);
    const store = await client.vectorStores.retrieve(id);
    expect(store).toMatchObject({ status: 'completed', file_counts: { completed: 2, total: 2 } });
    expect(store.usage_bytes).toBeGreaterThan(herons.length + bread.length);

    expect(await client.vectorStores.files.delete(birds.id, { vector_store_id: id })).toEqual({
      id: birds.id,
      object: 'vector_store.file.deleted',
      deleted: true,
    });
    const left = await client.vectorStores.search(id, { query: 'where do herons build nests?' });
    expect(left.data.map(({ filename }) => filename)).not.toContain('herons.md');
    expect((await client.files.retrieve(birds.id)).filename).toBe('herons.md');
    await client.files.delete(file_id);
    expect((await client.vectorStores.retrieve(id)).file_counts.total).toBe(0);
    expect((await client.vectorStores.search(id, { query: 'bread' })).data).toEqual([]);
  });

  it('are found as they were while they are indexed anew, and not any more where that fails', async () => {
    const store = await client.vectorStores.create({ name: 'Anew' });
    const [file, other] = [await upload('anew.md', herons), await upload('beside.md', bread)];
    await client.vectorStores.files.createAndPoll(store.id, { file_id: file }, soon);
    const found = async () =>
      (await client.vectorStores.search(store.id, { query: 'herons' })).data.map((hit) => hit.file_id);
    /** What another process has claimed that died, and whose claim ends at a time. */
    const claimedUntil = async (leaseUntil: Date) => {
      const claimed = { $set: { status: 'in_progress', owner: 'elsewhere', leaseUntil }, $inc: { fence: 1 } };
      await app.db.collection('vector_store_files').updateOne({ fileId: file }, claimed);
      await client.vectorStores.files.createAndPoll(store.id, { file_id: other }, soon);
    };
    const generations = () => app.db.collection('vector_segments').distinct('generation', { fileId: file });
    const [first] = await generations();
    await claimedUntil(new Date(Date.now() + 3_600_000));
    expect((await client.vectorStores.files.retrieve(file, { vector_store_id: store.id })).status).toBe(
      'in_progress',
    );
    expect(await found()).toContain(file);
    await claimedUntil(new Date(0));
    expect((await client.vectorStores.files.poll(store.id, file, soon)).status).toBe('completed');
    expect(await found()).toContain(file);
    await eventually(async () => expect(await generations()).toEqual([Number(first) + 3]));
    await app.db.collection<{ _id: string }>('files').deleteOne({ _id: file });
    await claimedUntil(new Date(0));
    expect((await client.vectorStores.files.poll(store.id, file, soon)).status).toBe('failed');
    await eventually(async () => expect(await generations()).toEqual([]));
    expect(await found()).not.toContain(file);
  });

  it('are narrowed by attributes, which can be changed', async () => {
    const { id } = await client.vectorStores.create({});
    const years = [2019, 2021, 2024];
    const ids: string[] = [];
    for (const year of years)
      ids.push(await upload(`report-${year}.txt`, `The report of ${year} on rivers.`));
    await client.vectorStores.fileBatches.createAndPoll(
      id,
      {
        files: ids.map((file_id, at) => ({
          file_id,
          attributes: { year: years[at] ?? 0, is_final: at > 0 },
        })),
      },
      soon,
    );
    const found = async (filters: OpenAI.VectorStoreSearchParams['filters']) =>
      (await client.vectorStores.search(id, { query: 'report on rivers', filters })).data
        .map(({ attributes }) => attributes?.year)
        .sort();
    expect(await found({ type: 'gte', key: 'year', value: 2021 })).toEqual([2021, 2024]);
    expect(await found({ type: 'eq', key: 'year', value: '2021' })).toEqual([]);
    expect(
      await found({
        type: 'and',
        filters: [
          { type: 'ne', key: 'year', value: 2024 },
          { type: 'eq', key: 'is_final', value: true },
        ],
      }),
    ).toEqual([2021]);
    const [first = ''] = ids;
    await client.vectorStores.files.update(first, { vector_store_id: id, attributes: { year: 2030 } });
    expect(await found({ type: 'gt', key: 'year', value: 2024 })).toEqual([2030]);
  });

  it('C23: many are uploaded and indexed together', async () => {
    const { id } = await client.vectorStores.create({});
    const files = await Promise.all([0, 1, 2].map((at) => text(`part-${at}.txt`, `Part ${at}: ${bread}`)));
    const batch = await client.vectorStores.fileBatches.uploadAndPoll(id, { files }, soon);
    expect(batch).toMatchObject({
      object: 'vector_store.files_batch',
      status: 'completed',
      file_counts: { in_progress: 0, completed: 3, failed: 0, cancelled: 0, total: 3 },
    });
    const listed: string[] = [];
    for await (const file of client.vectorStores.fileBatches.listFiles(batch.id, {
      vector_store_id: id,
      limit: 2,
    }))
      listed.push(file.id);
    expect(new Set(listed).size).toBe(3);
    const { data } = await client.vectorStores.files.list(id, { filter: 'failed' });
    expect(data).toEqual([]);
    expect((await client.vectorStores.files.list(id, { filter: 'completed' })).data).toHaveLength(3);
    const again = await client.vectorStores.fileBatches.cancel(batch.id, { vector_store_id: id });
    expect(again.status).toBe('completed');
  });

  it('C24: one that has no text fails, and says why', async () => {
    const { id } = await client.vectorStores.create({});
    const file_id = await upload('picture.png', 'no picture');
    const file = await client.vectorStores.files.createAndPoll(id, { file_id }, soon);
    expect(file).toMatchObject({
      status: 'failed',
      last_error: { code: 'unsupported_file' },
      usage_bytes: 0,
    });
    const store = await client.vectorStores.retrieve(id);
    expect(store).toMatchObject({ status: 'completed', file_counts: { failed: 1, total: 1 } });
  });

  it('C25: answers say when to come again', async () => {
    const { id } = await client.vectorStores.create({});
    const { response } = await client.vectorStores.retrieve(id).withResponse();
    expect(Number(response.headers.get('openai-poll-after-ms'))).toBeGreaterThan(0);
  });

  it('C29: chunks have bounds', async () => {
    const { id } = await client.vectorStores.create({});
    const file_id = await upload('cut.txt', bread);
    const cut = (max_chunk_size_tokens: number, chunk_overlap_tokens: number) =>
      client.vectorStores.files.create(id, {
        file_id,
        chunking_strategy: { type: 'static', static: { max_chunk_size_tokens, chunk_overlap_tokens } },
      });
    for (const [size, overlap] of [
      [4097, 0],
      [99, 0],
      [100, 51],
    ] as const)
      expect((await refused(() => cut(size, overlap))).status).toBe(400);
    expect((await cut(4096, 2048)).chunking_strategy).toEqual({
      type: 'static',
      static: { max_chunk_size_tokens: 4096, chunk_overlap_tokens: 2048 },
    });
  });
});

describe('where a file is', () => {
  const query =
    '{ files(limit: 100) { data { id vectorStoreFiles(limit: 9) { vectorStoreId status lastError { code } } } } }';
  const placesOf = async (id: string, key: string) => {
    const { data } = await app.graphql(query, {}, key);
    const files: { id: string; vectorStoreFiles: object[] }[] = data.files.data;
    return files.find((file) => file.id === id)?.vectorStoreFiles;
  };

  it('says of each file in which stores it is, the newest first, and what became of it there', async () => {
    const file_id = await upload('broken.pdf', 'no document');
    expect(await placesOf(file_id, app.workspaceKey)).toEqual([]);
    const first = await client.vectorStores.create({});
    await client.vectorStores.files.createAndPoll(first.id, { file_id }, soon);
    const second = await client.vectorStores.create({});
    await client.vectorStores.files.createAndPoll(second.id, { file_id }, soon);
    const failed = { status: 'failed', lastError: { code: expect.stringMatching(/_file$/) } };
    expect(await placesOf(file_id, app.workspaceKey)).toEqual([
      { vectorStoreId: second.id, ...failed },
      { vectorStoreId: first.id, ...failed },
    ]);
    const one = await app.graphql(query.replace('limit: 9', 'limit: 1'), {}, app.workspaceKey);
    expect(one.data.files.data.find(({ id }: any) => id === file_id).vectorStoreFiles).toHaveLength(1);
    await client.vectorStores.files.delete(file_id, { vector_store_id: second.id });
    expect(await placesOf(file_id, app.workspaceKey)).toEqual([{ vectorStoreId: first.id, ...failed }]);
    expect(await placesOf(file_id, neighbour.workspaceKey)).toBeUndefined();
  });

  it('is told to nobody without a permission', async () => {
    const { errors } = await app.graphql(query, {}, app.adminKey.replace(/.$/, '_'));
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('the neighbour', () => {
  it('sees and changes nothing, whatever ids it guesses', async () => {
    const { id } = await client.vectorStores.create({});
    const file = await client.vectorStores.files.uploadAndPoll(id, await text('secret.txt', herons), soon);
    const batch = await client.vectorStores.fileBatches.create(id, { file_ids: [file.id] });
    await client.vectorStores.fileBatches.poll(id, batch.id, soon);
    const own = await stranger.vectorStores.create({});
    const at = { vector_store_id: id };
    const { vectorStores } = stranger;
    const attempts: (() => PromiseLike<unknown>)[] = [
      () => vectorStores.retrieve(id),
      () => vectorStores.update(id, { name: 'Mine' }),
      () => vectorStores.delete(id),
      () => vectorStores.search(id, { query: 'herons' }),
      () => vectorStores.files.list(id),
      () => vectorStores.files.create(id, { file_id: file.id }),
      () => vectorStores.files.create(own.id, { file_id: file.id }),
      () => vectorStores.files.retrieve(file.id, at),
      () => vectorStores.files.update(file.id, { ...at, attributes: { mine: true } }),
      () => vectorStores.files.content(file.id, at),
      () => vectorStores.files.delete(file.id, at),
      () => vectorStores.files.retrieve(file.id, { vector_store_id: own.id }),
      () => vectorStores.fileBatches.create(own.id, { file_ids: [file.id] }),
      () => vectorStores.fileBatches.retrieve(batch.id, at),
      () => vectorStores.fileBatches.retrieve(batch.id, { vector_store_id: own.id }),
      () => vectorStores.fileBatches.cancel(batch.id, at),
      () => vectorStores.fileBatches.listFiles(batch.id, at),
    ];
    for (const attempt of attempts) expect((await refused(attempt)).status).toBe(404);
    expect((await stranger.vectorStores.list()).data.map((store) => store.id)).toEqual([own.id]);
    const [found] = (await client.vectorStores.search(id, { query: 'herons' })).data;
    expect(found).toMatchObject({ file_id: file.id, attributes: {} });
    expect((await client.vectorStores.retrieve(id)).name).toBe('');
  });
});

it('a request that names a provider goes on to it', async () => {
  const { status, body } = await app.rest('GET', '/v1/vector_stores', {
    headers: { 'x-gateway-provider': 'mock' },
  });
  expect(JSON.stringify(body)).not.toContain('"object":"list"');
  expect(status).toBeGreaterThanOrEqual(400);
});
