import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunDocument } from '../../src/runs/run.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { type Client, majors, type Sdk, submitted } from './majors.ts';

let app: TestApp;
let clock = 0;
beforeAll(async () => {
  app = await startApp({}, undefined, () => new Date(Date.now() + clock));
});
afterAll(() => app.stop());

const sdks = majors(() => ({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 }));

const slow = '@mock/mock-slow-100';
const words = 'a b c d e f g h i j k l m n o p';
const look = { type: 'function', function: { name: 'look' } };
const see = { type: 'function', function: { name: 'see' } };
const soon = { pollIntervalMs: 20 };

type Json = any;
/** What a thread and its runs are reached by, of one SDK. */
type Own = { sdk: Sdk; client: Client; threads: Client; runs: Client };

async function begun(
  { client, threads }: Own,
  content: string,
  tools: object[] = [],
  model = '@mock/mock-1',
) {
  const { id } = await client.beta.assistants.create({ model, tools });
  const thread = await threads.create({ messages: [{ role: 'user', content }] });
  return { threadId: thread.id as string, asked: { assistant_id: id } };
}
/** A run that waits for outputs. */
async function waiting(own: Own, content = '/tool', tools = [look]) {
  const { threadId, asked } = await begun(own, content, tools);
  const run = await own.runs.createAndPoll(threadId, asked, soon);
  expect(run.status).toBe('requires_action');
  return { threadId, asked, run };
}
const refusal = (call: Promise<unknown>): Promise<Json> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const messageOf = async (call: Promise<unknown>) => (await refusal(call))?.message;
const say = ({ threads }: Own, threadId: string) =>
  threads.messages.create(threadId, { role: 'user', content: 'x' });
const stepsOf = async ({ sdk, runs }: Own, threadId: string, runId: string) =>
  (await runs.steps.list(...sdk.named(threadId, runId, { order: 'asc' }))).data as Json[];
const newest = async ({ threads }: Own, threadId: string) =>
  (await threads.messages.list(threadId)).data[0] as Json;
const ended = ({ sdk, runs }: Own, threadId: string, runId: string): Promise<Json> =>
  eventually(async () => {
    const run = await runs.retrieve(...sdk.named(threadId, runId));
    expect(['queued', 'in_progress', 'cancelling']).not.toContain(run.status);
    return run;
  });

