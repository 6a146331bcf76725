import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { chatFrames, eventStream } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let app: TestApp;
let clock = 0;
let assistantId: string;
beforeAll(async () => {
  world = await startWorld({}, undefined, () => new Date(Date.now() + clock));
  app = world.app;
  assistantId = (await made('/assistants', { model: '@mock/mock-1' })).id;
});
afterAll(() => world.stop());

type Json = any;
const send = async (method: string, path: string, body?: unknown) => {
  const answer = await app.rest(method, `/v1${path}`, { body });
  return { status: answer.status, body: answer.body as Json };
};
const made = async (path: string, body: unknown): Promise<Json> => {
  const answer = await send('POST', path, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const read = async (path: string): Promise<Json> => {
  const answer = await send('GET', path);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const look = { type: 'function', function: { name: 'look' } };
const codeTool = { type: 'code_interpreter' };
const searchTool = { type: 'file_search' };

/** Begins a run on a thread of its own, by the one request that the specification shows in full. */
const begun = (content: string, members: object = {}) =>
  made('/threads/runs', {
    assistant_id: assistantId,
    thread: { messages: [{ content }] },
    ...members,
  });
const pathOf = ({ thread_id: threadId, id }: Json) => `/threads/${threadId}/runs/${id}`;
const settled = (run: Json): Promise<Json> =>
  eventually(async () => {
    const now = await read(pathOf(run));
    expect(['queued', 'in_progress', 'cancelling']).not.toContain(now.status);
    return now;
  });
const stepsOf = async (run: Json, order = 'asc') => read(`${pathOf(run)}/steps?order=${order}`);
/** What the model says slowly, a word at a time. */
const longWords = 'a b c d e f g h i j '.repeat(20);

const integer = expect.any(Number);
const text = expect.any(String);
const usage = { completion_tokens: integer, prompt_tokens: integer, total_tokens: integer };

describe('a run', () => {
  /** Every member, as a run that was asked for nothing has them while it waits. */
  const whole = () => ({
    id: text,
    object: 'thread.run',
    created_at: integer,
    thread_id: text,
    assistant_id: assistantId,
    status: 'queued',
    required_action: null,
    last_error: null,
    expires_at: integer,
    started_at: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    incomplete_details: null,
    model: '@mock/mock-1',
    instructions: '',
    tools: [],
    metadata: {},
    usage: null,
    max_prompt_tokens: null,
    max_completion_tokens: null,
    truncation_strategy: { type: 'auto', last_messages: null },
    tool_choice: 'auto',
    parallel_tool_calls: true,
    response_format: 'auto',
    temperature: null,
    top_p: null,
    reasoning_effort: null,
  });
  const doneSteps = async (run: Json) => (await stepsOf(run)).data as Json[];

  it('has every member of the table, and shows what it was asked for', async () => {
    const asked = {
      model: '@mock/mock-2',
      instructions: 'Be short.',
      tools: [look, codeTool, searchTool],
      metadata: { team: 'search' },
      temperature: 2,
      top_p: 1,
      max_prompt_tokens: 256,
      max_completion_tokens: 256,
      truncation_strategy: { type: 'auto', last_messages: 3 },
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: 'none',
    };
    const run = await begun('Hello', asked);
    expect(run).toEqual({ ...whole(), ...asked });
    for (const member of ['created_at', 'expires_at']) expect(Number.isInteger(run[member])).toBe(true);
    await send('POST', `${pathOf(run)}/cancel`);
  });

  it('is queued, then completed, with its usage', async () => {
    const run = await begun('Hello');
    expect(run).toEqual(whole());
    const done = await settled(run);
    expect(done).toEqual({
      ...whole(),
      status: 'completed',
      expires_at: null,
      started_at: integer,
      completed_at: integer,
      usage,
    });
    expect(done.usage.total_tokens).toBe(done.usage.prompt_tokens + done.usage.completion_tokens);
  });

  it('is in progress, then cancelling, then cancelled', async () => {
    const run = await begun(longWords, { model: '@mock/mock-slow-100' });
    await eventually(async () => {
      const [step] = await doneSteps(run);
      expect(step).toMatchObject({ status: 'in_progress', usage: null, completed_at: null });
    });
    const slow = { ...whole(), model: '@mock/mock-slow-100', started_at: integer };
    expect(await read(pathOf(run))).toEqual({ ...slow, status: 'in_progress' });
    expect(await made(`${pathOf(run)}/cancel`, undefined)).toEqual({ ...slow, status: 'cancelling' });
    const cancelled = await settled(run);
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelled_at: integer, failed_at: null });
    expect(await doneSteps(run)).toMatchObject([{ status: 'cancelled', cancelled_at: integer }]);
  });

  it('requires an action, and completes once it has been done', async () => {
    const run = await settled(await begun('/tool Paris', { tools: [look] }));
    expect(run).toEqual({
      ...whole(),
      tools: [look],
      status: 'requires_action',
      started_at: integer,
      required_action: {
        type: 'submit_tool_outputs',
        submit_tool_outputs: {
          tool_calls: [{ id: text, type: 'function', function: { name: 'look', arguments: text } }],
        },
      },
    });
    const [call] = run.required_action.submit_tool_outputs.tool_calls;
    await made(`${pathOf(run)}/submit_tool_outputs`, {
      tool_outputs: [{ tool_call_id: call.id, output: 'Seen' }],
    });
    expect(await settled(run)).toMatchObject({ status: 'completed', required_action: null, usage });
  });

  it('fails with a last error', async () => {
    const run = await settled(await begun('/fail 500'));
    expect(run).toEqual({
      ...whole(),
      status: 'failed',
      started_at: integer,
      failed_at: integer,
      last_error: { code: 'server_error', message: text },
    });
  });

  it('is incomplete where the cap on its tokens stopped it', async () => {
    const run = await settled(await begun('/long 2000', { max_completion_tokens: 256 }));
    expect(run).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_completion_tokens' },
      completed_at: null,
      usage,
    });
  });

  it('expires', async () => {
    const run = await settled(await begun('/tool', { tools: [look] }));
    clock = 601_000;
    const late = await read(pathOf(run));
    clock = 0;
    expect(late).toMatchObject({ status: 'expired', expires_at: run.expires_at, required_action: null });
    expect(await doneSteps(run)).toMatchObject([{ status: 'expired', expired_at: integer }]);
  });
});

