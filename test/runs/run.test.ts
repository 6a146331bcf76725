import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';

let app: CountedApp;
let client: OpenAI;
beforeAll(async () => {
  app = await startCountedApp();
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(() => app.stop());

const assistant = (members: object = {}) =>
  client.beta.assistants.create({ model: '@mock/mock-1', ...members });
const thread = (content = 'Hello there') =>
  client.beta.threads.create({ messages: [{ role: 'user', content }] });

it('C1: a thread is answered, and the answer is its newest message', async () => {
  const [{ id }, { id: threadId }] = [await assistant({ instructions: 'Echo.' }), await thread()];
  const run = await client.beta.threads.runs.createAndPoll(threadId, { assistant_id: id });
  expect(run.last_error).toBeNull();
  expect(run.status).toBe('completed');
  const { data } = await client.beta.threads.messages.list(threadId);
  expect(data[0]).toMatchObject({
    role: 'assistant',
    run_id: run.id,
    status: 'completed',
    content: [{ type: 'text', text: { value: 'Hello there', annotations: [] } }],
  });
});

it('C3, C4: a stream has the events in their order, and its text is the message', async () => {
  const [{ id }, { id: threadId }] = [await assistant(), await thread('One two three')];
  const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
  const names: string[] = [];
  let text = '';
  for await (const event of stream) {
    names.push(event.event);
    if (event.event === 'thread.message.delta')
      text += event.data.delta.content?.map((part: any) => part.text.value).join('') ?? '';
  }
  const run = await stream.finalRun();
  expect(run.status).toBe('completed');
  expect(text).toBe('One two three');
  expect(names).toEqual([
    'thread.run.created',
    'thread.run.queued',
    'thread.run.in_progress',
    'thread.run.step.created',
    'thread.run.step.in_progress',
    'thread.message.created',
    'thread.message.in_progress',
    ...Array(3).fill('thread.message.delta'),
    'thread.message.completed',
    'thread.run.step.completed',
    'thread.run.completed',
  ]);
});

it.each([
  ['a message', 'Hello there', 'completed'],
  ['a call of a function', '/tool look', 'requires_action'],
])('what a run ends with is written with its end: %s', async (_what, content, status) => {
  const tools = [{ type: 'function', function: { name: 'look' } }];
  const { id } = await assistant(status === 'completed' ? {} : { tools });
  const messages = [{ role: 'user' as const, content }];
  const { answer, commands } = await app.commandsOf(() =>
    client.beta.threads.createAndRunPoll({ assistant_id: id, thread: { messages } }),
  );
  expect(answer.status).toBe(status);
  const { maxWireVersion } = await app.db.getClient().db().admin().command({ hello: 1 });
  const writes = commands.filter((command) =>
    /bulkWrite|^(update|findAndModify|insert) (runs|thread)/.test(command),
  );
  expect(writes).toHaveLength(maxWireVersion >= 25 ? 2 : 6);
});

it('what a response says is written with its end', async () => {
  const { answer, commands } = await app.commandsOf(() =>
    client.responses.create({ model: '@mock/mock-1', input: 'Hello there', store: true }),
  );
  expect(answer).toMatchObject({ status: 'completed', output_text: 'Hello there' });
  const { maxWireVersion } = await app.db.getClient().db().admin().command({ hello: 1 });
  const writes = commands.filter((command) =>
    /bulkWrite|^(update|findAndModify|insert) (runs|thread_items)/.test(command),
  );
  expect(writes).toEqual([
    'insert runs',
    'update thread_items',
    ...(maxWireVersion >= 25 ? ['bulkWrite 1'] : ['update thread_items', 'update runs']),
  ]);
});

it('a run whose metadata are changed while it speaks ends with them', async () => {
  const { id } = await assistant({ model: '@mock/mock-slow-50' });
  const { id: threadId } = await thread('one two three four five six');
  const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
  const first = await stream[Symbol.asyncIterator]().next();
  const runId = first.value.data.id as string;
  await client.beta.threads.runs.update(runId, { thread_id: threadId, metadata: { asked: 'since' } });
  const run = await stream.finalRun();
  expect(run).toMatchObject({ status: 'completed', metadata: { asked: 'since' } });
  expect(await client.beta.threads.runs.retrieve(runId, { thread_id: threadId })).toMatchObject({
    status: 'completed',
    metadata: { asked: 'since' },
  });
});
