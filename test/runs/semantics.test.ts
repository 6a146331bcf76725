import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

let app: TestApp;
let client: OpenAI;
let clock = 0;
beforeAll(async () => {
  app = await startApp({}, undefined, () => new Date(Date.now() + clock));
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(() => app.stop());

const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
});
const assistant = async (members: object = {}) =>
  (await client.beta.assistants.create({ model: '@mock/mock-1', ...members })).id;
const thread = async (content = 'Hello there') =>
  (await client.beta.threads.create({ messages: [{ role: 'user', content }] })).id;
const poll = (threadId: string, body: any) => client.beta.threads.runs.createAndPoll(threadId, body);
const refused = async (call: Promise<unknown>) =>
  call.then(
    () => ({ status: 200, message: '' }),
    ({ status, message }: any) => ({ status, message: message as string }),
  );
const steps = async (threadId: string, runId: string) =>
  (await client.beta.threads.runs.steps.list(runId, { thread_id: threadId, order: 'asc' })).data;
const newest = async (threadId: string) => (await client.beta.threads.messages.list(threadId)).data[0];

describe('functions', () => {
  it('C5, C6: a run waits for the output of a call, and goes on with it', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('weather')] }), await thread('/tool Paris')];
    const run = await poll(threadId, { assistant_id: id });
    expect(run.status).toBe('requires_action');
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(call).toEqual({
      id: expect.stringMatching(/^call_/),
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"/tool Paris"}' },
    });
    const done = await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, {
      thread_id: threadId,
      tool_outputs: [{ tool_call_id: call?.id, output: 'Rain' }],
    });
    expect(done.status).toBe('completed');
    const [asked, said] = await steps(threadId, run.id);
    expect(asked).toMatchObject({
      type: 'tool_calls',
      status: 'completed',
      step_details: { tool_calls: [{ function: { output: 'Rain' } }] },
    });
    expect(said).toMatchObject({ type: 'message_creation', status: 'completed' });
    const sum = (asked?.usage?.total_tokens ?? 0) + (said?.usage?.total_tokens ?? 0);
    expect(done.usage?.total_tokens).toBe(sum);
    expect(
      await client.beta.threads.runs.steps.retrieve(said?.id ?? '', { thread_id: threadId, run_id: run.id }),
    ).toEqual(said);
  });

  it('C7: a stream of outputs begins with the step that they complete', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('weather')] }), await thread('/tool')];
    const first = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    const run = await first.finalRun();
    expect(run.status).toBe('requires_action');
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const names: string[] = [];
    const second = client.beta.threads.runs.submitToolOutputsStream(run.id, {
      thread_id: threadId,
      tool_outputs: [{ tool_call_id: call?.id, output: 'Sun' }],
    });
    for await (const { event } of second) names.push(event);
    expect(names.slice(0, 3)).toEqual([
      'thread.run.step.completed',
      'thread.run.queued',
      'thread.run.in_progress',
    ]);
    expect((await second.finalRun()).status).toBe('completed');
  });

  it('C8: outputs come for all calls at once, or for none', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one'), tool('two')] }), await thread('/tools')];
    const run = await poll(threadId, { assistant_id: id });
    const calls = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(calls.map((call) => call.function.name)).toEqual(['one', 'two']);
    const [a = '', b = ''] = calls.map((call) => call.id);
    const submit = (...ids: string[]) =>
      refused(
        client.beta.threads.runs.submitToolOutputs(run.id, {
          thread_id: threadId,
          tool_outputs: ids.map((tool_call_id) => ({ tool_call_id, output: 'x' })),
        }),
      );
    expect(await submit(b)).toEqual({
      status: 400,
      message: `400 Expected tool outputs for call_ids ['${a}', '${b}'], got ['${b}']`,
    });
    expect((await submit(a, a)).status).toBe(400);
    expect((await submit(a, 'call_other')).status).toBe(400);
    expect((await client.beta.threads.runs.retrieve(run.id, { thread_id: threadId })).status).toBe(
      'requires_action',
    );
    expect((await submit(b, a)).status).toBe(200);
    await eventually(async () =>
      expect((await client.beta.threads.runs.retrieve(run.id, { thread_id: threadId })).status).toBe(
        'completed',
      ),
    );
    expect(await submit(a, b)).toEqual({
      status: 400,
      message: '400 Runs in status "completed" do not accept tool outputs.',
    });
  });

  it('C32: a choice of tools is kept to, and a forced one does not repeat itself', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one'), tool('two')] }), await thread('Hi')];
    expect((await poll(threadId, { assistant_id: id, tool_choice: 'none' })).status).toBe('completed');
    const forced = await poll(threadId, {
      assistant_id: id,
      tool_choice: { type: 'function', function: { name: 'two' } },
    });
    const [call] = forced.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(call?.function.name).toBe('two');
    const done = await client.beta.threads.runs.submitToolOutputsAndPoll(forced.id, {
      thread_id: threadId,
      tool_outputs: [{ tool_call_id: call?.id, output: '' }],
    });
    expect(done.status).toBe('completed');
    expect(
      (
        await refused(
          poll(threadId, {
            assistant_id: id,
            tool_choice: { type: 'function', function: { name: 'three' } },
          }),
        )
      ).status,
    ).toBe(400);
  });

  it('parallel_tool_calls false leaves one call of a turn', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one'), tool('two')] }), await thread('/tools')];
    const run = await poll(threadId, { assistant_id: id, parallel_tool_calls: false });
    expect(run.required_action?.submit_tool_outputs.tool_calls).toHaveLength(1);
  });

  it('C16: a strict stream of many rounds of tools keeps its order', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one')] }), await thread('/tool')];
    for (let round = 0; round < 5; round++) {
      if (round > 0) await client.beta.threads.messages.create(threadId, { role: 'user', content: '/tool' });
      const run = await client.beta.threads.runs.stream(threadId, { assistant_id: id }).finalRun();
      const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
      const next = client.beta.threads.runs.submitToolOutputsStream(run.id, {
        thread_id: threadId,
        tool_outputs: [{ tool_call_id: call?.id, output: `${round}` }],
      });
      expect((await next.finalRun()).status).toBe('completed');
    }
  });
});

