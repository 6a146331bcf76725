import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { eventStream, json } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { startWorld, type World } from '../../support/world.ts';
import { cachedUsage, chatStream, chatWith, weatherCall } from './chat-streams.ts';

/** OpenAI's official client on a provider that speaks chat only. */
let world: World;
let client: OpenAI;
let model: string;

beforeAll(async () => {
  world = await startWorld();
  model = `@${await world.makeProvider({ ai_provider_id: 'together-ai' })}/gpt-test`;
  client = new OpenAI({ baseURL: `${world.app.url}/v1`, apiKey: world.app.workspaceKey, maxRetries: 0 });
});
afterAll(() => world.stop());

const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'weather',
    description: 'Of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: true,
  },
];

const create = (more: Partial<ResponseCreateParamsNonStreaming> = {}) =>
  client.responses.create({ model, input: 'Hello', ...more });

/** The body that reached the provider. */
const sent = () => JSON.parse(String(world.provider.requests[0]?.body));

/** Nested in 200 levels. */
const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);

const thrown = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe('a request', () => {
  test('goes to chat completions with what chat has for it, and without the rest', async () => {
    world.provider.play(json(200, chatWith({ content: '{}' })));
    await create({
      instructions: 'Be brief',
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      user: 'u-1',
      metadata: { a: 'b' },
      store: false,
      truncation: 'auto',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'city', schema: { type: 'object' }, strict: true } },
      tools,
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
    });
    const [request] = world.provider.requests;
    expect([request?.method, request?.url]).toEqual(['POST', '/v1/chat/completions']);
    expect(sent()).toEqual({
      model: 'gpt-test',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
      max_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      user: 'u-1',
      reasoning_effort: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', schema: { type: 'object' }, strict: true },
      },
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'Of a city',
            parameters: tools[0]?.parameters,
            strict: true,
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
    });
  });

  test('with images, files, tool calls and their results keeps all of them', async () => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    const url = 'data:image/png;base64,iVBO';
    const call = (id: string) =>
      ({ type: 'function_call', call_id: id, name: 'weather', arguments: '{"city":"Bern"}' }) as const;
    const input: ResponseInput = [
      { role: 'developer', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: url, detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I ask', annotations: [] }],
      },
      call('call_1'),
      call('call_2'),
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      {
        type: 'function_call_output',
        call_id: 'call_2',
        output: [
          { type: 'input_text', text: 'a picture' },
          { type: 'input_image', image_url: url },
        ],
      },
      call('call_3'),
      { type: 'function_call_output', call_id: 'call_3', output: 'rain' },
    ];
    await create({ input });
    const made = (id: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Bern"}' },
    });
    expect(sent().messages).toEqual([
      { role: 'system', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        ],
      },
      { role: 'assistant', content: 'I ask', tool_calls: [made('call_1'), made('call_2')] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_2', content: 'a picture' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of the tool call call_2:' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [made('call_3')] },
      { role: 'tool', tool_call_id: 'call_3', content: 'rain' },
    ]);
  });

  test.each<[string, object, string]>([
    ['a built-in tool', { tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    ['what the provider would have to keep', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['a reference to an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].type'],
    ['a role that is none', { input: [{ role: 'robot', content: 'a' }] }, 'input[0].role'],
    ['no input', { input: undefined }, 'input'],
    [
      'content of an unknown type',
      { input: [{ role: 'user', content: [{ type: 'smell' }] }] },
      'input[0].content[0].type',
    ],
    [
      'a file by URL',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.b' }] }] },
      'input[0].content[0].file_url',
    ],
    ['a choice of tool that is none', { tools, tool_choice: { type: 'hosted' } }, 'tool_choice'],
    ['metadata that nobody can write again', { metadata: deep }, 'metadata'],
    ['a format that is none', { text: { format: { type: 'xml' } } }, 'text.format.type'],
  ])('with %s is refused before it is sent, and the field is named', async (_what, more, param) => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    const error = await thrown(create(more));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, param, type: 'invalid_request_error' });
    expect(world.provider.requests).toEqual([]);
  });

  test('for work in the background by a provider that has none is refused before it is sent', async () => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    const headers = { 'x-gateway-provider': model.split('/')[0] };
    const error = await thrown(
      client.responses.create({ model: 'gpt-test', input: 'Hello', background: true }, { headers }),
    );
    expect(error).toMatchObject({ status: 400, param: 'background', type: 'invalid_request_error' });
    expect(world.provider.requests).toEqual([]);
  });
});

