import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: OpenAI;
beforeAll(async () => {
  app = await startApp();
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