describe('a thread', () => {
  it('C9, C10: is answered by one run at a time, and takes no message meanwhile', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one')] }), await thread('/tool')];
    const run = await poll(threadId, { assistant_id: id });
    expect(await refused(client.beta.threads.runs.create(threadId, { assistant_id: id }))).toEqual({
      status: 400,
      message: `400 Thread ${threadId} already has an active run ${run.id}.`,
    });
    const say = () => refused(client.beta.threads.messages.create(threadId, { role: 'user', content: 'x' }));
    expect(await say()).toEqual({
      status: 400,
      message: `400 Can't add messages to ${threadId} while a run ${run.id} is active.`,
    });
    await client.beta.threads.runs.cancel(run.id, { thread_id: threadId });
    expect((await say()).status).toBe(200);
  });

  it('C40: takes one of a hundred runs that are made at once', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one')] }), await thread('/tool')];
    const made = await Promise.all(
      Array.from({ length: 100 }, () =>
        refused(client.beta.threads.runs.create(threadId, { assistant_id: id })),
      ),
    );
    expect(made.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(made.filter(({ message }) => message.includes('already has an active run'))).toHaveLength(99);
  });

  it('that is deleted takes its run along', async () => {
    const [id, threadId] = [
      await assistant({ model: '@mock/mock-slow-200' }),
      await thread('a b c d e f g h'),
    ];
    const run = await client.beta.threads.runs.create(threadId, { assistant_id: id });
    await client.beta.threads.delete(threadId);
    expect((await refused(client.beta.threads.runs.retrieve(run.id, { thread_id: threadId }))).status).toBe(
      404,
    );
  });

  it('that is deleted at the first word of its run has no message later', async () => {
    const id = await assistant({ model: '@mock/mock-slow-200' });
    const threadId = await thread('a b c d e f g h');
    const events = await client.beta.threads.runs.create(threadId, { assistant_id: id, stream: true });
    let isDeleted = false;
    const reading = (async () => {
      for await (const { event } of events) {
        if (event !== 'thread.message.delta' || isDeleted) continue;
        isDeleted = true;
        await client.beta.threads.delete(threadId);
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'stream_interrupted' });
    // Another run takes longer than it takes to show a message before its end.
    await poll(await thread('a b c'), { assistant_id: id });
    expect(await app.db.collection('thread_items').countDocuments({ threadId })).toBe(0);
  });
});

