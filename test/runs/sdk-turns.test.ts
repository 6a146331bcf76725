import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatStream } from '../dataplane/formats/chat-streams.ts';
import { eventStream, json, type Script } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';
import { type Client, majors, type Sdk, submitted } from './majors.ts';

let world: World;
let model: string;
beforeAll(async () => {
  world = await startWorld();
  model = `@${world.slug}/gpt-test`;
});
afterAll(() => world.stop());

const options = () => ({ apiKey: world.app.workspaceKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
const sdks = majors(options);

type Json = any;
type Own = { sdk: Sdk; client: Client; threads: Client; runs: Client };

const look = { type: 'function', function: { name: 'look' } };
const see = { type: 'function', function: { name: 'see' } };
const soon = { pollIntervalMs: 20 };
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const says = (content: string, finish = 'stop', given: object = usage): Script =>
  eventStream(chatStream([{ content }], finish, given));
const calls = (name: string): Script => {
  const call = { index: 0, id: 'given', type: 'function', function: { name, arguments: '{}' } };
  return eventStream(chatStream([{ tool_calls: [call] }], 'tool_calls', usage));
};
/** What the provider was asked for, call by call. */
const sent = (): Json[] => world.provider.requests.map(({ body }) => JSON.parse(body.toString()));
const refusal = (call: Promise<unknown>): Promise<Json> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

async function begun({ client, threads }: Own, members: object = {}, ...contents: string[]) {
  const { id } = await client.beta.assistants.create({ model, ...members });
  const messages = (contents.length > 0 ? contents : ['Hi']).map((content) => ({ role: 'user', content }));
  return {
    threadId: (await threads.create({ messages })).id as string,
    asked: { assistant_id: id as string },
  };
}
const newest = async ({ threads }: Own, threadId: string) =>
  (await threads.messages.list(threadId)).data[0] as Json;

const scripts: [checks: string, script: (own: Own) => Promise<void>][] = [
  [
    'C16: a run of twenty rounds of tools streams in the order that the SDK insists on',
    async (own) => {
      const { runs, sdk } = own;
      world.provider.play(...Array.from({ length: 20 }, () => calls('look')), says('Seen enough'));
      const { threadId, asked } = await begun(own, { tools: [look] });
      let run = await runs.stream(threadId, asked).finalRun();
      for (let round = 0; round < 20; round++) {
        expect(run.status).toBe('requires_action');
        run = await runs.submitToolOutputsStream(...submitted(sdk, threadId, run)).finalRun();
      }
      expect([run.status, run.usage.total_tokens]).toEqual(['completed', 21 * usage.total_tokens]);
      const steps = await runs.steps.list(...sdk.named(threadId, run.id, { limit: 100, order: 'asc' }));
      expect(steps.data.map(({ type }: Json) => type)).toEqual([
        ...Array(20).fill('tool_calls'),
        'message_creation',
      ]);
      expect((await newest(own, threadId)).content[0].text.value).toBe('Seen enough');
    },
  ],
  [
    'C17: a run fails as its provider does, which its stream says without throwing',
    async (own) => {
      for (const [status, code] of [
        [429, 'rate_limit_exceeded'],
        [400, 'invalid_prompt'],
        [503, 'server_error'],
      ] as const) {
        world.provider.play(json(status, { error: { message: 'Not here' } }));
        const { threadId, asked } = await begun(own);
        const events: string[] = [];
        const stream = own.runs.stream(threadId, asked).on('event', ({ event }: Json) => events.push(event));
        expect(await stream.finalRun()).toMatchObject({
          ...{ status: 'failed', failed_at: expect.any(Number) },
          last_error: { code, message: expect.stringContaining('Not here') },
        });
        expect(events.at(-1)).toBe('thread.run.failed');
      }
    },
  ],
  [
    'C32: a choice of tools is kept to, and a forced one does not repeat itself',
    async (own) => {
      const { runs, sdk } = own;
      const { threadId, asked } = await begun(own, { tools: [look, see] });
      world.provider.play(says('No'));
      const none = await runs.createAndPoll(threadId, { ...asked, tool_choice: 'none' }, soon);
      expect([none.status, none.tool_choice]).toEqual(['completed', 'none']);
      expect(sent()[0].tool_choice).toBe('none');
      const named = { type: 'function', function: { name: 'see' } };
      for (const tool_choice of ['required', named]) {
        world.provider.play(calls('see'), says('Yes'));
        const run = await runs.createAndPoll(threadId, { ...asked, tool_choice }, soon);
        expect([run.status, run.tool_choice]).toEqual(['requires_action', tool_choice]);
        const done = await runs.submitToolOutputsAndPoll(...submitted(sdk, threadId, run), soon);
        expect(done.status).toBe('completed');
        const [first, second] = sent().map((body) => body.tool_choice ?? 'auto');
        expect([first, second]).toEqual([tool_choice, 'auto']);
      }
      const other = { type: 'function', function: { name: 'hear' } };
      expect((await refusal(runs.create(threadId, { ...asked, tool_choice: other }))).status).toBe(400);
    },
  ],
  [
    'C33: a run keeps to its budget of answers',
    async (own) => {
      world.provider.play(says('A long answer', 'length', { ...usage, completion_tokens: 256 }));
      const { threadId, asked } = await begun(own);
      const short = { ...asked, max_completion_tokens: 256 };
      expect(await own.runs.createAndPoll(threadId, short, soon)).toMatchObject({
        ...{ status: 'incomplete', incomplete_details: { reason: 'max_completion_tokens' } },
      });
      expect(await newest(own, threadId)).toMatchObject({
        ...{ status: 'incomplete', incomplete_details: { reason: 'max_tokens' } },
      });
      const least = await refusal(own.runs.create(threadId, { ...asked, max_completion_tokens: 255 }));
      expect([least.status, least.param]).toEqual([400, 'max_completion_tokens']);
    },
  ],
  [
    'C34: the newest message alone is sent where that is asked for',
    async (own) => {
      world.provider.play(says('Four'));
      const { threadId, asked } = await begun(own, { instructions: 'Be brief' }, 'one two', 'three');
      const newestAlone = { type: 'last_messages', last_messages: 1 };
      await own.runs.createAndPoll(threadId, { ...asked, truncation_strategy: newestAlone }, soon);
      expect(sent()[0].messages).toEqual([
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'three' },
      ]);
    },
  ],
  [
    'C35: an answer keeps to a schema, and a refusal is one',
    async (own) => {
      const schema = { type: 'object', properties: { n: { type: 'integer' } } };
      const response_format = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } };
      world.provider.play(says('{"n":1}'));
      const { threadId, asked } = await begun(own, { response_format });
      await own.runs.createAndPoll(threadId, asked, soon);
      expect(sent()[0].response_format).toEqual(response_format);
      expect(JSON.parse((await newest(own, threadId)).content[0].text.value)).toEqual({ n: 1 });
      world.provider.play(
        eventStream(chatStream([{ refusal: 'I will' }, { refusal: ' not.' }], 'stop', usage)),
      );
      await own.runs.stream(threadId, asked).finalRun();
      expect((await newest(own, threadId)).content).toEqual([{ type: 'refusal', refusal: 'I will not.' }]);
    },
  ],
  [
    'C36: a run has what its request says, and keeps it whatever becomes of its assistant',
    async (own) => {
      const { client, runs, sdk } = own;
      const { assistants } = client.beta;
      world.provider.play(calls('see'), says('Done'));
      const { threadId, asked } = await begun(own, { instructions: 'A', temperature: 1, tools: [look] });
      const before = await assistants.retrieve(asked.assistant_id);
      const run = await runs.createAndPoll(
        threadId,
        {
          ...{ ...asked, model: `@${world.slug}/gpt-other`, instructions: 'B', additional_instructions: 'C' },
          ...{ temperature: 0.5, tools: [see], metadata: { k: 'v' } },
        },
        soon,
      );
      const resolved = { model: `@${world.slug}/gpt-other`, instructions: 'B\n\nC', temperature: 0.5 };
      expect(run).toMatchObject({ ...resolved, status: 'requires_action', metadata: { k: 'v' } });
      expect(run.tools).toMatchObject([see]);
      expect(await assistants.retrieve(asked.assistant_id)).toEqual(before);
      await assistants.update(asked.assistant_id, { instructions: 'D', model: '@mock/mock-1', tools: [] });
      expect(await runs.retrieve(...sdk.named(threadId, run.id))).toMatchObject(resolved);
      const done = await runs.submitToolOutputsAndPoll(...submitted(sdk, threadId, run), soon);
      expect(done).toMatchObject({ ...resolved, status: 'completed' });
      for (const { model: asks, temperature, messages, tools } of sent())
        expect([asks, temperature, messages[0].content, tools[0].function.name]).toEqual([
          ...['gpt-other', 0.5, 'B\n\nC', 'see'],
        ]);
    },
  ],
  [
    'C37: messages are listed by their run, and pairs have bounds',
    async (own) => {
      const { runs, sdk, threads } = own;
      world.provider.play(says('One'));
      const { threadId, asked } = await begun(own);
      await runs.createAndPoll(threadId, asked, soon);
      world.provider.play(says('Two'));
      const run = await runs.createAndPoll(threadId, asked, soon);
      const { data } = await threads.messages.list(threadId, { run_id: run.id });
      expect(data.map(({ content }: Json) => content[0].text.value)).toEqual(['Two']);
      const update = (metadata: object) => runs.update(...sdk.named(threadId, run.id, { metadata }));
      expect((await update({ ['k'.repeat(64)]: 'v'.repeat(512) })).metadata).toEqual({
        ['k'.repeat(64)]: 'v'.repeat(512),
      });
      const many = Object.fromEntries(Array.from({ length: 17 }, (_none, at) => [`k${at}`, 'v']));
      for (const wrong of [many, { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(513) }])
        expect((await refusal(update(wrong))).constructor.name).toBe('BadRequestError');
      const removed = await threads.messages[sdk.remove](...sdk.named(threadId, data[0].id));
      expect(removed).toEqual({ id: data[0].id, object: 'thread.message.deleted', deleted: true });
    },
  ],
];

describe.each(Object.entries(sdks))('%s', (_name, sdk) => {
  it.each(scripts)('%s', (_checks, script) => {
    const client = sdk.client();
    return script({ sdk, client, threads: client.beta.threads, runs: client.beta.threads.runs });
  });
});
