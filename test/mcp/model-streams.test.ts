import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import { json } from '../support/provider.ts';
import {
  chunks,
  eventsOf,
  functionItem,
  type ModelWorld,
  messageItem,
  responseOf,
  responseStream,
  startModelWorld,
  streamOf,
  words,
} from './model-world.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

let world: ModelWorld;
beforeAll(async () => {
  world = await startModelWorld();
});
afterAll(() => world.stop());

const callDelta = (index: number, id: string, name: string, text: string): Json => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
});

describe('check 36: chat completions that are streamed', () => {
  const ask = (tools: unknown[], more: Json = {}) =>
    world.ask('/v1/chat/completions', {
      ...{ messages: [{ role: 'user', content: 'a fox?' }], tools, stream: true, ...more },
    });

  it('say what the model says in all rounds, and nothing of the calls that the gateway makes', async () => {
    world.provider.play(
      chunks(
        [
          { role: 'assistant', content: 'Let me see. ' },
          callDelta(0, 'call_1', 'words__look_up', '{"wo'),
          { tool_calls: [{ index: 0, function: { arguments: 'rd":"fox"}' } }] },
        ],
        'tool_calls',
      ),
      chunks([{ role: 'assistant', content: 'An ' }, { content: 'animal.' }], 'stop'),
    );
    const { status, headers, text } = await ask([words()], { stream_options: { include_usage: true } });
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/event-stream')]);
    const events = eventsOf(text);
    const choices = events.flatMap((event) => event.choices);
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('Let me see. An animal.');
    expect(choices.filter(({ delta }) => delta.role)).toHaveLength(1);
    expect(text).not.toContain('words__look_up');
    expect(choices.flatMap(({ finish_reason: finish }) => finish ?? [])).toEqual(['stop']);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 16 } });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(world.sent()[1]?.messages.at(-1)).toEqual({
      ...{ role: 'tool', tool_call_id: 'call_1', content: 'look.up of fox' },
    });
  });

  it('leave functions of the caller to the caller, with results of their own beside', async () => {
    const mine = { type: 'function', function: { name: 'mine', parameters: { type: 'object' } } };
    world.provider.play(
      chunks(
        [callDelta(0, 'call_1', 'words__look_up', '{"word":"fox"}'), callDelta(1, 'call_2', 'mine', '{}')],
        'tool_calls',
      ),
    );
    const { text } = await ask([mine, words()]);
    const events = eventsOf(text);
    const calls = events.flatMap((event) =>
      event.choices.flatMap(({ delta }: Json) => delta.tool_calls ?? []),
    );
    expect(calls.map(({ id }: Json) => id).sort()).toEqual(['call_1', 'call_2']);
    expect(events.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'tool_calls' }],
      gateway_tool_messages: [{ tool_call_id: 'call_1', content: 'look.up of fox' }],
    });
    expect(world.sent()).toHaveLength(1);
  });

  it('are an error as any other before they begin, and tell one that comes later', async () => {
    world.provider.play(json(400, { error: { message: 'no such model' } }));
    expect(await ask([words()])).toMatchObject({ status: 400, json: { error: expect.anything() } });
    world.provider.play(
      chunks([callDelta(0, 'call_1', 'words__look_up', '{"word":"fox"}')], 'tool_calls'),
      json(400, { error: { message: 'too long now' } }),
    );
    const { status, text } = await ask([words()]);
    expect(status).toBe(200);
    expect(eventsOf(text).at(-1)?.error.message).toContain('too long now');
  });
});

