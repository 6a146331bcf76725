import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: OpenAI;
let storeId: string;
let heronsId: string;
const soon = { pollIntervalMs: 50 };
const text = (name: string, content: string) => toFile(Buffer.from(content), name);

beforeAll(async () => {
  app = await startApp();
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  storeId = (await client.vectorStores.create({})).id;
  const herons = await text('herons.txt', 'Herons nest high in old trees, in colonies.');
  heronsId = (await client.vectorStores.files.uploadAndPoll(storeId, herons, soon)).id;
  const bread = await text('bread.txt', 'Bread rises for twelve hours before it is baked.');
  await client.vectorStores.files.uploadAndPoll(storeId, bread, soon);
});
afterAll(() => app.stop());

const assistantWith = async (members: object = {}, tool: object = {}) =>
  (
    await client.beta.assistants.create({
      model: '@mock/mock-1',
      tools: [{ type: 'file_search', ...tool }],
      tool_resources: { file_search: { vector_store_ids: [storeId] } },
      ...members,
    })
  ).id;

const ask = async (assistant_id: string, content: string, members: object = {}) => {
  const thread = { messages: [{ role: 'user' as const, content }] };
  return client.beta.threads.createAndRunPoll({ assistant_id, thread, ...members }, soon);
};

const resultsOf = async (run: { id: string; thread_id: string }, include?: any[]) => {
  const { data } = await client.beta.threads.runs.steps.list(run.id, { thread_id: run.thread_id, include });
  const details: any = data.find(({ type }) => type === 'tool_calls')?.step_details;
  return details.tool_calls[0].file_search.results;
};

it('C26: a run cites what it found', async () => {
  const run = await ask(await assistantWith(), '/search herons nest 😀 trees');
  expect([run.status, run.last_error]).toEqual(['completed', null]);
  const [message] = (await client.beta.threads.messages.list(run.thread_id)).data;
  const part: any = message?.content[0];
  const [citation] = part.text.annotations;
  expect(citation).toMatchObject({ type: 'file_citation', file_citation: { file_id: heronsId } });
  expect([...part.text.value].slice(citation.start_index, citation.end_index).join('')).toBe(citation.text);
  expect((await client.files.retrieve(citation.file_citation.file_id)).filename).toBe('herons.txt');
});

it('C27: steps show scores and names, and texts where they are asked for', async () => {
  const run = await ask(await assistantWith(), '/search herons nest');
  const results = await resultsOf(run);
  expect(results[0]).toMatchObject({ file_id: heronsId, file_name: 'herons.txt', score: expect.any(Number) });
  expect(results[0].content).toBeUndefined();
  const shown = await resultsOf(run, ['step_details.tool_calls[*].file_search.results[*].content']);
  expect(shown[0].content).toEqual([{ type: 'text', text: 'Herons nest high in old trees, in colonies.' }]);
});

it('C28: the number of results and their least score are bounded, by the run before the assistant', async () => {
  const assistant = await assistantWith({}, { file_search: { max_num_results: 1 } });
  const question = '/search bread or herons';
  expect(await resultsOf(await ask(assistant, question))).toHaveLength(1);
  const more = { tools: [{ type: 'file_search', file_search: { max_num_results: 2 } }] };
  expect(await resultsOf(await ask(assistant, question, more))).toHaveLength(2);
  const best = { type: 'file_search', file_search: { ranking_options: { score_threshold: 1 } } };
  const results = await resultsOf(await ask(assistant, question, { tools: [best] }));
  expect(results.length).toBeLessThanOrEqual(1);
});

it('a vector store is made with an assistant or a thread', async () => {
  const made = { file_search: { vector_stores: [{ file_ids: [heronsId], metadata: { of: 'helper' } }] } };
  const assistant = await client.beta.assistants.create({ model: '@mock/mock-1', tool_resources: made });
  const [id = ''] = assistant.tool_resources?.file_search?.vector_store_ids ?? [];
  expect(await client.vectorStores.retrieve(id)).toMatchObject({
    metadata: { of: 'helper' },
    file_counts: { total: 1 },
  });
  const both = { file_search: { vector_store_ids: [id], vector_stores: [{}] } };
  await expect(client.beta.threads.create({ tool_resources: both })).rejects.toMatchObject({ status: 400 });
  const update = client.beta.assistants.update(assistant.id, { tool_resources: made as object });
  await expect(update).rejects.toMatchObject({ status: 400 });
});

it('files and stores of the neighbour are unknown', async () => {
  const neighbour = await app.createTenant();
  const stranger = new OpenAI({ apiKey: neighbour.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  for (const tool_resources of [
    { file_search: { vector_store_ids: [storeId] } },
    { file_search: { vector_stores: [{ file_ids: [heronsId] }] } },
    { code_interpreter: { file_ids: [heronsId] } },
  ]) {
    await expect(stranger.beta.threads.create({ tool_resources })).rejects.toMatchObject({ status: 404 });
    const assistant = stranger.beta.assistants.create({ model: '@mock/mock-1', tool_resources });
    await expect(assistant).rejects.toMatchObject({ status: 404 });
  }
  const attachments = [{ file_id: heronsId, tools: [{ type: 'file_search' as const }] }];
  const messages = [{ role: 'user' as const, content: 'Hello', attachments }];
  await expect(stranger.beta.threads.create({ messages })).rejects.toMatchObject({ status: 404 });
});

it('C30: attachments make one vector store for their thread, which expires', async () => {
  const tools = [{ type: 'file_search' as const }];
  const attached = async (name: string, content: string) => {
    const { id } = await client.files.create({ file: await text(name, content), purpose: 'assistants' });
    return [{ file_id: id, tools }];
  };
  const thread = await client.beta.threads.create();
  const first = await client.beta.threads.messages.create(thread.id, {
    role: 'user',
    content: 'Read this.',
    attachments: await attached('otters.txt', 'Otters hold hands while they sleep.'),
  });
  expect(first.attachments).toEqual([{ file_id: expect.stringMatching(/^file-/), tools }]);
  const own = async () =>
    (await client.beta.threads.retrieve(thread.id)).tool_resources?.file_search?.vector_store_ids ?? [];
  const [id = ''] = await own();
  expect((await client.vectorStores.retrieve(id)).expires_after).toEqual({
    anchor: 'last_active_at',
    days: 7,
  });
  await client.beta.threads.messages.create(thread.id, {
    role: 'user',
    content: '/search otters sleep',
    attachments: await attached('badgers.txt', 'Badgers dig setts.'),
  });
  expect(await own()).toEqual([id]);
  const assistant_id = await assistantWith({ tool_resources: {} });
  const run = await client.beta.threads.runs.createAndPoll(thread.id, { assistant_id }, soon);
  expect([run.status, run.last_error]).toEqual(['completed', null]);
  const results = await resultsOf(run);
  expect(results.map((result: any) => result.file_name)).toContain('otters.txt');
  expect((await client.vectorStores.retrieve(id)).file_counts).toMatchObject({ completed: 2, total: 2 });
});

it('a run on a store that is gone fails, and says so', async () => {
  const { id } = await client.vectorStores.create({});
  const assistant = await assistantWith({ tool_resources: { file_search: { vector_store_ids: [id] } } });
  await client.vectorStores.delete(id);
  const run = await ask(assistant, '/search anything');
  expect(run).toMatchObject({
    status: 'failed',
    last_error: { code: 'server_error', message: expect.stringContaining(id) },
  });
});