describe('an answer', () => {
  const message = (content: object[], status = 'completed') => ({
    type: 'message',
    role: 'assistant',
    status,
    content,
    id: expect.stringMatching(/^msg_/),
  });
  const text = (said: string) => ({ type: 'output_text', text: said, annotations: [], logprobs: [] });
  const call = {
    type: 'function_call',
    id: expect.stringMatching(/^fc_/),
    call_id: 'call_1',
    name: 'weather',
    arguments: '{"city":"Bern"}',
    status: 'completed',
  };

  test.each<[string, object, object[], object]>([
    ['text', chatWith({ content: 'Hi' }), [message([text('Hi')])], { status: 'completed' }],
    [
      'text cut short',
      chatWith({ content: 'Hi' }, 'length'),
      [message([text('Hi')], 'incomplete')],
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ],
    [
      'a filter',
      chatWith({}, 'content_filter'),
      [],
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ],
    ['a refusal', chatWith({ refusal: 'No' }), [message([{ type: 'refusal', refusal: 'No' }])], {}],
    [
      'a tool call beside text and thoughts',
      chatWith({ content: 'I ask', reasoning: 'hm', tool_calls: [weatherCall] }, 'tool_calls'),
      [
        {
          type: 'reasoning',
          id: expect.stringMatching(/^rs_/),
          status: 'completed',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'hm' }],
        },
        message([text('I ask')]),
        call,
      ],
      { status: 'completed' },
    ],
  ])('with %s is a response', async (_what, chat, output, expected) => {
    world.provider.play(json(200, chat));
    const response = await create({ tools, metadata: { a: 'b' }, max_output_tokens: 50 });
    expect(response).toMatchObject({
      id: 'resp_7',
      object: 'response',
      created_at: 1_700_000_000,
      model: 'gpt-test',
      error: null,
      tools,
      tool_choice: 'auto',
      metadata: { a: 'b' },
      max_output_tokens: 50,
      store: false,
      ...expected,
    });
    expect(response.output).toEqual(output);
    expect(response.usage).toEqual({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    });
  });

  test('in a JSON schema is parsed by the official client', async () => {
    world.provider.play(json(200, chatWith({ content: '{"city":"Bern"}' })));
    const response = await client.responses.parse({
      model,
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', schema: { type: 'object' } } },
    });
    expect([response.output_text, response.output_parsed]).toEqual(['{"city":"Bern"}', { city: 'Bern' }]);
  });

  test('with a tool call leads to a next turn', async () => {
    world.provider.play(
      json(200, chatWith({ tool_calls: [weatherCall] }, 'tool_calls')),
      json(200, chatWith({ content: 'Sunny' })),
    );
    const asked = await create({ tools });
    const input: ResponseInput = [
      { role: 'user', content: 'Hello' },
      ...(asked.output as ResponseInput),
      { type: 'function_call_output', call_id: 'call_1', output: 'sun' },
    ];
    expect((await create({ tools, input })).output_text).toBe('Sunny');
    const next = JSON.parse(String(world.provider.requests[1]?.body));
    expect(next.messages.slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [weatherCall] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
    ]);
  });

  test('that is an error of the provider keeps its status, type, field and code', async () => {
    const error = {
      message: 'Too long.',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'too_long',
    };
    world.provider.play(json(400, { error }));
    expect(await thrown(create())).toMatchObject({ status: 400, param: 'messages', code: 'too_long' });
    world.provider.play((_request, response) => {
      response.writeHead(503).end('<html>down</html>');
    });
    expect(await thrown(create())).toMatchObject({ status: 503, type: 'server_error' });
  });

  test.each([
    ['read', () => client.responses.retrieve('resp_1', {}, { headers: named() })],
    ['deleted', () => client.responses.delete('resp_1', { headers: named() })],
  ])('is not kept, so it cannot be %s', async (_how, call) => {
    world.provider.play(json(200, {}));
    expect(await thrown(call())).toMatchObject({ status: 400, code: 'unsupported_endpoint' });
    expect(world.provider.requests).toEqual([]);
  });

  const named = () => ({ 'x-gateway-provider': model.split('/')[0] ?? '' });
});

