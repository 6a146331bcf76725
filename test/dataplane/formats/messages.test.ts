import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventStream, json } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { startWorld, type World } from '../../support/world.ts';
import { cachedUsage, chatStream, chatWith, weatherCall } from './chat-streams.ts';

/** Anthropic's official client on a provider that speaks chat only. */
let world: World;
let client: Anthropic;

beforeAll(async () => {
  world = await startWorld();
  const slug = await world.makeProvider({ ai_provider_id: 'together-ai' });
  model = `@${slug}/gpt-test`;
  client = new Anthropic({
    baseURL: world.app.url,
    authToken: world.app.workspaceKey,
    apiKey: null,
    maxRetries: 0,
  });
});
afterAll(() => world.stop());

let model: string;
const hello: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }];
const tools: Anthropic.Tool[] = [
  {
    name: 'weather',
    description: 'Of a city',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  },
];

const create = (more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
  client.messages.create({ model, max_tokens: 50, messages: hello, ...more });

/** The body that reached the provider. */
const sent = (index = 0) => JSON.parse(String(world.provider.requests[index]?.body));

const thrown = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe('a request', () => {
  test('goes to chat completions with what chat has for it, and without the rest', async () => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    await create({
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      stop_sequences: ['END'],
      metadata: { user_id: 'u-1' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      service_tier: 'auto',
      output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
      tools,
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      ...{ temperature: 0.5, top_p: 0.9, top_k: 5 },
    });
    const [request] = world.provider.requests;
    expect([request?.method, request?.url]).toEqual(['POST', '/v1/chat/completions']);
    expect(request?.headers).not.toHaveProperty('accept-encoding');
    expect(sent()).toEqual({
      model: 'gpt-test',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      user: 'u-1',
      reasoning_effort: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: { type: 'object' }, strict: true },
      },
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'Of a city', parameters: tools[0]?.input_schema },
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
  });

  test('with images, documents, tool calls and their results keeps all of them', async () => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    const png = { type: 'base64', media_type: 'image/png', data: 'iVBO' } as const;
    const bern = { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } } as const;
    await create({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: png },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
            },
            {
              type: 'document',
              title: 'Notes',
              source: { type: 'text', media_type: 'text/plain', data: 'Some' },
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'text', text: 'I ask' },
            bern,
            { ...bern, id: 'call_2', input: {} },
            { ...bern, id: 'call_3' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' },
            { type: 'tool_result', tool_use_id: 'call_2', content: 'no city', is_error: true },
            { type: 'tool_result', tool_use_id: 'call_3', content: [{ type: 'image', source: png }] },
            { type: 'text', text: 'And now?' },
          ],
        },
      ],
    });
    const url = 'data:image/png;base64,iVBO';
    const call = (id: string, text: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: text },
    });
    expect(sent().messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
          { type: 'text', text: 'Notes\n\nSome' },
        ],
      },
      {
        role: 'assistant',
        content: 'I ask',
        tool_calls: [
          call('call_1', '{"city":"Bern"}'),
          call('call_2', '{}'),
          call('call_3', '{"city":"Bern"}'),
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Error: no city' },
      { role: 'tool', tool_call_id: 'call_3', content: 'The result is attached to the next message.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of the tool call call_3:' },
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'And now?' },
        ],
      },
    ]);
  });

  test.each<[string, object, string]>([
    [
      'a tool of Anthropic’s own',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'web_search_20250305',
    ],
    ['a tool without a schema', { tools: [{ name: 'a' }] }, 'tools[0].input_schema'],
    ['no messages', { messages: undefined }, 'messages'],
    ['a role that is none', { messages: [{ role: 'robot', content: 'a' }] }, 'messages[0].role'],
    ['content of an unknown type', { messages: [{ role: 'user', content: [{ type: 'smell' }] }] }, 'smell'],
    [
      'a document by URL',
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url' } }] }] },
      'messages[0].content[0].source.type',
    ],
    ['a choice of tool that is none', { tools, tool_choice: { type: 'constructor' } }, 'tool_choice.type'],
    ['stop sequences that are no list', { stop_sequences: 'END' }, 'stop_sequences'],
    ['a format that is none', { output_config: { format: { type: 'xml' } } }, 'output_config.format.type'],
  ])('with %s is refused before it is sent, and the field is named', async (_what, more, named) => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    const error = await thrown(create(more));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(String(error)).toContain(named);
    expect(world.provider.requests).toEqual([]);
  });
});