const scripts: [checks: string, script: (own: Own) => Promise<void>][] = [
  [
    'C8: outputs come for all calls at once, or for none',
    async (own) => {
      const { sdk, runs } = own;
      const { threadId, run } = await waiting(own, '/tools', [look, see]);
      const [a, b] = run.required_action.submit_tool_outputs.tool_calls.map(({ id }: Json) => id);
      const submit = (...ids: string[]) => {
        const outputs = ids.map((tool_call_id) => ({ tool_call_id, output: 'x' }));
        return runs.submitToolOutputs(...sdk.named(threadId, run.id, { tool_outputs: outputs }));
      };
      const inPart = await refusal(submit(b));
      expect([inPart.constructor.name, inPart.message]).toEqual([
        'BadRequestError',
        `400 Expected tool outputs for call_ids ['${a}', '${b}'], got ['${b}']`,
      ]);
      for (const wrong of [submit(a, a), submit(a, b, b), submit(a, 'call_never')])
        expect((await refusal(wrong)).status).toBe(400);
      expect((await runs.retrieve(...sdk.named(threadId, run.id))).status).toBe('requires_action');
      await submit(b, a);
      expect((await ended(own, threadId, run.id)).status).toBe('completed');
      const twice = await messageOf(submit(a, b));
      expect(twice).toBe('400 Runs in status "completed" do not accept tool outputs.');
    },
  ],
  [
    'C10: a busy thread takes no message, and a free one does',
    async (own) => {
      const { threadId, run } = await waiting(own);
      expect(await messageOf(say(own, threadId))).toBe(
        `400 Can't add messages to ${threadId} while a run ${run.id} is active.`,
      );
      await own.runs.cancel(...own.sdk.named(threadId, run.id));
      expect((await say(own, threadId)).role).toBe('user');
    },
  ],
  [
    'C11: a run is cancelled while the model speaks; what was said stays, and the thread is free',
    async (own) => {
      const { sdk, runs } = own;
      const { threadId, asked } = await begun(own, words, [], slow);
      const { id } = await runs.create(threadId, asked);
      await eventually(async () =>
        expect(await newest(own, threadId)).toMatchObject({ role: 'assistant', status: 'in_progress' }),
      );
      const cancelling = await runs.cancel(...sdk.named(threadId, id));
      expect(cancelling).toMatchObject({ status: 'cancelling', cancelled_at: null });
      const cancelled = await ended(own, threadId, id);
      expect(cancelled).toMatchObject({
        ...{ status: 'cancelled', cancelled_at: expect.any(Number), expires_at: null },
      });
      expect(await newest(own, threadId)).toMatchObject({
        ...{ status: 'incomplete', incomplete_details: { reason: 'run_cancelled' } },
      });
      expect(await stepsOf(own, threadId, id)).toMatchObject([{ status: 'cancelled' }]);
      expect((await say(own, threadId)).role).toBe('user');
    },
  ],
  [
    'C12: a run that is over cannot be cancelled, and one that waits can',
    async (own) => {
      const { sdk, runs } = own;
      const { threadId, asked } = await begun(own, 'Hi');
      const done = await runs.createAndPoll(threadId, asked, soon);
      const late = await refusal(runs.cancel(...sdk.named(threadId, done.id)));
      expect([late.constructor.name, late.message]).toEqual([
        'BadRequestError',
        "400 Cannot cancel run with status 'completed'.",
      ]);
      const { threadId: other, run } = await waiting(own);
      const ofEnd = { usage: null, expires_at: run.expires_at, cancelled_at: null };
      expect(await runs.cancel(...sdk.named(other, run.id))).toMatchObject({
        ...ofEnd,
        status: 'cancelling',
      });
      expect(await runs.retrieve(...sdk.named(other, run.id))).toMatchObject({
        ...{ status: 'cancelled', expires_at: null, cancelled_at: expect.any(Number) },
        usage: { total_tokens: expect.any(Number) },
      });
    },
  ],
  [
    'C13, C14: a run expires after ten minutes in which nobody brought outputs',
    async (own) => {
      const { sdk, runs } = own;
      const { threadId, run } = await waiting(own);
      expect(run.expires_at - run.created_at).toBe(600);
      clock = 601_000;
      try {
        expect((await runs.retrieve(...sdk.named(threadId, run.id))).status).toBe('expired');
      } finally {
        clock = 0;
      }
      const late = runs.submitToolOutputs(...submitted(sdk, threadId, run));
      expect(await messageOf(late)).toBe('400 Runs in status "expired" do not accept tool outputs.');
      expect(await stepsOf(own, threadId, run.id)).toMatchObject([{ status: 'expired' }]);
    },
  ],
  [
    'C15: a run whose process has died is answered by another one, once',
    async (own) => {
      const { threadId, asked } = await begun(own, words, [], slow);
      const { id } = await own.runs.create(threadId, asked);
      const dead = `dead-${id}`;
      await app.db
        .collection<RunDocument>('runs')
        .updateOne({ _id: id, status: 'in_progress' }, { $set: { owner: dead } });
      await app.db
        .collection<{ _id: string; seenAt: Date }>('run_instances')
        .insertOne({ _id: dead, seenAt: new Date(0) });
      expect((await ended(own, threadId, id)).status).toBe('completed');
      const { data } = await own.threads.messages.list(threadId, { run_id: id });
      expect(data.map(({ content }: Json) => content[0].text.value)).toEqual([words]);
      expect(await app.db.collection<RunDocument>('runs').findOne({ _id: id })).toMatchObject({ attempt: 2 });
    },
  ],
  [
    'C19: a run shows its usage once it is over, which is that of its steps',
    async (own) => {
      const { threadId, run } = await waiting(own);
      expect(run.usage).toBeNull();
      const done = await own.runs.submitToolOutputsAndPoll(...submitted(own.sdk, threadId, run), soon);
      const steps = await stepsOf(own, threadId, run.id);
      expect(steps.map(({ type }) => type)).toEqual(['tool_calls', 'message_creation']);
      for (const count of ['prompt_tokens', 'completion_tokens', 'total_tokens'])
        expect(done.usage[count]).toBe(steps.reduce((sum, { usage }) => sum + usage[count], 0));
      expect(done.usage.total_tokens).toBeGreaterThan(0);
    },
  ],
  [
    'C39: a run goes on when its reader leaves',
    async (own) => {
      const { threadId, asked } = await begun(own, words, [], slow);
      let runId = '';
      for await (const { event, data } of await own.runs.create(threadId, { ...asked, stream: true })) {
        if (event === 'thread.run.created') runId = data.id;
        if (event === 'thread.message.delta') break;
      }
      expect((await ended(own, threadId, runId)).status).toBe('completed');
      expect((await newest(own, threadId)).content[0].text.value).toBe(words);
    },
  ],
  [
    'C40: a thread takes one of a hundred runs that are made at once',
    async (own) => {
      const { threadId, asked } = await begun(own, '/tool', [look]);
      const all = Array.from({ length: 100 }, () => refusal(own.runs.create(threadId, asked)));
      const refused = (await Promise.all(all)).filter((error) => error !== null);
      expect(refused).toHaveLength(99);
      for (const error of refused)
        expect([error.constructor.name, error.message]).toEqual([
          'BadRequestError',
          expect.stringContaining('already has an active run'),
        ]);
      expect((await own.runs.list(threadId)).data).toHaveLength(1);
    },
  ],
];

describe.each(Object.entries(sdks))('%s', (_name, sdk) => {
  it.each(scripts)('%s', (_checks, script) => {
    const client = sdk.client();
    return script({ sdk, client, threads: client.beta.threads, runs: client.beta.threads.runs });
  });
});
