import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RUN_SLOTS: '2', RUN_WORKSPACE_SLOTS: '1', RUN_QUEUE_MAX: '4' });
});
afterAll(() => app.stop());

/** Said so slowly that nobody waits for its end, unless it is cancelled. */
const endless = { model: '@mock/mock-slow-500', content: 'a b c d e f g h i j '.repeat(20) };
const short = { model: '@mock/mock-slow-20', content: 'a b' };

/** A workspace that makes runs. */
async function workspace({ workspaceKey }: Tenant) {
  const client = new OpenAI({ apiKey: workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const { id } = await client.beta.assistants.create({ model: short.model });
  return {
    async run(
      { model, content } = short,
      stream = false,
    ): Promise<{ id: string; cancel(): Promise<unknown> }> {
      const thread = { messages: [{ role: 'user' as const, content }] };
      const body = { assistant_id: id, model, thread };
      if (!stream) {
        const run = await client.beta.threads.createAndRun(body);
        return {
          id: run.id,
          cancel: () => client.beta.threads.runs.cancel(run.id, { thread_id: run.thread_id }),
        };
      }
      const events = await client.beta.threads.createAndRun({ ...body, stream: true });
      for await (const event of events)
        if (event.event === 'thread.run.queued') return { id: event.data.id, cancel: async () => undefined };
      throw new Error('A streamed run says that it is queued.');
    },
  };
}

const stored = async (id: string) => (await app.db.collection<any>('runs').findOne({ _id: id })) ?? {};
const statusOf = async ({ id }: { id: string }) => (await stored(id)).status;

it('a workspace that floods leaves places and turns to others, and begins its own runs as they are due', async () => {
  const flooding = await workspace(app);
  const second = await workspace(await app.createTenant());
  const third = await workspace(await app.createTenant());

  // One place of the two is all that a workspace gets.
  const held = await flooding.run(endless);
  const waiting = [await flooding.run()];
  const other = await second.run(endless);
  expect(await statusOf(held)).toBe('in_progress');
  expect(await statusOf(waiting[0] ?? held)).toBe('queued');
  expect(await statusOf(other)).toBe('in_progress');

  // Who has waited longest is not first where another reads along.
  waiting.push(await flooding.run(), await flooding.run(short, true), await flooding.run());
  await expect(flooding.run()).rejects.toMatchObject({
    status: 429,
    code: 'too_many_waiting_runs',
  });
  const late = await third.run();
  expect(await app.db.collection('runs').countDocuments({ status: 'queued' })).toBe(5);

  // With one place alone the workspaces take turns.
  await held.cancel();
  await eventually(async () => {
    for (const run of [...waiting, late]) expect(await statusOf(run)).toBe('completed');
  });
  const beganAt = async ({ id }: { id: string }) => (await stored(id)).startedAt.getTime();
  const [first = 0, next = 0, streamed = 0, last = 0] = await Promise.all(waiting.map(beganAt));
  expect([streamed, first, next, last].toSorted((a, b) => a - b)).toEqual([streamed, first, next, last]);
  expect(await beganAt(late)).toBeLessThan(first);
  await other.cancel();
});

it('runs wait where their calls would be too many for their key', async () => {
  const bounded = await startApp({ RUN_SLOTS: '8', RUN_WORKSPACE_SLOTS: '8', MAX_OPEN_CALLS_PER_KEY: '2' });
  try {
    const client = new OpenAI({ apiKey: bounded.workspaceKey, baseURL: `${bounded.url}/v1`, maxRetries: 0 });
    const { id: assistant_id } = await client.beta.assistants.create({ model: short.model });
    const thread = { messages: [{ role: 'user' as const, content: 'a b c d e f g h' }] };
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => client.beta.threads.createAndRunPoll({ assistant_id, thread })),
    );
    expect(runs.map(({ status, last_error }) => [status, last_error])).toEqual(
      runs.map(() => ['completed', null]),
    );
  } finally {
    await bounded.stop();
  }
});