describe('an answer', () => {
  const text = (content: string) => [{ type: 'text', text: content, citations: null }];
  const call = {
    type: 'tool_use',
    id: 'call_1',
    name: 'weather',
    input: { city: 'Bern' },
    caller: { type: 'direct' },
  };

  test.each<[string, object, object]>([
    ['text', chatWith({ content: 'Hi' }), { content: text('Hi'), stop_reason: 'end_turn' }],
    [
      'text cut short',
      chatWith({ content: 'Hi' }, 'length'),
      { content: text('Hi'), stop_reason: 'max_tokens' },
    ],
    ['a filter', chatWith({ content: '' }, 'content_filter'), { content: [], stop_reason: 'refusal' }],
    ['a refusal', chatWith({ refusal: 'No' }), { content: text('No'), stop_reason: 'refusal' }],
    [
      'a tool call beside text and thoughts',
      chatWith({ content: 'I ask', reasoning_content: 'hm', tool_calls: [weatherCall] }, 'tool_calls'),
      {
        content: [{ type: 'thinking', thinking: 'hm', signature: '' }, ...text('I ask'), call],
        stop_reason: 'tool_use',
      },
    ],
    [
      'a tool call that ends with stop',
      chatWith({ tool_calls: [weatherCall] }),
      { content: [call], stop_reason: 'tool_use' },
    ],
    [
      'arguments that are no JSON',
      chatWith(
        { tool_calls: [{ ...weatherCall, function: { name: 'weather', arguments: '{"city' } }] },
        'tool_calls',
      ),
      { content: [{ ...call, input: '{"city' }] },
    ],
    [
      'a stop sequence that the provider names',
      {
        ...chatWith({}),
        choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', stop_reason: 'END' }],
      },
      { content: text('Hi'), stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
  ])('with %s is a message', async (_what, chat, expected) => {
    world.provider.play(json(200, chat));
    const message = await create({ stop_sequences: ['END'] });
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      id: 'msg_7',
      model: 'gpt-test',
      ...expected,
    });
    expect(message.usage).toMatchObject({
      input_tokens: 40,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 0,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 5 },
    });
  });

  test.each([
    [400, Anthropic.BadRequestError, 'invalid_request_error'],
    [401, Anthropic.AuthenticationError, 'authentication_error'],
    [404, Anthropic.NotFoundError, 'not_found_error'],
    [422, Anthropic.UnprocessableEntityError, 'invalid_request_error'],
    [429, Anthropic.RateLimitError, 'rate_limit_error'],
    [503, Anthropic.InternalServerError, 'api_error'],
  ])('with the status %i is an error in Anthropic’s envelope', async (status, kind, type) => {
    const body = { error: { message: 'Not now.', type: 'whatever', param: null, code: null } };
    world.provider.play(json(status, body, { 'retry-after': '7' }));
    const error = await thrown(create());
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
    expect(String(error)).toContain('Not now.');
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get('retry-after')).toBe('7');
  });

  test.each<[string, string | object]>([
    ['a page', '<html>down</html>'],
    ['another object', { object: 'list' }],
    ['an error under the status 200', { error: { message: 'Overloaded' } }],
  ])('that is %s instead of a completion is an honest 502', async (_what, body) => {
    world.provider.play((_request, response) => {
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    expect(await thrown(create())).toMatchObject({ status: 502, error: { type: 'error' } });
  });

  test('that cannot be used makes way for the next target, to which the request is translated anew', async () => {
    world.provider.play(
      (_request, response) => void response.end('<html>down</html>'),
      json(200, chatWith({ content: 'Hi' })),
    );
    const [slug] = model.split('/');
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: slug }, { provider: slug, override_params: { model: 'other', max_tokens: 7 } }],
    };
    const { data, response } = await client.messages
      .create(
        { model: 'gpt-test', max_tokens: 50, messages: hello },
        { headers: { 'x-gateway-config': JSON.stringify(config) } },
      )
      .withResponse();
    expect(data.content).toMatchObject([{ text: 'Hi' }]);
    expect(response.headers.get('x-gateway-last-used-option-index')).toBe('config.targets[1]');
    expect([sent(0), sent(1)]).toMatchObject([
      { model: 'gpt-test', max_completion_tokens: 50 },
      { model: 'other', max_completion_tokens: 7 },
    ]);
  });

  test('of the gateway itself has the same envelope', async () => {
    expect(await thrown(create({ model: '@nobody/m' }))).toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error' } },
    });
    const stranger = new Anthropic({
      baseURL: world.app.url,
      authToken: 'sl-nobody',
      apiKey: null,
      maxRetries: 0,
    });
    const refused = stranger.messages.create({ model, max_tokens: 5, messages: hello });
    expect(await thrown(refused)).toBeInstanceOf(Anthropic.AuthenticationError);
  });

  test('to a count of tokens says that the provider has none', async () => {
    const error = await thrown(client.messages.countTokens({ model, messages: hello }));
    expect(error).toMatchObject({ status: 400, error: { type: 'error' } });
    expect(String(error)).toMatch(/together-ai has no \/messages\/count_tokens/);
  });
});

