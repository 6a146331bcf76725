import { once } from 'node:events';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { WebSocket } from 'ws';
import { eventually } from '../../../support/eventually.ts';
import { rounds } from '../../../support/long.ts';
import { serveMcp } from '../../../support/mcp-clients.ts';
import { startMcpUpstream, tool } from '../../../support/mcp-upstream.ts';
import { callModern } from '../../../support/mcp-wire.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../../support/provider.ts';
import { startRealtimeProvider } from '../../../support/realtime-provider.ts';
import { disguises, markers } from './disguises.ts';
import { type Forbidding, markersAt, startForbidding } from './forbidding.ts';

jest.setTimeout(rounds(60_000, 1_200_000));

const COUNT = rounds(1, markers.length);

let world: Forbidding;
let client: OpenAI;
beforeAll(async () => {
  world = await startForbidding();
  client = new OpenAI({ apiKey: world.app.workspaceKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
});
afterAll(() => world.stop());

/** A marker in each disguise. */
const disguised = (): string[] =>
  Object.values(disguises).flatMap((disguise, turn) => markersAt(turn * 3, COUNT).map(disguise));
const model = () => `@${world.slug}/m`;

test('a line of a batch: it fails, and all others go on', async () => {
  world.provider.play(json(200, chatAnswer('fine')));
  const said = [...disguised(), 'a plain text'];
  const lines = said.map((content, at) =>
    JSON.stringify({
      ...{ custom_id: String(at), method: 'POST', url: '/v1/chat/completions' },
      body: { model: model(), messages: [{ role: 'user', content }] },
    }),
  );
  const file = await toFile(Buffer.from(lines.join('\n')), 'in.jsonl');
  const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' });
  const { id } = await client.batches.create({
    ...{ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  await eventually(async () => expect((await client.batches.retrieve(id)).status).toBe('completed'), 120_000);
  const { request_counts } = await client.batches.retrieve(id);
  expect(request_counts).toEqual({ total: said.length, completed: 1, failed: said.length - 1 });
  expect(world.provider.requests).toHaveLength(1);
});

test('a run: of what is said to it and what its tools say, nothing reaches the model', async () => {
  const { id: assistant_id } = await client.beta.assistants.create({
    ...{ model: model(), tools: [{ type: 'function', function: { name: 'look_up', parameters: {} } }] },
  });
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'look_up', arguments: '{}' } };
  const asking = eventStream([
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] })}\n\n`,
    'data: [DONE]\n\n',
  ]);
  for (const content of disguised()) {
    world.provider.play(eventStream(chatFrames(['fine'])));
    const { id } = await client.beta.threads.create({ messages: [{ role: 'user', content }] });
    const run = await client.beta.threads.runs.createAndPoll(id, { assistant_id });
    expect([content, run.status, world.provider.requests.length]).toEqual([content, 'failed', 0]);
  }
  for (const output of disguised().slice(0, rounds(2, 40))) {
    world.provider.play(asking);
    const { id: thread_id } = await client.beta.threads.create({
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const run = await client.beta.threads.runs.createAndPoll(thread_id, { assistant_id });
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const done = await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, {
      ...{ thread_id, tool_outputs: [{ tool_call_id: call?.id, output }] },
    });
    expect([output, done.status, world.provider.requests.length]).toEqual([output, 'failed', 1]);
  }
});

test('a run: of what may not be said, nothing is kept in the thread', async () => {
  const { id: assistant_id } = await client.beta.assistants.create({ model: model() });
  for (const content of ['fine', ...disguised().slice(0, rounds(3, 400))]) {
    world.provider.play(eventStream(chatFrames([...content])));
    const { id } = await client.beta.threads.create({ messages: [{ role: 'user', content: 'Hi' }] });
    const run = await client.beta.threads.runs.createAndPoll(id, { assistant_id });
    const { data } = await client.beta.threads.messages.list(id);
    const said = data.filter(({ role }) => role === 'assistant');
    expect([content, run.status]).toEqual([content, content === 'fine' ? 'completed' : 'failed']);
    // The words in front of a match have gone out before it came.
    for (const { status, content: parts } of said)
      expect([status, JSON.stringify(parts)]).toEqual(
        content === 'fine'
          ? ['completed', expect.stringContaining('"fine"')]
          : ['incomplete', expect.stringMatching(/"value":"(?:well, |read |go )?"/)],
      );
  }
});

test('a tool of an MCP server: neither its arguments nor its result', async () => {
  const upstream = await startMcpUpstream('modern');
  try {
    let answered = 'fine';
    let calls = 0;
    upstream.tools = [tool('say')];
    upstream.onMessage = ({ id, method }) => {
      if (method !== 'tools/call') return undefined;
      calls++;
      return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: answered }] } };
    };
    await serveMcp(world.app, 'tools', { url: upstream.url });
    for (const text of disguised()) {
      const { body } = await callModern(world.app, 'tools', 'say', { text });
      expect([text, body.result.isError]).toEqual([text, true]);
    }
    expect(calls).toBe(0);
    for (answered of disguised()) {
      const { body } = await callModern(world.app, 'tools', 'say', { text: 'fine' });
      expect([
        answered,
        body.result.isError,
        JSON.stringify(body).includes(JSON.stringify(answered)),
      ]).toEqual([...[answered, true, false]]);
    }
  } finally {
    await upstream.stop();
  }
});

test('a realtime session: in both directions, one character an event', async () => {
  const provider = await startRealtimeProvider();
  try {
    const slug = await world.makeProvider({ configurations: { custom_host: provider.url } });
    const opened = provider.session();
    const caller = new WebSocket(
      `${world.app.url.replace('http', 'ws')}/v1/realtime?model=@${slug}/gpt-realtime`,
      { headers: { 'x-gateway-api-key': world.app.workspaceKey } },
    );
    const [{ socket }] = await Promise.all([opened, once(caller, 'open')]);
    const [atCaller, atProvider]: [any[], any[]] = [[], []];
    caller.on('message', (data) => atCaller.push(JSON.parse(String(data))));
    socket.on('message', (data) => atProvider.push(JSON.parse(String(data))));
    const all = disguised();
    for (const text of all) {
      const content = [{ type: 'input_text', text }];
      caller.send(JSON.stringify({ type: 'conversation.item.create', item: { type: 'message', content } }));
    }
    caller.send(JSON.stringify({ type: 'response.create' }));
    await eventually(async () => expect(atProvider).toEqual([{ type: 'response.create' }]));
    for (const [at, text] of all.entries()) {
      const about = { response_id: `r${at}`, item_id: `i${at}`, output_index: 0, content_index: 0 };
      socket.send(JSON.stringify({ type: 'response.created', response: { id: about.response_id } }));
      for (const delta of `all is well and good so far, ${text}`)
        socket.send(JSON.stringify({ type: 'response.output_text.delta', ...about, delta }));
      const response = { id: about.response_id, status: 'completed', output: [{ content: [{ text }] }] };
      socket.send(JSON.stringify({ type: 'response.done', response }));
    }
    const ends = () =>
      atCaller.filter(({ type }) => type === 'response.done').map(({ response }) => response.status);
    await eventually(async () => expect(ends()).toEqual(all.map(() => 'incomplete')), 120_000);
    const said = atCaller.flatMap(({ delta }) => delta ?? []).join('');
    for (const marker of markers) expect(said).not.toContain(marker);
    caller.terminate();
  } finally {
    await provider.stop();
  }
});