describe('check 35: responses that are streamed', () => {
  const events = async (more: Json = {}) => {
    const { text } = await world.ask('/v1/responses', {
      ...{ input: 'a fox?', tools: [words()], stream: true, ...more },
    });
    return eventsOf(text);
  };

  it('tell lists, calls and words in order, as one response', async () => {
    const call = functionItem('call_1', 'words__look_up', { word: 'fox' });
    world.provider.play(
      responseStream(responseOf([messageItem('Let me see.'), call])),
      responseStream(responseOf([messageItem('An animal.')], 'resp_2')),
    );
    const told = await events();
    expect(told.map(({ sequence_number: at }) => at)).toEqual(told.map((_event, at) => at));
    expect(told.map(({ type, output_index: at }) => [type.replace('response.', ''), at])).toEqual([
      ...[['created'], ['in_progress']].map(([type]) => [type, undefined]),
      ['output_item.added', 0],
      ['mcp_list_tools.in_progress', 0],
      ['mcp_list_tools.completed', 0],
      ['output_item.done', 0],
      ['output_item.added', 1],
      ['content_part.added', 1],
      ['output_text.delta', 1],
      ['output_item.done', 1],
      ['output_item.added', 2],
      ['mcp_call_arguments.delta', 2],
      ['mcp_call_arguments.done', 2],
      ['mcp_call.in_progress', 2],
      ['mcp_call.completed', 2],
      ['output_item.done', 2],
      ['output_item.added', 3],
      ['content_part.added', 3],
      ['output_text.delta', 3],
      ['output_item.done', 3],
      ['completed', undefined],
    ]);
    const { response } = told.at(-1) ?? {};
    expect(response.output.map(({ type }: Json) => type)).toEqual([
      ...['mcp_list_tools', 'message', 'mcp_call', 'message'],
    ]);
    expect(told.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toEqual(
      response.output,
    );
    expect(response.output[2]).toMatchObject({ output: 'look.up of fox', status: 'completed', error: null });
    expect(response).toMatchObject({ id: 'resp_1', usage: { total_tokens: 16 }, tools: [words()] });
  });

  it('are read by the SDK of OpenAI', async () => {
    const call = functionItem('call_1', 'words__look_up', { word: 'fox' });
    world.provider.play(
      responseStream(responseOf([call])),
      responseStream(responseOf([messageItem('An animal.')], 'resp_2')),
    );
    const { app, slug } = world;
    const client = new OpenAI({
      ...{ baseURL: `${app.url}/v1`, apiKey: app.workspaceKey },
      defaultHeaders: { 'x-gateway-provider': `@${slug}` },
    });
    const stream = client.responses.stream({ model: 'gpt-test', input: 'a fox?', tools: [words() as never] });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toContain('response.mcp_call.completed');
    const { output_text: text } = await stream.finalResponse();
    expect(text).toBe('An animal.');
  });

  it('leave functions of the caller to the caller', async () => {
    const own = functionItem('call_1', 'words__look_up', { word: 'fox' });
    world.provider.play(responseStream(responseOf([own, functionItem('call_2', 'mine', {})])));
    const told = await events({ tools: [words(), { type: 'function', name: 'mine', parameters: {} }] });
    expect(told.at(-1)?.response.output.map(({ type }: Json) => type)).toEqual([
      ...['mcp_list_tools', 'mcp_call', 'function_call'],
    ]);
  });
});

describe('messages that are streamed', () => {
  it('have the blocks of all rounds in one message', async () => {
    const block = (index: number, content_block: Json, ...deltas: Json[]) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
    const message = (stop: string, ...blocks: Json[][]) =>
      streamOf(
        {
          type: 'message_start',
          message: {
            ...{ id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'gpt-test' },
            ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 3, output_tokens: 1 } },
          },
        },
        ...blocks.flat(),
        {
          ...{ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null } },
          usage: { output_tokens: 5 },
        },
        { type: 'message_stop' },
      );
    const anthropic = await world.makeProvider({ ai_provider_id: 'anthropic' });
    world.provider.play(
      message(
        'tool_use',
        block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Let me see.' }),
        block(
          1,
          { type: 'tool_use', id: 'tu_1', name: 'words__look_up', input: {} },
          { type: 'input_json_delta', partial_json: '{"word":"fox"}' },
        ),
      ),
      message('end_turn', block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'An animal.' })),
    );
    const { text } = await world.call({
      path: '/v1/messages',
      config: { provider: `@${anthropic}` },
      body: {
        ...{ model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content: 'a fox?' }] },
        ...{
          stream: true,
          mcp_servers: [{ type: 'url', name: '@gateway-mcp/words', url: 'https://g.example' }],
        },
      },
    });
    const told = eventsOf(text);
    expect(told.filter(({ type }) => type === 'content_block_start').map((event) => event)).toMatchObject([
      { index: 0, content_block: { type: 'text' } },
      {
        index: 1,
        content_block: { type: 'mcp_tool_use', name: 'look.up', server_name: '@gateway-mcp/words' },
      },
      { index: 2, content_block: { type: 'mcp_tool_result', tool_use_id: 'tu_1', is_error: false } },
      { index: 3, content_block: { type: 'text' } },
    ]);
    expect(told.map(({ type }) => type).filter((type) => type.startsWith('message'))).toEqual([
      ...['message_start', 'message_delta', 'message_stop'],
    ]);
    expect(told.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 6, output_tokens: 10 },
    });
    expect(world.sent()[1]?.messages.at(-1).content[0]).toMatchObject({
      ...{ type: 'tool_result', tool_use_id: 'tu_1', content: 'look.up of fox' },
    });
  });
});
