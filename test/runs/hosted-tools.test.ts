import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { ToolFailed } from '../../src/runs/deps.ts';
import type { HostedTool } from '../../src/runs/index.ts';
import { startAppWith, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const marker = '【0:0†a.txt】';
const result = { file_id: 'file-a', file_name: 'a.txt', score: 0.5 };
const contents = [{ type: 'text', text: 'Alpha' }];
let calls = 0;
/** How searches of the present test end. */
let search: 'found' | 'empty' | 'fails' | 'waits' = 'found';

const fileSearch: HostedTool = {
  type: 'file_search',
  offer: async () =>
    search === 'empty'
      ? []
      : [
          {
            definition: {
              name: 'file_search',
              parameters: {
                type: 'object',
                properties: { queries: { type: 'array', items: { type: 'string' } } },
              },
            },
          },
        ],
  async call(_call, { tell, signal }) {
    calls++;
    if (search === 'fails') throw new ToolFailed('The vector store vs_1 has expired.');
    if (search === 'waits')
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('gone'))),
      );
    const details = { results: [{ ...result, content: contents }] };
    tell(details);
    const citation = { type: 'file_citation', file_citation: { file_id: 'file-a' } };
    return { output: `${marker} Alpha`, details, citations: [{ marker, annotation: citation }] };
  },
};

const codeInterpreter: HostedTool = {
  type: 'code_interpreter',
  offer: async () => [
    {
      definition: {
        name: 'code_interpreter',
        parameters: { type: 'object', properties: { code: { type: 'string' } } },
      },
    },
  ],
  async call({ arguments: given }, { tell }) {
    const { code: input } = JSON.parse(given) as { code: string };
    const outputs = [{ type: 'logs', logs: '2\n' }];
    tell({ input });
    tell({ outputs: [{ index: 0, ...outputs[0] }] });
    const part = { type: 'image_file', image_file: { file_id: 'file-i', detail: 'auto' } } as const;
    return { output: '2', details: { input, outputs }, parts: [part] };
  },
};

let app: TestApp;
let client: OpenAI;
beforeAll(async () => {
  app = await startAppWith({ hostedTools: [fileSearch, codeInterpreter] });
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
});
afterAll(() => app.stop());

const weather = { type: 'function', function: { name: 'weather' } } as const;
const assistant = async (...tools: object[]) =>
  (await client.beta.assistants.create({ model: '@mock/mock-1', tools: tools as never })).id;
const thread = async (content: string) =>
  (await client.beta.threads.create({ messages: [{ role: 'user', content }] })).id;
const callsOf = (step: { step_details: object } | undefined) => (step?.step_details as any)?.tool_calls;
const newest = async (threadId: string) => (await client.beta.threads.messages.list(threadId)).data[0];
const include = ['step_details.tool_calls[*].file_search.results[*].content' as const];
const steps = async (threadId: string, runId: string, more: object = {}) =>
  (await client.beta.threads.runs.steps.list(runId, { thread_id: threadId, order: 'asc', ...more })).data;
const sumOf = (counts: (number | undefined)[]) =>
  counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);

