import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';

const env = { ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };
let app: TestApp;
let other: TestApp;
const at = ({ url }: TestApp) =>
  new OpenAI({ apiKey: app.workspaceKey, baseURL: `${url}/v1`, maxRetries: 0 });
beforeAll(async () => {
  app = await startApp(env);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const words = 'a b c d e f g h i j '.repeat(10).trim();

it('a response is read, followed and cancelled at another process', async () => {
  const stream = await at(app).responses.create({
    model: '@mock/mock-slow-20',
    input: words,
    background: true,
    stream: true,
  });
  const first = await stream[Symbol.asyncIterator]().next();
  const { id } = first.value.response;
  expect((await at(other).responses.retrieve(id)).status).toBe('in_progress');
  const followed = await at(other).responses.retrieve(id, { stream: true });
  let text = '';
  for await (const event of followed) {
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.completed') expect(event.response.output_text ?? text).toContain(words);
  }
  expect(text).toContain(words);
  const slow = { model: '@mock/mock-delay-20000', input: 'x', background: true };
  const never = await at(app).responses.create(slow);
  expect((await at(other).responses.cancel(never.id)).status).toBe('cancelled');
  await eventually(async () => expect((await at(app).responses.retrieve(never.id)).status).toBe('cancelled'));
});

it('a response whose process stops is made by another one, once', async () => {
  const third = await startApp({ ...env, MONGODB_URI: app.databaseUri });
  const conversation = await at(app).conversations.create({});
  const { id } = await at(third).responses.create({
    model: '@mock/mock-slow-20',
    input: words,
    conversation: conversation.id,
    background: true,
  });
  await third.stop();
  await eventually(async () => expect((await at(app).responses.retrieve(id)).status).toBe('completed'));
  const { output, output_text: text } = await at(app).responses.retrieve(id);
  expect(output).toHaveLength(1);
  expect(text).toContain(words);
  const items = await at(app).conversations.items.list(conversation.id, { order: 'asc' });
  expect(items.data.map((item) => 'role' in item && item.role)).toEqual(['user', 'assistant']);
  expect(items.data[1]?.id).toBe(output[0]?.id);
});

it('a caller who leaves ends a response that nobody else waits for', async () => {
  const leaving = new AbortController();
  const asked = at(app).responses.create(
    { model: '@mock/mock-delay-20000', input: 'x', store: true },
    { signal: leaving.signal },
  );
  const runs = app.db.collection('runs');
  const own = { model: '@mock/mock-delay-20000', 'response.isBackground': false };
  await eventually(async () => expect(await runs.findOne(own)).toMatchObject({ status: 'in_progress' }));
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await eventually(async () => expect(await runs.findOne(own)).toMatchObject({ status: 'cancelled' }));
});

it('a rate of requests counts a response once', async () => {
  const made = await app.rest('POST', '/v1/policies/rate-limits', {
    key: app.adminKey,
    body: {
      workspace_id: app.workspaceId,
      conditions: [{ key: 'workspace_id', value: app.workspaceId }],
      group_by: [{ key: 'api_key' }],
      type: 'requests',
      unit: 'rpm',
      value: 3,
    },
  });
  expect(made.status).toBe(200);
  const ask = () => at(app).responses.create({ model: '@mock/mock-1', input: 'x', store: true });
  for (let calls = 0; calls < 3; calls++) expect((await ask()).status).toBe('completed');
  await expect(ask()).rejects.toMatchObject({ status: 429 });
});