describe('a run', () => {
  it('C11: is cancelled while the model speaks; what was said so far stays', async () => {
    const [id, threadId] = [
      await assistant({ model: '@mock/mock-slow-100' }),
      await thread('a b c d e f g h i j k l m n o p'),
    ];
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    const names: string[] = [];
    let runId = '';
    for await (const { event, data } of stream) {
      names.push(event);
      if (event === 'thread.run.created') runId = data.id;
      if (
        names.filter((name) => name === 'thread.message.delta').length === 2 &&
        event === 'thread.message.delta'
      ) {
        const asked = await client.beta.threads.runs.cancel(runId, { thread_id: threadId });
        expect(asked).toMatchObject({ status: 'cancelling', cancelled_at: null });
      }
    }
    expect(names.slice(-3)).toEqual([
      'thread.message.incomplete',
      'thread.run.step.cancelled',
      'thread.run.cancelled',
    ]);
    const run = await client.beta.threads.runs.retrieve(runId, { thread_id: threadId });
    expect(run).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) });
    expect(await newest(threadId)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'run_cancelled' },
    });
    expect(await steps(threadId, runId)).toMatchObject([{ status: 'cancelled' }]);
  });

  it('C12: that is over cannot be cancelled, and one that waits can', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one')] }), await thread('/tool')];
    const run = await poll(threadId, { assistant_id: id });
    expect((await client.beta.threads.runs.cancel(run.id, { thread_id: threadId })).status).toBe(
      'cancelling',
    );
    expect((await client.beta.threads.runs.retrieve(run.id, { thread_id: threadId })).status).toBe(
      'cancelled',
    );
    expect(await refused(client.beta.threads.runs.cancel(run.id, { thread_id: threadId }))).toEqual({
      status: 400,
      message: "400 Cannot cancel run with status 'cancelled'.",
    });
  });

  it('C13, C14: expires after ten minutes in which nobody brought outputs', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one')] }), await thread('/tool')];
    const run = await poll(threadId, { assistant_id: id });
    expect((run.expires_at ?? 0) - run.created_at).toBe(600);
    clock = 601_000;
    const late = await client.beta.threads.runs.retrieve(run.id, { thread_id: threadId });
    clock = 0;
    expect(late.status).toBe('expired');
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(
      (
        await refused(
          client.beta.threads.runs.submitToolOutputs(run.id, {
            thread_id: threadId,
            tool_outputs: [{ tool_call_id: call?.id, output: '' }],
          }),
        )
      ).message,
    ).toBe('400 Runs in status "expired" do not accept tool outputs.');
    expect(await steps(threadId, run.id)).toMatchObject([{ status: 'expired' }]);
  });

  it.each([
    [429, 'rate_limit_exceeded'],
    [400, 'invalid_prompt'],
    [503, 'server_error'],
  ])('C17: fails as its model does: %s', async (status, code) => {
    const [id, threadId] = [await assistant(), await thread(`/fail ${status}`)];
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    const run = await stream.finalRun();
    expect(run).toMatchObject({ status: 'failed', last_error: { code }, failed_at: expect.any(Number) });
  });

  it('C19: shows its usage once it is over', async () => {
    const [id, threadId] = [await assistant({ tools: [tool('one')] }), await thread('/tool a b')];
    expect((await poll(threadId, { assistant_id: id })).usage).toBeNull();
  });

  it('C20: is found by its ids alone', async () => {
    const [id, threadId] = [await assistant(), await thread()];
    const run = await poll(threadId, { assistant_id: id });
    const { runs } = client.beta.threads;
    expect((await refused(runs.retrieve('run_none', { thread_id: threadId }))).status).toBe(404);
    expect((await refused(runs.retrieve(run.id, { thread_id: await thread() }))).status).toBe(404);
    expect((await refused(runs.retrieve(run.id, { thread_id: 'undefined' }))).status).toBe(400);
    expect(await refused(runs.create(threadId, { assistant_id: 'asst_x' }))).toEqual({
      status: 404,
      message: "404 No assistant found with id 'asst_x'.",
    });
  });

  it('C25: is polled as often as the gateway says', async () => {
    const [id, threadId] = [await assistant(), await thread()];
    const { response } = await client.beta.threads.runs.create(threadId, { assistant_id: id }).withResponse();
    expect(response.headers.get('openai-poll-after-ms')).toBe('300');
  });

  it('C33: keeps to its budget of answers', async () => {
    const [id, threadId] = [await assistant(), await thread('/long 400')];
    const run = await poll(threadId, { assistant_id: id, max_completion_tokens: 256 });
    expect(run).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_completion_tokens' },
    });
    expect(await newest(threadId)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_tokens' },
    });
    expect((await refused(poll(threadId, { assistant_id: id, max_completion_tokens: 255 }))).status).toBe(
      400,
    );
  });

  it('C34: sends the newest message alone where that is asked for', async () => {
    const [id, threadId] = [await assistant({ instructions: 'Be brief' }), await thread('one two three')];
    await client.beta.threads.messages.create(threadId, { role: 'user', content: 'four' });
    for (const type of ['last_messages', 'auto', undefined]) {
      const last = { type, last_messages: 1 };
      const run = await poll(threadId, { assistant_id: id, truncation_strategy: last });
      // The mock provider counts words: two of the instructions, and one of the message.
      expect(run.usage?.prompt_tokens).toBe(3);
      const { data } = await client.beta.threads.messages.list(threadId);
      await client.beta.threads.messages.delete(data[0]?.id ?? '', { thread_id: threadId });
    }
    for (const wrong of [{ type: 'last_messages' }, { type: 'last_messages', last_messages: 0 }])
      expect((await refused(poll(threadId, { assistant_id: id, truncation_strategy: wrong }))).status).toBe(
        400,
      );
  });

  it('shows a message while it is said, and its step', async () => {
    const [id, threadId] = [
      await assistant({ model: '@mock/mock-slow-200' }),
      await thread('a '.repeat(100)),
    ];
    const run = await client.beta.threads.runs.create(threadId, { assistant_id: id });
    await eventually(async () =>
      expect(await newest(threadId)).toMatchObject({ role: 'assistant', status: 'in_progress' }),
    );
    await eventually(async () =>
      expect(await steps(threadId, run.id)).toMatchObject([
        { type: 'message_creation', status: 'in_progress', usage: null },
      ]),
    );
    await client.beta.threads.runs.cancel(run.id, { thread_id: threadId });
    await eventually(async () =>
      expect(await newest(threadId)).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'run_cancelled' },
      }),
    );
  });

  it('C35: answers by a schema, and shows what the model refuses', async () => {
    const format = {
      type: 'json_schema',
      json_schema: {
        name: 'a',
        strict: true,
        schema: { type: 'object', properties: { n: { type: 'integer' } } },
      },
    };
    const [id, threadId] = [await assistant({ response_format: format }), await thread('Count')];
    await poll(threadId, { assistant_id: id });
    const answer: any = (await newest(threadId))?.content[0];
    expect(JSON.parse(answer.text.value)).toEqual({ n: 1 });
    const other = await thread('/refuse');
    await client.beta.threads.runs.stream(other, { assistant_id: id }).finalRun();
    expect((await newest(other))?.content).toEqual([
      { type: 'refusal', refusal: expect.stringContaining('refuse') },
    ]);
  });

  it('C36: has what its request says, and leaves the assistant as it is', async () => {
    const [id, threadId] = [await assistant({ instructions: 'A', temperature: 1 }), await thread()];
    const run = await poll(threadId, {
      assistant_id: id,
      instructions: 'B',
      additional_instructions: 'C',
      temperature: 0.5,
      tools: [],
      metadata: { k: 'v' },
    });
    expect(run).toMatchObject({ instructions: 'B\n\nC', temperature: 0.5, tools: [], metadata: { k: 'v' } });
    expect(await client.beta.assistants.retrieve(id)).toMatchObject({ instructions: 'A', temperature: 1 });
  });

  it('C37: is what messages can be asked for by', async () => {
    const [id, threadId] = [await assistant(), await thread()];
    const run = await poll(threadId, {
      assistant_id: id,
      additional_messages: [{ role: 'user', content: 'More' }],
    });
    const { data } = await client.beta.threads.messages.list(threadId, { run_id: run.id });
    expect(data.map(({ role, content }: any) => [role, content[0].text.value])).toEqual([
      ['assistant', 'More'],
    ]);
  });

  it('C39: goes on when its reader leaves', async () => {
    const [id, threadId] = [
      await assistant({ model: '@mock/mock-slow-50' }),
      await thread('a b c d e f g h'),
    ];
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    let runId = '';
    for await (const { event, data } of stream) {
      if (event === 'thread.run.created') runId = data.id;
      if (event === 'thread.message.delta') break;
    }
    await eventually(async () =>
      expect((await client.beta.threads.runs.retrieve(runId, { thread_id: threadId })).status).toBe(
        'completed',
      ),
    );
    expect((await newest(threadId))?.content).toMatchObject([{ text: { value: 'a b c d e f g h' } }]);
  });

  it('is made with its thread, and leaves none behind where it is refused', async () => {
    const id = await assistant();
    const run = await client.beta.threads.createAndRunPoll({
      assistant_id: id,
      thread: { messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(run.status).toBe('completed');
    const threads = () => app.db.collection('threads').countDocuments({});
    const before = await threads();
    expect((await refused(client.beta.threads.createAndRun({ assistant_id: 'asst_none' }))).status).toBe(404);
    expect(
      (
        await refused(
          client.beta.threads.createAndRun({
            assistant_id: id,
            tools: [{ type: 'magic' as 'function' }] as never,
          }),
        )
      ).status,
    ).toBe(400);
    expect(await threads()).toBe(before);
    const stream = client.beta.threads.createAndRunStream({
      assistant_id: id,
      thread: { messages: [{ role: 'user', content: 'Hi' }] },
    });
    const names: string[] = [];
    for await (const { event } of stream) names.push(event);
    expect(names[0]).toBe('thread.created');
  });

  it('leaves its turns in the request log, with the run in their metadata', async () => {
    const [id, threadId] = [await assistant(), await thread()];
    const run = await poll(threadId, { assistant_id: id });
    await app.logged();
    const log = await app.db.collection('logs').findOne({ traceId: run.id });
    expect(log).toMatchObject({ responseStatusCode: 200 });
    expect(JSON.stringify(log?.metadata)).toContain(threadId);
    // From the bill to the message, in one query.
    const { data, errors } = await app.graphql(
      `query ($id: ID!) { log(id: $id) {
        cost totalTokens run { id status steps { turn usage { totalTokens } message { role content } } }
      } }`,
      { id: log?._id },
      app.workspaceKey,
    );
    expect(errors).toBeUndefined();
    const [step, ...more] = data.log.run.steps;
    expect([data.log.run.id, data.log.run.status, more]).toEqual([run.id, 'completed', []]);
    // The mock provider has no prices.
    expect(data.log.cost).toBeNull();
    expect(step).toMatchObject({ turn: 0, usage: { totalTokens: data.log.totalTokens } });
    expect(step.message).toMatchObject({ role: 'assistant', content: (await newest(threadId))?.content });
  });
});