describe('a stream', () => {
  const events = async (more: object = {}) => {
    const found: ResponseStreamEvent[] = [];
    const stream = await client.responses.create({ model, input: 'Hello', stream: true, ...more });
    for await (const event of stream) found.push(event);
    return found;
  };

  test('of text has the events of the official API, numbered', async () => {
    world.provider.play(
      eventStream(
        chatStream([{ content: '' }, { content: 'Hi ' }, { content: 'there' }], 'stop', cachedUsage),
      ),
    );
    const found = await events();
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(found.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(found.map(({ sequence_number }) => sequence_number)).toEqual(found.map((_event, index) => index));
    expect(found.find(({ type }) => type === 'response.output_text.done')).toMatchObject({
      text: 'Hi there',
    });
    expect(found.at(-1)).toMatchObject({ response: { status: 'completed', usage: { total_tokens: 120 } } });
  });

  test('of thoughts, text and tool calls is what the official client makes a response of', async () => {
    const piece = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
    const head = { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '' } }] };
    world.provider.play(
      eventStream(
        chatStream(
          [{ reasoning_content: 'hm' }, { content: 'I ask' }, head, piece('{"city":'), piece('"Bern"}')],
          'tool_calls',
        ),
      ),
    );
    const argumentsSeen: string[] = [];
    const response = await client.responses
      .stream({ model, input: 'Hello', tools })
      .on('response.function_call_arguments.delta', ({ delta }) => argumentsSeen.push(delta))
      .finalResponse();
    expect(argumentsSeen).toEqual(['{"city":', '"Bern"}']);
    expect(response.output).toMatchObject([
      { type: 'reasoning', content: [{ text: 'hm' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'I ask' }] },
      { type: 'function_call', call_id: 'call_1', parsed_arguments: { city: 'Bern' } },
    ]);
    expect(response.output_text).toBe('I ask');
  });

  test('that is cut short by the limit is incomplete', async () => {
    world.provider.play(eventStream(chatStream([{ content: 'Hi' }], 'length')));
    const found = await events();
    expect(found.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] },
    });
  });

  const frames = chatStream([{ content: 'Hi' }]);
  test.each<[string, string[]]>([
    ['ends in the middle', frames.slice(0, 1)],
    [
      'reports an error',
      [...frames.slice(0, 1), 'data: {"error":{"message":"Overloaded"}}\n\n', ...frames.slice(1)],
    ],
  ])('that %s fails with what there was, and never completes', async (_how, script) => {
    world.provider.play(eventStream(script));
    const found = await events();
    expect(found.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'server_error', message: expect.stringMatching(/ended the stream|Overloaded/) },
        output: [{ status: 'incomplete', content: [{ text: 'Hi' }] }],
      },
    });
    expect(found.map(({ type }) => type)).not.toContain('response.completed');
  });

  test('is logged with its tokens, and a broken one as a failure', async () => {
    const options = (traceId: string) => ({ headers: { 'x-gateway-trace-id': traceId } });
    for (const [traceId, script] of [
      ['whole', chatStream([{ content: 'Hi' }], 'stop', cachedUsage)],
      ['broken', frames.slice(0, 1)],
    ] as const) {
      world.provider.play(eventStream([...script]));
      const stream = client.responses.stream({ model, input: 'Hello' }, options(traceId));
      await stream.done().catch(() => undefined);
    }
    expect(await recordsOf(world.app, { traceId: 'whole' })).toMatchObject([
      {
        isSuccess: true,
        error: null,
        promptTokens: 100,
        completionTokens: 20,
        totalTokens: 120,
        streamMode: 1,
      },
    ]);
    expect(await recordsOf(world.app, { traceId: 'broken' })).toMatchObject([
      { isSuccess: false, error: expect.stringContaining('ended the stream in the middle') },
    ]);
  });
});
