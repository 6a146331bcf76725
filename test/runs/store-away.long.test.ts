import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

let app: TestApp;
let client: OpenAI;
let database: ChildProcess;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-store-away-'));
  const program = join(import.meta.dirname, '../support/database-process.ts');
  database = fork(program, [join(directory, 'db')], { execArgv: [] });
  const [uri] = await once(database, 'message');
  app = await startApp({ MONGODB_URI: String(uri), DATA_DIR: join(directory, 'data') });
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterEach(() => void database.kill('SIGCONT'));
afterAll(async () => {
  database.kill('SIGCONT');
  await app.stop();
  database.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** Said so slowly that a store can be away meanwhile. */
const words = Array.from({ length: 40 }, (_none, at) => `word${at}`).join(' ');
const assistant = async (model: string, tools: object[] = []) =>
  (await client.beta.assistants.create({ model, tools: tools as never })).id;
const thread = async (content: string) =>
  (await client.beta.threads.create({ messages: [{ role: 'user', content }] })).id;
const ended = (threadId: string, runId: string) =>
  eventually(async () => {
    const run = await client.beta.threads.runs.retrieve(runId, { thread_id: threadId });
    expect(['queued', 'in_progress', 'cancelling']).not.toContain(run.status);
    return run;
  }, 60_000);
const said = async (threadId: string, runId: string) =>
  (await client.beta.threads.messages.list(threadId, { run_id: runId })).data.map(
    ({ content: [part] }) => part?.type === 'text' && part.text.value,
  );
const unavailable = {
  status: 503,
  error: { message: expect.any(String), type: 'server_error', param: null, code: 'store_unavailable' },
};

test('a run goes on when its store is back, and says everything once', async () => {
  const [assistant_id, threadId] = [await assistant('@mock/mock-slow-100'), await thread(words)];
  const stream = await client.beta.threads.runs.create(threadId, { assistant_id, stream: true });
  let runId = '';
  let text = '';
  const reading = (async () => {
    for await (const { event, data } of stream) {
      if (event === 'thread.run.created') runId = data.id;
      if (event === 'thread.message.delta') {
        const [part] = data.delta.content ?? [];
        if (part?.type === 'text') text += part.text?.value ?? '';
        database.kill('SIGSTOP');
      }
    }
  })();
  // The model goes on speaking to whoever reads, whatever the store does.
  await eventually(async () => expect(text).toBe(words));
  database.kill('SIGCONT');
  await reading;
  expect((await ended(threadId, runId)).status).toBe('completed');
  expect(await said(threadId, runId)).toEqual([words]);
}, 120_000);

test('a request for a run is refused while the store is away, and leaves no run that holds its thread', async () => {
  const [assistant_id, threadId] = [await assistant('@mock/mock-1'), await thread('Hi')];
  database.kill('SIGSTOP');
  await expect(client.beta.threads.runs.create(threadId, { assistant_id })).rejects.toMatchObject(
    unavailable,
  );
  await expect(client.beta.threads.runs.list(threadId)).rejects.toMatchObject(unavailable);
  database.kill('SIGCONT');
  // The store may have done what it did not answer: such a run comes to its end by itself.
  await eventually(async () => {
    const { id } = await client.beta.threads.runs.create(threadId, { assistant_id });
    expect((await ended(threadId, id)).status).toBe('completed');
  }, 30_000);
}, 120_000);

test('outputs that come while the store is away are refused, and taken once it is back', async () => {
  const look = { type: 'function', function: { name: 'look' } };
  const [assistant_id, thread_id] = [await assistant('@mock/mock-1', [look]), await thread('/tool')];
  const run = await client.beta.threads.runs.createAndPoll(thread_id, { assistant_id });
  const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
  const tool_outputs = [{ tool_call_id: call?.id, output: 'Seen' }];
  const submit = () => client.beta.threads.runs.submitToolOutputs(run.id, { thread_id, tool_outputs });
  database.kill('SIGSTOP');
  await expect(submit()).rejects.toMatchObject(unavailable);
  database.kill('SIGCONT');
  await eventually(async () => {
    // What was not answered may have had its effect.
    await submit().catch((error: unknown) => expect(String(error)).toContain('do not accept tool outputs'));
  }, 30_000);
  expect((await ended(thread_id, run.id)).status).toBe('completed');
  expect(await said(thread_id, run.id)).toEqual(['/tool']);
}, 120_000);