describe('the request of a run with its thread', () => {
  it('takes every member that the specification shows', async () => {
    const file = await upload();
    const store = await made('/vector_stores', {});
    const run = await begun('Hello', {
      thread: {
        messages: [
          {
            content: 'Look at this',
            attachments: [{ file_id: file, tools: [codeTool] }],
            metadata: { from: 'ada' },
          },
        ],
        tool_resources: {
          code_interpreter: { file_ids: [file] },
          file_search: {
            vector_stores: [
              { file_ids: [file], chunking_strategy: { type: 'auto' }, metadata: { kind: 'books' } },
            ],
          },
        },
        metadata: { topic: 'books' },
      },
      tool_resources: {
        code_interpreter: { file_ids: [file] },
        file_search: { vector_store_ids: [store.id] },
      },
      truncation_strategy: { last_messages: 2 },
      tool_choice: 'none',
      stream: false,
    });
    expect(run).toMatchObject({
      tool_choice: 'none',
      truncation_strategy: { type: 'last_messages', last_messages: 2 },
    });
    expect(await settled(run)).toMatchObject({ status: 'completed' });
    const thread = await read(`/threads/${run.thread_id}`);
    expect(thread).toMatchObject({
      metadata: { topic: 'books' },
      tool_resources: { code_interpreter: { file_ids: [file] } },
    });
    const books = await read(`/vector_stores/${thread.tool_resources.file_search.vector_store_ids[0]}`);
    expect(books).toMatchObject({ metadata: { kind: 'books' }, file_counts: { total: 1 } });
    const { data } = await read(`/threads/${run.thread_id}/messages?order=asc`);
    expect(data[0]).toMatchObject({
      role: 'user',
      metadata: { from: 'ada' },
      attachments: [{ file_id: file, tools: [codeTool] }],
      content: [{ type: 'text', text: { value: 'Look at this' } }],
    });
  });

  it('is answered by the events of the run where it is to be streamed', async () => {
    const answer = await app.rest('POST', '/v1/threads/runs', {
      body: { assistant_id: assistantId, thread: { messages: [{ content: 'Hi' }] }, stream: true },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
  });

  it.each<[string, object, string, string]>([
    ['21 tools', { tools: Array(21).fill(look) }, 'tools', 'array_above_max_length'],
    ['a prompt of 255 tokens', { max_prompt_tokens: 255 }, 'max_prompt_tokens', 'integer_below_min_value'],
    [
      'an answer of 255 tokens',
      { max_completion_tokens: 255 },
      'max_completion_tokens',
      'integer_below_min_value',
    ],
    ['a temperature above 2', { temperature: 2.01 }, 'temperature', 'integer_above_max_value'],
    ['a temperature below 0', { temperature: -0.01 }, 'temperature', 'integer_below_min_value'],
    ['a top_p above 1', { top_p: 1.01 }, 'top_p', 'integer_above_max_value'],
    ['a top_p below 0', { top_p: -0.01 }, 'top_p', 'integer_below_min_value'],
    ['a tool of another type', { tools: [{ type: 'browser' }] }, 'tools[0].type', 'invalid_value'],
    ['another choice of tools', { tool_choice: 'any' }, 'tool_choice', 'invalid_value'],
    ['another form of answers', { response_format: 'yaml' }, 'response_format', 'invalid_value'],
    [
      'an unknown way to truncate',
      { truncation_strategy: { type: 'first' } },
      'truncation_strategy.type',
      'invalid_value',
    ],
    [
      'no message at all to keep',
      { truncation_strategy: { last_messages: 0 } },
      'truncation_strategy.last_messages',
      'integer_below_min_value',
    ],
    [
      'newest messages that are not counted',
      { truncation_strategy: { type: 'last_messages' } },
      'truncation_strategy.last_messages',
      'missing_required_parameter',
    ],
    ['a stream that is no boolean', { stream: 'yes' }, 'stream', 'invalid_type'],
    [
      'parallel calls that are no boolean',
      { parallel_tool_calls: 'yes' },
      'parallel_tool_calls',
      'invalid_type',
    ],
    ['a model that is no text', { model: 7 }, 'model', 'invalid_type'],
  ])('refuses %s', async (_what, members, param, code) => {
    const body = { assistant_id: assistantId, thread: { messages: [{ content: 'Hi' }] }, ...members };
    expect(await send('POST', '/threads/runs', body)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param, code, message: text } },
    });
  });

  it('takes 20 tools', async () => {
    const tools = Array.from({ length: 20 }, (_none, at) => ({
      type: 'function',
      function: { name: `look_${at}` },
    }));
    expect((await begun('Hi', { tools })).tools).toHaveLength(20);
  });
});