describe('a hosted tool', () => {
  it('is called by the gateway, and the answer cites what it found', async () => {
    search = 'found';
    const [id, threadId] = [await assistant({ type: 'file_search' }), await thread('/search Alpha')];
    const names: string[] = [];
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    for await (const { event } of stream) names.push(event);
    expect(names.slice(2, 10)).toEqual([
      'thread.run.in_progress',
      'thread.run.step.created',
      'thread.run.step.in_progress',
      'thread.run.step.delta',
      'thread.run.step.delta',
      'thread.run.step.completed',
      'thread.run.step.created',
      'thread.run.step.in_progress',
    ]);
    const run = await stream.finalRun();
    expect(run.status).toBe('completed');
    const text = { value: `Alpha ${marker}`, annotations: [annotationAt(6)] };
    expect((await stream.finalMessages())[0]?.content).toMatchObject([{ type: 'text', text }]);
    expect((await newest(threadId))?.content).toEqual([{ type: 'text', text }]);
    const [searched, said] = await steps(threadId, run.id);
    expect(searched).toMatchObject({ type: 'tool_calls', status: 'completed' });
    expect(callsOf(searched)).toEqual([
      { id: expect.stringMatching(/^call_/), type: 'file_search', file_search: { results: [result] } },
    ]);
    expect(sumOf([searched?.usage?.total_tokens, said?.usage?.total_tokens])).toBe(run.usage?.total_tokens);
    const [whole] = await steps(threadId, run.id, { include });
    expect(callsOf(whole)[0].file_search.results).toEqual([{ ...result, content: contents }]);
  });

  const annotationAt = (start: number) => ({
    type: 'file_citation',
    text: marker,
    start_index: start,
    end_index: start + marker.length,
    file_citation: { file_id: 'file-a' },
  });

  it('makes images, with which the message begins', async () => {
    const [id, threadId] = [await assistant({ type: 'code_interpreter' }), await thread('/python 1 + 1')];
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    const run = await stream.finalRun();
    const content = [
      { type: 'image_file', image_file: { file_id: 'file-i', detail: 'auto' } },
      { type: 'text', text: { value: '2', annotations: [] } },
    ];
    expect((await stream.finalMessages())[0]?.content).toMatchObject(content);
    expect((await newest(threadId))?.content).toEqual(content);
    const [ran] = await steps(threadId, run.id);
    const member = { input: '1 + 1', outputs: [{ type: 'logs', logs: '2\n' }] };
    expect(callsOf(ran)).toMatchObject([{ code_interpreter: member }]);
    const [streamed] = await stream.finalRunSteps();
    expect(callsOf(streamed)).toMatchObject([{ code_interpreter: member }]);
  });

  it('is run before the caller is asked for the functions of the same turn', async () => {
    search = 'found';
    const id = await assistant(weather, { type: 'file_search' }, { type: 'code_interpreter' });
    const threadId = await thread('/tools');
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    const run = await stream.finalRun();
    expect(run.status).toBe('requires_action');
    const calls = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(calls.map((call) => call.function.name)).toEqual(['weather']);
    const before = await steps(threadId, run.id);
    expect(before.map(({ status, step_details: of }) => [status, (of as any).tool_calls.length])).toEqual([
      ['completed', 2],
      ['in_progress', 1],
    ]);
    const done = await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, {
      thread_id: threadId,
      tool_outputs: [{ tool_call_id: calls[0]?.id ?? '', output: 'Rain' }],
    });
    expect(done.status).toBe('completed');
    const after = await steps(threadId, run.id);
    expect(after.map(({ status, step_details: of }) => [status, of.type])).toEqual([
      ['completed', 'tool_calls'],
      ['completed', 'tool_calls'],
      ['completed', 'message_creation'],
    ]);
    expect(callsOf(after[1])).toMatchObject([
      { type: 'function', function: { name: 'weather', output: 'Rain' } },
    ]);
    expect(sumOf(after.map(({ usage }) => usage?.total_tokens))).toBe(done.usage?.total_tokens);
  });

  it('can be asked for by name, and is not where nothing is at hand', async () => {
    const [id, threadId] = [await assistant({ type: 'file_search' }, weather), await thread('Alpha')];
    const run = () =>
      client.beta.threads.runs.createAndPoll(threadId, {
        assistant_id: id,
        tool_choice: { type: 'file_search' },
        tools: [{ type: 'file_search' }],
      });
    search = 'found';
    const searched = await run();
    expect((await steps(threadId, searched.id)).map(({ type }) => type)).toEqual([
      'tool_calls',
      'message_creation',
    ]);
    search = 'empty';
    const spoken = await run();
    expect((await steps(threadId, spoken.id)).map(({ type }) => type)).toEqual(['message_creation']);
  });

  it('goes under another name beside a function that has its own', async () => {
    search = 'found';
    const own = { type: 'function', function: { name: 'file_search' } };
    const [id, threadId] = [await assistant(own, { type: 'file_search' }), await thread('/tools')];
    const run = await client.beta.threads.runs.createAndPoll(threadId, { assistant_id: id });
    expect(run.required_action?.submit_tool_outputs.tool_calls).toHaveLength(1);
    expect((await steps(threadId, run.id)).map(({ status }) => status)).toEqual(['completed', 'in_progress']);
  });

  it('fails its run where it cannot work', async () => {
    search = 'fails';
    const [id, threadId] = [await assistant({ type: 'file_search' }), await thread('/search Alpha')];
    const run = await client.beta.threads.runs.stream(threadId, { assistant_id: id }).finalRun();
    expect(run).toMatchObject({
      status: 'failed',
      last_error: { code: 'server_error', message: 'The vector store vs_1 has expired.' },
    });
    expect(await steps(threadId, run.id)).toMatchObject([{ type: 'tool_calls', status: 'failed' }]);
  });

  it('stops with its run', async () => {
    search = 'waits';
    const [id, threadId] = [await assistant({ type: 'file_search' }), await thread('/search Alpha')];
    const stream = client.beta.threads.runs.stream(threadId, { assistant_id: id });
    for await (const { event, data } of stream)
      if (event === 'thread.run.step.delta') {
        const [{ id: runId = '' } = {}] = (await client.beta.threads.runs.list(threadId)).data;
        expect(data.delta.step_details?.type).toBe('tool_calls');
        await client.beta.threads.runs.cancel(runId, { thread_id: threadId });
      }
    const run = await stream.finalRun();
    expect(run.status).toBe('cancelled');
    await eventually(async () =>
      expect(await steps(threadId, run.id)).toMatchObject([{ type: 'tool_calls', status: 'cancelled' }]),
    );
  });

  it('that the gateway does not have is refused by name', async () => {
    const [id, threadId] = [await assistant(), await thread('x')];
    const asked = client.beta.threads.runs.create(threadId, {
      assistant_id: id,
      tools: [{ type: 'file_search' }],
      tool_choice: { type: 'code_interpreter' },
    });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
  });
});

it('a call is made again where its process has died, and the model is not asked again', async () => {
  search = 'waits';
  calls = 0;
  const [id, threadId] = [await assistant({ type: 'file_search' }), await thread('/search Alpha')];
  const { id: runId } = await client.beta.threads.runs.create(threadId, { assistant_id: id });
  await eventually(async () => expect(calls).toBe(1));
  search = 'found';
  await app.db.collection('runs').updateOne({ _id: runId as never }, { $set: { owner: 'dead' } });
  await app.db.collection('run_instances').insertOne({ _id: 'dead' as never, seenAt: new Date(0) });
  await eventually(async () =>
    expect((await client.beta.threads.runs.retrieve(runId, { thread_id: threadId })).status).toBe(
      'completed',
    ),
  );
  expect(calls).toBe(2);
  expect((await steps(threadId, runId)).map(({ type, status }) => [type, status])).toEqual([
    ['tool_calls', 'completed'],
    ['message_creation', 'completed'],
  ]);
  await app.logged();
  expect(await app.db.collection('logs').countDocuments({ traceId: runId })).toBe(2);
});
