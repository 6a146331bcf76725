import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { MessageItem } from '../../src/runs/items.ts';
import type { RunDocument } from '../../src/runs/run.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

let app: TestApp;
let client: OpenAI;
beforeAll(async () => {
  app = await startApp();
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(() => app.stop());

const runs = () => app.db.collection<RunDocument>('runs');
const instances = () => app.db.collection<{ _id: string; seenAt: Date }>('run_instances');
const assistant = async (model: string) => (await client.beta.assistants.create({ model })).id;
const thread = async (content: string) =>
  (await client.beta.threads.create({ messages: [{ role: 'user', content }] })).id;
type Begun = { threadId: string; runId: string };
const now = ({ threadId, runId }: Begun) => client.beta.threads.runs.retrieve(runId, { thread_id: threadId });
const ended = (begun: Begun) =>
  eventually(async () => {
    const run = await now(begun);
    expect(['queued', 'in_progress', 'cancelling']).not.toContain(run.status);
    return run;
  });
const steps = async ({ threadId, runId }: Begun) =>
  (await client.beta.threads.runs.steps.list(runId, { thread_id: threadId })).data;
const said = async ({ threadId, runId }: Begun) =>
  (await client.beta.threads.messages.list(threadId, { run_id: runId })).data.map(
    ({ content: [part] }) => part?.type === 'text' && part.text.value,
  );

it('a process gives signs of life from its first run on, and not before', async () => {
  expect(await client.beta.assistants.list()).toMatchObject({ data: [] });
  expect(await instances().countDocuments()).toBe(0);
  await client.beta.threads.runs.create(await thread('Hi'), {
    assistant_id: await assistant('@mock/mock-1'),
  });
  expect(await instances().countDocuments()).toBe(1);
});

describe('a run whose process has died', () => {
  const words = 'a b c d e f g h i j k l m n o p q r s t u v w x y';
  /** Said so slowly that nobody waits for its end. */
  const longWords = words.repeat(10);
  let streamed: Begun;
  let broken: unknown;
  let worn: Begun;
  let cancelling: Begun;
  let written: Begun;
  let opened: Begun;

  /** As if another process had the run, and had died. */
  const orphan = ({ runId }: Begun, members: Partial<RunDocument> = {}) =>
    runs().updateOne({ _id: runId }, { $set: { owner: 'dead', ...members } });

  beforeAll(async () => {
    const slow = await assistant('@mock/mock-slow-100');
    const begin = async (content: string, model = slow): Promise<Begun> => {
      const threadId = await thread(content);
      const { id: runId } = await client.beta.threads.runs.create(threadId, { assistant_id: model });
      return { threadId, runId };
    };
    // The request brought a message that was never stored: its process died before.
    opened = await begin(longWords);
    const items = app.db.collection<{ _id: string }>('thread_items');
    const opening = await items.findOne({ threadId: opened.threadId });
    await orphan(opened, {
      opening: [
        {
          ...(opening as unknown as MessageItem),
          _id: 'msg_opening',
          content: [{ type: 'text', text: { value: 'And then', annotations: [] } }],
          createdAt: new Date(),
        },
      ],
    });
    written = await begin('Hello there', await assistant('@mock/mock-1'));
    await ended(written);
    // The last item is written, and the end of the run is not.
    await orphan(written, {
      ...{ status: 'in_progress', active: true, steps: [], usage: null, completedAt: null },
    });
    worn = await begin(longWords);
    await orphan(worn, { attempt: 3 });
    cancelling = await begin(longWords);
    await orphan(cancelling, { status: 'cancelling' });
    const threadId = await thread(words);
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: slow });
    let isOrphan = false;
    try {
      for await (const { event, data } of stream) {
        if (event === 'thread.run.created') streamed = { threadId, runId: data.id };
        if (event !== 'thread.message.delta' || isOrphan) continue;
        isOrphan = true;
        await orphan(streamed);
        await instances().insertOne({ _id: 'dead', seenAt: new Date(0) });
      }
    } catch (error) {
      broken = error;
    }
  });

  it('C15: is taken over, and says everything once', async () => {
    expect((await ended(streamed)).status).toBe('completed');
    expect(await said(streamed)).toEqual([words]);
    expect(await steps(streamed)).toMatchObject([{ status: 'completed' }]);
    expect(await runs().findOne({ _id: streamed.runId })).toMatchObject({
      fence: 2,
      attempt: 2,
      owner: null,
      takenOverAt: expect.any(Date),
    });
  });

  it('C18: leaves its reader with an error that SDKs know', () => {
    expect(broken).toBeInstanceOf(OpenAI.APIError);
    expect(broken).toMatchObject({ code: 'stream_interrupted' });
  });

  it('begins with the messages that came with its request', async () => {
    expect((await ended(opened)).status).toBe('completed');
    expect(await said(opened)).toEqual(['And then']);
    expect(await runs().findOne({ _id: opened.runId })).not.toHaveProperty('opening');
  });

  it('is not asked again where it had said everything', async () => {
    const run = await ended(written);
    expect(run.status).toBe('completed');
    expect(await said(written)).toEqual(['Hello there']);
    const [step] = await steps(written);
    expect(step).toMatchObject({ type: 'message_creation', status: 'completed' });
    expect(step?.usage).toEqual(run.usage);
    await app.logged();
    expect(await app.db.collection('logs').countDocuments({ traceId: written.runId })).toBe(1);
  });

  it('is cancelled where that was asked of it', async () => {
    expect(await ended(cancelling)).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) });
  });

  it('fails where one process after another has died of it', async () => {
    expect(await ended(worn)).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
    expect(
      (await client.beta.threads.messages.create(worn.threadId, { role: 'user', content: 'x' })).role,
    ).toBe('user');
  });

  it('is forgotten with the others of that process', () =>
    eventually(async () => expect(await instances().countDocuments({ _id: 'dead' })).toBe(0)));
});