describe('a run step', () => {
  const step = (run: Json) => ({
    id: text,
    object: 'thread.run.step',
    created_at: integer,
    assistant_id: assistantId,
    thread_id: run.thread_id,
    run_id: run.id,
    type: 'message_creation',
    status: 'completed',
    step_details: { type: 'message_creation', message_creation: { message_id: text } },
    last_error: null,
    expires_at: integer,
    expired_at: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: integer,
    metadata: {},
    usage,
  });

  it('has every member of the table, in the envelope of lists', async () => {
    const run = await begun('Hello');
    const done = await settled(run);
    const list = await stepsOf(run);
    expect(list).toEqual({
      object: 'list',
      data: [step(run)],
      first_id: list.data[0].id,
      last_id: list.data[0].id,
      has_more: false,
    });
    expect(list.data[0].usage).toEqual(done.usage);
    const { message_id: messageId } = list.data[0].step_details.message_creation;
    expect(await read(`/threads/${run.thread_id}/messages/${messageId}`)).toMatchObject({ run_id: run.id });
  });

  it('fails with its run, and says why', async () => {
    world.provider.play(eventStream(chatFrames(['Half']).slice(0, 1)));
    const run = await settled(await begun('Hello', { model: `@${world.slug}/gpt-test` }));
    expect(run.last_error).toEqual({ code: 'server_error', message: text });
    expect((await stepsOf(run)).data).toEqual([
      {
        ...step(run),
        status: 'failed',
        last_error: run.last_error,
        failed_at: integer,
        completed_at: null,
      },
    ]);
  });

  it('is listed in either order', async () => {
    const run = await settled(await begun('/tool', { tools: [look] }));
    const [call] = run.required_action.submit_tool_outputs.tool_calls;
    await made(`${pathOf(run)}/submit_tool_outputs`, { tool_outputs: [{ tool_call_id: call.id }] });
    await settled(run);
    const idsOf = ({ data }: Json) => data.map(({ id }: Json) => id);
    const [first, second] = [await stepsOf(run, 'asc'), await stepsOf(run, 'desc')];
    expect(first.data.map(({ type }: Json) => type)).toEqual(['tool_calls', 'message_creation']);
    expect(idsOf(second)).toEqual(idsOf(first).toReversed());
    expect((await send('GET', `${pathOf(run)}/steps?order=up`)).status).toBe(400);
  });
});

