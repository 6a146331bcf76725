import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { createEventReader, type ServerSentEvent } from '../../src/lib/event-stream/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { type SubscriptionClient, socketClient } from '../support/subscriptions.ts';

const env = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
let clock = 0;
let app: TestApp;
let other: TestApp;
let client: OpenAI;
let elsewhere: OpenAI;
let graph: SubscriptionClient;
beforeAll(async () => {
  const now = () => new Date(Date.now() + clock);
  app = await startApp(env, undefined, now);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri }, undefined, now);
  const at = ({ url }: TestApp) =>
    new OpenAI({ apiKey: app.workspaceKey, baseURL: `${url}/v1`, maxRetries: 0 });
  client = at(app);
  elsewhere = at(other);
  graph = socketClient(other.url, app.workspaceKey);
});
afterAll(async () => {
  graph.close();
  await other.stop();
  await app.stop();
});

const words = 'a b c d e f g h i j';
/** Said so slowly that nobody waits for its end. */
const longWords = words.repeat(10);
const assistant = async (model: string, tools: object[] = []) =>
  (await client.beta.assistants.create({ model, tools: tools as never })).id;
const thread = async (content: string) =>
  (await client.beta.threads.create({ messages: [{ role: 'user', content }] })).id;
const weather = { type: 'function', function: { name: 'weather' } };

type Place = { threadId: string; runId: string };
const pathOf = ({ threadId, runId }: Place) => `/v1/threads/${threadId}/runs/${runId}/events`;

/** Begins to follow a run from the other process. */
async function open(place: Place, headers: Record<string, string> = {}, query = ''): Promise<Response> {
  const answer = await fetch(`${other.url}${pathOf(place)}${query}`, {
    headers: { 'x-gateway-api-key': app.workspaceKey, ...headers },
  });
  expect(answer.status).toBe(200);
  return answer;
}

/** All that comes until there is no more. */
async function read({ body }: Response): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const reader = createEventReader((event) => void events.push(event));
  for await (const bytes of body ?? []) reader.feed(bytes);
  return events;
}

const follow = async (...where: Parameters<typeof open>) => read(await open(...where));

/** Begins a streamed run; resolves at its first word. `told`: all that its stream has. */
async function stream(content: string, model: string, tools: object[] = []) {
  const threadId = await thread(content);
  const events = await client.beta.threads.runs.create(threadId, {
    assistant_id: await assistant(model, tools),
    stream: true,
  });
  const told: { event: string; data: unknown }[] = [];
  let begin: (runId: string) => void = () => undefined;
  const begun = new Promise<string>((resolve) => {
    begin = resolve;
  });
  const done = (async () => {
    for await (const event of events) {
      told.push(event);
      if (event.event === 'thread.run.created') begin(event.data.id);
    }
  })();
  return { place: { threadId, runId: await begun }, told, done };
}

const parsed = (events: readonly ServerSentEvent[]) =>
  events
    .filter(({ name }) => name !== 'done')
    .map(({ name, data }) => ({ event: name, data: JSON.parse(data) as unknown }));

describe('two processes', () => {
  it('C40: make one of a hundred runs of a thread', async () => {
    const [id, threadId] = [await assistant('@mock/mock-1', [weather]), await thread('/tool')];
    const made = await Promise.allSettled(
      Array.from({ length: 100 }, (_none, at) =>
        (at % 2 === 0 ? client : elsewhere).beta.threads.runs.create(threadId, { assistant_id: id }),
      ),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of made)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({
          status: 400,
          message: expect.stringContaining('already has an active run'),
        });
  });

  it('know of one run that was begun in the other, and cancel it', async () => {
    const { place, told, done } = await stream(longWords, '@mock/mock-slow-500');
    await eventually(async () => expect(await app.db.collection('run_instances').countDocuments()).toBe(2));
    const asked = await elsewhere.beta.threads.runs.cancel(place.runId, { thread_id: place.threadId });
    expect(asked.status).toBe('cancelling');
    await done;
    expect(told.at(-1)?.event).toBe('thread.run.cancelled');
  });

  it('end a run that the other found to be late', async () => {
    const { place, told, done } = await stream(longWords.repeat(10), '@mock/mock-slow-500');
    clock = 600_001;
    const late = await elsewhere.beta.threads.runs.retrieve(place.runId, { thread_id: place.threadId });
    expect(late.status).toBe('expired');
    await done;
    expect(told.at(-1)?.event).toBe('thread.run.expired');
    clock = 0;
  });

  it('take outputs for each other', async () => {
    const [id, threadId] = [await assistant('@mock/mock-1', [weather]), await thread('/tool')];
    const run = await client.beta.threads.runs.createAndPoll(threadId, { assistant_id: id });
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const done = await elsewhere.beta.threads.runs.submitToolOutputsAndPoll(run.id, {
      thread_id: threadId,
      tool_outputs: [{ tool_call_id: call?.id, output: 'Rain' }],
    });
    expect(done.status).toBe('completed');
  });
});