describe('a stream', () => {
  const stream = (more: object = {}) =>
    client.messages.stream({ model, max_tokens: 50, messages: hello, ...more });

  test('of text is what the official client makes a message of', async () => {
    world.provider.play(
      eventStream(
        chatStream(
          [{ role: 'assistant', content: '' }, { content: 'Hi ' }, { content: 'there' }],
          'stop',
          cachedUsage,
        ),
      ),
    );
    const pieces: string[] = [];
    const message = await stream()
      .on('text', (piece) => pieces.push(piece))
      .finalMessage();
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(pieces).toEqual(['Hi ', 'there']);
    expect(message).toMatchObject({
      id: 'msg_7',
      content: [{ type: 'text', text: 'Hi there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 20 },
    });
  });

  test('of thoughts, text and two tool calls keeps their order', async () => {
    const piece = (index: number, text: string, head: object = {}) => ({
      tool_calls: [
        {
          index,
          ...head,
          function: { ...(Object.keys(head).length > 0 && { name: 'weather' }), arguments: text },
        },
      ],
    });
    world.provider.play(
      eventStream(
        chatStream(
          [
            { reasoning_content: 'h' },
            { reasoning_content: 'm' },
            { content: 'I ask' },
            piece(0, '', { id: 'call_1' }),
            piece(1, '', { id: 'call_2' }),
            piece(0, '{"city":'),
            piece(1, '{}'),
            piece(0, '"Bern"}'),
          ],
          'tool_calls',
        ),
      ),
    );
    const message = await stream({ tools }).finalMessage();
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'I ask' },
      { type: 'tool_use', id: 'call_1', input: { city: 'Bern' } },
      { type: 'tool_use', id: 'call_2', input: {} },
    ]);
    expect(message.stop_reason).toBe('tool_use');
  });

  test('that a provider answers with a whole completion is a stream all the same', async () => {
    world.provider.play(json(200, chatWith({ content: 'Hi', tool_calls: [weatherCall] }, 'tool_calls')));
    const message = await stream().finalMessage();
    expect(message.content).toMatchObject([{ text: 'Hi' }, { type: 'tool_use', input: { city: 'Bern' } }]);
  });

  const frames = chatStream([{ content: 'Hi' }]);
  test.each<[string, string[]]>([
    ['ends in the middle', frames.slice(0, 1)],
    ['is cut off in a frame', [...frames.slice(0, 1), 'data: {"choi']],
    [
      'reports an error',
      [...frames.slice(0, 1), 'data: {"error":{"message":"Overloaded"}}\n\n', ...frames.slice(1)],
    ],
    ['goes on with no JSON', [...frames.slice(0, 1), 'data: oops\n\n', ...frames.slice(1)]],
  ])('that %s ends with an error event and never as if it were complete', async (_how, script) => {
    world.provider.play(eventStream(script));
    const answer = await world.call({
      path: '/v1/messages',
      body: { model, max_tokens: 5, messages: hello, stream: true },
    });
    expect(answer.text).toContain('"text":"Hi"');
    expect(answer.text).not.toContain('message_stop');
    expect(answer.text.trimEnd().split('\n\n').at(-1)).toMatch(/^event: error\ndata: \{"type":"error"/);
    const error = await thrown(stream().finalMessage());
    expect(error).toBeInstanceOf(Anthropic.APIError);
  });

  test('that is reset by the provider ends with an error event', async () => {
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frames[0], () => response.destroy());
    });
    const answer = await world.call({
      path: '/v1/messages',
      body: { model, max_tokens: 5, messages: hello, stream: true },
    });
    expect(answer.text).toMatch(/event: error\n.*\n\n$/);
    expect(answer.text).not.toContain('message_stop');
  });

  test('is logged with its tokens, and a broken one as a failure', async () => {
    for (const [traceId, script] of [
      ['whole', chatStream([{ content: 'Hi' }], 'stop', cachedUsage)],
      ['broken', frames.slice(0, 1)],
    ] as const) {
      world.provider.play(eventStream([...script]));
      const request = { model, max_tokens: 50, messages: hello };
      const options = { headers: { 'x-gateway-trace-id': traceId } };
      await thrown(client.messages.stream(request, options).done());
    }
    expect(await recordsOf(world.app, { traceId: 'whole' })).toMatchObject([
      { endpoint: 'messages', isSuccess: true, promptTokens: 100, completionTokens: 20, streamMode: 1 },
    ]);
    expect(await recordsOf(world.app, { traceId: 'broken' })).toMatchObject([
      { isSuccess: false, error: expect.stringContaining('in the middle') },
    ]);
  });

  test('that is cut after the reason to finish is complete', async () => {
    world.provider.play(eventStream(frames.slice(0, -1)));
    expect((await stream().finalMessage()).stop_reason).toBe('end_turn');
  });
});

