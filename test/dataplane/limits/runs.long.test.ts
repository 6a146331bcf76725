import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../../support/provider.ts';
import { startWorld, until, type World } from '../../support/world.ts';
import {
  aBound,
  countedFrames,
  ended,
  exactly,
  limits,
  NONE,
  times,
  USED,
  type Used,
  usage,
} from './counted.ts';
import { keyWith, type Limits } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const good = Array.from({ length: 50 }, (_, at) => `good word ${at} `);

/** A model that answers a call streamed or whole, as it is asked to. */
const either =
  (frames: string[], whole: object): Script =>
  (request, response, raw) =>
    (JSON.parse(request.body.toString()).stream ? eventStream(frames) : json(200, whole))(
      request,
      response,
      raw,
    );
const speaks = either(countedFrames(good), chatAnswer('hello', usage));
const fails = json(500, { error: { message: 'down' } });
const refuses = json(400, { error: { message: 'no' } });
/** Begins an answer and says nothing more. */
const stalls: Script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of chatFrames(good).slice(0, -2)) response.write(frame);
};
const breaksOff: Script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chatFrames(good)[1] ?? '');
  setTimeout(() => response.destroy(), 20);
};

const calls = [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }];
const asksForTool = either(
  [
    { choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...calls[0] }] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage },
  ]
    .map((chunk) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o', ...chunk }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n'),
  {
    ...chatAnswer('', usage),
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: null, tool_calls: calls },
      },
    ],
  },
);

async function caller(given: Limits = limits) {
  const { id, key } = await keyWith(world, given);
  const client = new OpenAI({ apiKey: key, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
  return { id, client, model: `@${world.slug}/gpt-4o` };
}

const weather = { type: 'function' as const, function: { name: 'weather' } };

/** A run of a new thread by an assistant with a function. */
async function newRun({ client, model }: Awaited<ReturnType<typeof caller>>) {
  const assistant = await client.beta.assistants.create({ model, tools: [weather] });
  return client.beta.threads.createAndRun({
    assistant_id: assistant.id,
    thread: { messages: [{ role: 'user', content: 'hello' }] },
  });
}

type Run = Awaited<ReturnType<typeof newRun>>;
const statusOf = ({ client }: { client: OpenAI }, { id, thread_id }: Run) =>
  client.beta.threads.runs.retrieve(id, { thread_id });
const over = (at: { client: OpenAI }, run: Run, status: string) =>
  eventually(async () => {
    const now = await statusOf(at, run);
    expect(now.status).toBe(status);
    return now;
  });

async function bringOutputs(at: { client: OpenAI }, run: Run) {
  const { required_action } = await statusOf(at, run);
  const [asked] = required_action?.submit_tool_outputs.tool_calls ?? [];
  await at.client.beta.threads.runs.submitToolOutputs(run.id, {
    thread_id: run.thread_id,
    tool_outputs: [{ tool_call_id: asked?.id, output: 'Rain' }],
  });
}

describe('nothing stays reserved after a run', () => {
  const endings: [string, Script, string, (used: Used) => void][] = [
    ['that completes', speaks, 'completed', exactly(USED)],
    ['whose provider refuses', refuses, 'failed', exactly(NONE)],
    ['whose provider fails', fails, 'failed', exactly(NONE)],
    ['whose answer breaks off', breaksOff, 'failed', ({ requests }) => expect(requests).toBeGreaterThan(0)],
  ];
  it.each(endings)('%s', async (_what, script, status, check) => {
    const at = await caller();
    world.provider.play(script);
    await over(at, await newRun(at), status);
    await ended(world, at.id, check);
  });

  it('that is cancelled while the model speaks', async () => {
    const at = await caller();
    world.provider.play(stalls);
    const run = await newRun(at);
    await until(() => world.provider.requests.length > 0);
    await at.client.beta.threads.runs.cancel(run.id, { thread_id: run.thread_id });
    await over(at, run, 'cancelled');
    await ended(world, at.id, aBound);
  });

  it('that waits for outputs and goes on with them: each turn is counted', async () => {
    const at = await caller();
    world.provider.play(asksForTool, speaks);
    const run = await newRun(at);
    await over(at, run, 'requires_action');
    await ended(world, at.id, exactly(USED));
    await bringOutputs(at, run);
    await over(at, run, 'completed');
    await ended(world, at.id, exactly(times(USED, 2)));
  });

  it('whose thread is deleted while the model speaks', async () => {
    const at = await caller();
    world.provider.play(stalls);
    const run = await newRun(at);
    await until(() => world.provider.requests.length > 0);
    await at.client.beta.threads.delete(run.thread_id);
    await ended(world, at.id, aBound);
  });

  it('whose second turn finds the budget spent, which the run says', async () => {
    const at = await caller({ usage: [{ type: 'requests', creditLimit: 1, waitMs: 0 }] });
    world.provider.play(asksForTool, speaks);
    const run = await newRun(at);
    await over(at, run, 'requires_action');
    await bringOutputs(at, run);
    const { last_error } = await over(at, run, 'failed');
    expect(last_error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('usage limit'),
    });
    expect(world.provider.requests).toHaveLength(1);
    await ended(world, at.id, ({ requests }) => expect(requests).toBe(1));
  });
});

describe('nothing stays reserved after a response in background', () => {
  const ask = ({ client, model }: Awaited<ReturnType<typeof caller>>) =>
    client.responses.create({ model, input: 'hello', background: true, store: true });
  const till = ({ client }: { client: OpenAI }, id: string, status: string) =>
    eventually(async () => expect((await client.responses.retrieve(id)).status).toBe(status));

  const output = [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'hello', annotations: [] }],
    },
  ];
  const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o', output };
  const counts = { input_tokens: 3, output_tokens: 5, total_tokens: 8 };
  const completed = {
    type: 'response.completed',
    sequence_number: 0,
    response: { ...response, usage: counts },
  };
  const responds = either(
    [`event: response.completed\ndata: ${JSON.stringify(completed)}\n\n`],
    completed.response,
  );
  const endings: [string, Script, string, (used: Used) => void][] = [
    ['that completes', responds, 'completed', exactly(USED)],
    ['whose provider refuses', refuses, 'failed', exactly(NONE)],
    ['whose provider fails', fails, 'failed', exactly(NONE)],
  ];
  it.each(endings)('%s', async (_what, script, status, check) => {
    const at = await caller();
    world.provider.play(script);
    const { id } = await ask(at);
    await till(at, id, status);
    await ended(world, at.id, check);
  });

  it('that is cancelled while the model speaks', async () => {
    const at = await caller();
    world.provider.play(stalls);
    const { id } = await ask(at);
    await until(() => world.provider.requests.length > 0);
    await at.client.responses.cancel(id);
    await till(at, id, 'cancelled');
    await ended(world, at.id, aBound);
  });
});