describe('an assistant', () => {
  it('has every member of the table', async () => {
    const file = await upload();
    const store = await made('/vector_stores', {});
    const members = {
      name: 'n'.repeat(256),
      description: 'd'.repeat(512),
      model: '@mock/mock-1',
      instructions: 'i'.repeat(256_000),
      tools: [codeTool, searchTool, ...Array(126).fill(0).map(functionTool)],
      metadata: { team: 'search' },
      tool_resources: {
        code_interpreter: { file_ids: [file] },
        file_search: { vector_store_ids: [store.id] },
      },
      temperature: 0,
      top_p: 0,
      response_format: 'none',
    };
    const { id } = await made('/assistants', members);
    expect(await read(`/assistants/${id}`)).toEqual({
      id,
      object: 'assistant',
      created_at: integer,
      ...members,
      reasoning_effort: null,
    });
  });

  const functionTool = (_none: unknown, at: number) => ({
    type: 'function',
    function: { name: `look_${at}` },
  });

  it.each<[string, object, string]>([
    ['a name of 257 characters', { name: 'n'.repeat(257) }, 'name'],
    ['a description of 513 characters', { description: 'd'.repeat(513) }, 'description'],
    ['instructions of 256,001 characters', { instructions: 'i'.repeat(256_001) }, 'instructions'],
    ['129 tools', { tools: Array(129).fill(0).map(functionTool) }, 'tools'],
    ['a temperature above 2', { temperature: 2.01 }, 'temperature'],
    ['a temperature below 0', { temperature: -0.01 }, 'temperature'],
    ['a top_p above 1', { top_p: 1.01 }, 'top_p'],
    ['a top_p below 0', { top_p: -0.01 }, 'top_p'],
    ['another form of answers', { response_format: 'yaml' }, 'response_format'],
  ])('refuses %s', async (_what, members, param) => {
    expect(await send('POST', '/assistants', { model: '@mock/mock-1', ...members })).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param } },
    });
  });
});

async function upload(): Promise<string> {
  const form = new FormData();
  form.append('file', new File(['Books are long.'], 'books.txt'));
  form.append('purpose', 'assistants');
  const answer = await fetch(`${app.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.workspaceKey}`, 'x-gateway-provider': 'gateway' },
    body: form,
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Json).id;
}