describe('under the beta flag use-responses-api-2026-07-30', () => {
  const beta = { headers: { 'x-gateway-beta': 'something-else, use-responses-api-2026-07-30' } };
  const request: Anthropic.MessageCreateParamsNonStreaming = {
    model: '',
    max_tokens: 50,
    system: 'Be brief',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I ask' },
          { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }] },
    ],
    tools,
    tool_choice: { type: 'tool', name: 'weather' },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
  };
  const native = (more: object = {}) => ({ ...request, model: `@${world.slug}/gpt-test`, ...more });
  const response = {
    id: 'resp_7',
    object: 'response',
    created_at: 1,
    model: 'gpt-test',
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
    ],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    },
  };
  const expected = {
    id: 'msg_7',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } },
    ],
    stop_reason: 'tool_use',
    usage: {
      input_tokens: 40,
      cache_read_input_tokens: 60,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 5 },
    },
  };

  test('a message goes to the responses of a provider that has them', async () => {
    world.provider.play(json(200, response));
    expect(await client.messages.create(native(), beta)).toMatchObject(expected);
    expect(world.provider.requests[0]?.url).toBe('/v1/responses');
    expect(sent()).toEqual({
      model: 'gpt-test',
      store: false,
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true } },
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'Of a city',
          parameters: tools[0]?.input_schema,
          strict: false,
        },
      ],
      tool_choice: { type: 'function', name: 'weather' },
      input: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', detail: 'auto', image_url: 'https://a.b/c.png' },
          ],
        },
        { role: 'assistant', content: 'I ask' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      ],
    });
  });

  const frame = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`;
  const [thought, said, call] = response.output;
  const frames = [
    frame('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }),
    frame('response.output_item.added', { output_index: 0, item: thought }),
    frame('response.reasoning_summary_text.delta', { output_index: 0, delta: 'hm' }),
    frame('response.output_item.added', { output_index: 1, item: said }),
    frame('response.output_text.delta', { output_index: 1, delta: 'Hi' }),
    frame('response.output_item.added', { output_index: 2, item: { ...call, arguments: '' } }),
    frame('response.function_call_arguments.delta', { output_index: 2, delta: '{"city":' }),
    frame('response.function_call_arguments.delta', { output_index: 2, delta: '"Bern"}' }),
    frame('response.function_call_arguments.done', { output_index: 2, arguments: '{"city":"Bern"}' }),
    frame('response.completed', { response }),
  ];

  test('a stream is translated event by event', async () => {
    world.provider.play(eventStream(frames));
    expect(await client.messages.stream(native(), beta).finalMessage()).toMatchObject(expected);
    expect(sent()).toMatchObject({ stream: true });
  });

  test.each<[string, string[]]>([
    [
      'fails',
      [
        ...frames.slice(0, 5),
        frame('response.failed', {
          response: { ...response, error: { code: 'server_error', message: 'Down.' } },
        }),
      ],
    ],
    [
      'reports an error',
      [...frames.slice(0, 5), frame('error', { code: null, message: 'Down.', param: null })],
    ],
    ['ends in the middle', frames.slice(0, 5)],
  ])('a stream that %s is no message', async (_how, script) => {
    world.provider.play(eventStream(script));
    const error = await thrown(client.messages.stream(native(), beta).finalMessage());
    expect(String(error)).toMatch(/Down\.|in the middle of its answer/);
  });

  test('a failed response is a 502, and stop sequences are refused by name', async () => {
    world.provider.play(json(200, { ...response, status: 'failed', error: { message: 'Down.' } }));
    expect(await thrown(client.messages.create(native(), beta))).toMatchObject({ status: 502 });
    const error = await thrown(client.messages.create(native({ stop_sequences: ['END'] }), beta));
    expect(error).toMatchObject({ status: 400 });
    expect(String(error)).toContain('stop_sequences');
  });

  test('a provider without responses is asked for chat, and so is every provider without the flag', async () => {
    world.provider.play(json(200, chatWith({ content: 'Hi' })));
    await client.messages.create({ ...native(), model }, beta);
    await client.messages.create(native());
    expect(world.provider.requests.map(({ url }) => url)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
  });
});

test('the built-in provider without a network is spoken to in this format as well', async () => {
  const message = await create({ model: '@mock/mock-1' });
  expect(message.content).toMatchObject([{ type: 'text', text: 'Hello' }]);
});