describe('a run', () => {
  it('is followed from another process, from its beginning to its end', async () => {
    const { place, told, done } = await stream(words, '@mock/mock-slow-50');
    const followed = await follow(place);
    await done;
    expect(parsed(followed)).toEqual(told);
    expect(followed.at(-1)).toMatchObject({ name: 'done', data: '[DONE]' });
    expect(followed.map(({ id }) => id)).toEqual(followed.map((_event, at) => `1.${at + 1}`));
    // Once more, and from the middle.
    expect(await follow(place)).toEqual(followed);
    expect(await follow(place, { 'last-event-id': '1.5' })).toEqual(followed.slice(5));
    expect(await follow(place, {}, '?starting_after=1.9')).toEqual(followed.slice(9));
  });

  it('is followed over GraphQL', async () => {
    const { place, told, done } = await stream(words, '@mock/mock-slow-50');
    const results = graph.subscribe(
      'subscription ($threadId: ID!, $runId: ID!) { runEvents(threadId: $threadId, runId: $runId) { id event data } }',
      place,
    );
    const names: string[] = [];
    for (let result = await results.next(); result; result = await results.next())
      names.push(result.data?.runEvents.event);
    await done;
    expect(names).toEqual([...told.map(({ event }) => event), 'done']);
  });

  it('that waits for outputs ends its events, and goes on with others', async () => {
    const { place, told, done } = await stream('/tool', '@mock/mock-1', [weather]);
    await done;
    const first = await follow(place);
    expect(parsed(first)).toEqual(told);
    const run: any = told.at(-1)?.data;
    const [call] = run.required_action.submit_tool_outputs.tool_calls;
    await client.beta.threads.runs.submitToolOutputsAndPoll(place.runId, {
      thread_id: place.threadId,
      tool_outputs: [{ tool_call_id: call.id, output: 'Rain' }],
    });
    const names = (await follow(place)).map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual([
      'thread.run.step.completed',
      'thread.run.queued',
      'thread.run.in_progress',
    ]);
    expect(names.slice(-2)).toEqual(['thread.run.completed', 'done']);
  });

  it('that nobody streams tells each status', async () => {
    const threadId = await thread(words);
    const { id: runId } = await client.beta.threads.runs.create(threadId, {
      assistant_id: await assistant('@mock/mock-slow-50'),
    });
    const names = (await follow({ threadId, runId })).map(({ name }) => name);
    expect(names.slice(-2)).toEqual(['thread.run.completed', 'done']);
    expect(new Set(names).size).toBe(names.length);
  });

  it('that is gone ends its events with an error', async () => {
    const { place, done } = await stream(longWords, '@mock/mock-slow-500');
    const interrupted = expect(done).rejects.toMatchObject({ code: 'stream_interrupted' });
    const following = await open(place);
    await client.beta.threads.delete(place.threadId);
    expect((await read(following)).slice(-2).map(({ name }) => name)).toEqual(['error', 'done']);
    await interrupted;
  });

  it('is followed by those alone who may read it, from a place that it has', async () => {
    const { place, done } = await stream('Hi', '@mock/mock-1');
    await done;
    const status = async (path: string, key: string | null = app.workspaceKey) =>
      (await app.rest('GET', path, { key })).status;
    const path = pathOf(place);
    const neighbour = await app.createTenant();
    expect(await status(path)).toBe(200);
    expect(await status(path, null)).toBe(401);
    expect(await status(path, neighbour.workspaceKey)).toBe(404);
    expect(await status(pathOf({ ...place, runId: 'run_none' }))).toBe(404);
    expect(await status(pathOf({ ...place, threadId: await thread('Other') }))).toBe(404);
    expect(await status(pathOf({ ...place, runId: 'undefined' }))).toBe(400);
    for (const wrong of ['x', '1', '1.x', '9.1'])
      expect(await app.rest('GET', `${path}?starting_after=${wrong}`)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('starting_after') } },
      });
  });
});
