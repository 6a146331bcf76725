import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CallOptions, startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const question = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'first' },
  { role: 'assistant', content: 'ok' },
  { role: 'user', content: 'How are  you,\nagain? é中' },
];
const echo = 'How are  you,\nagain? é中';

const post = async (path: string, body: object, options: CallOptions = {}) =>
  world.call({ path: `/v1${path}`, body, ...options });
const chat = (body: object = {}) =>
  post('/chat/completions', { model: '@mock/mock-1', messages: question, ...body });

/** The JSON frames of an event stream, and how it ends. */
function framesOf(text: string): { frames: any[]; last: string } {
  const parts = text.split('\n\n').filter((part) => part !== '');
  expect(parts.every((part) => part.startsWith('data: '))).toBe(true);
  const last = parts.pop() ?? '';
  return { frames: parts.map((part) => JSON.parse(part.slice('data: '.length))), last };
}

describe('chat', () => {
  test('echoes the last user message in the shape of OpenAI', async () => {
    const answer = await chat();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-gateway-provider': 'mock',
    });
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^chatcmpl-mock-[0-9a-f]{24}$/),
      object: 'chat.completion',
      created: 1767225600,
      model: 'mock-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: echo, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
    });
  });

  test('the same question has the same answer, another question another id', async () => {
    const [first, second, other] = await Promise.all([chat(), chat(), chat({ temperature: 1 })]);
    expect(first?.body.equals(second?.body ?? Buffer.alloc(0))).toBe(true);
    expect(other?.json.id).not.toBe(first?.json.id);
  });

  test('a stream says the same, word by word, and ends as OpenAI’s do', async () => {
    const streamed = await chat({ stream: true });
    expect(streamed.headers['content-type']).toMatch(/^text\/event-stream/);
    const { frames, last } = framesOf(streamed.text);
    expect(last).toBe('data: [DONE]');
    expect(frames.map((frame) => frame.choices[0].delta.content ?? '').join('')).toBe(echo);
    expect(frames.length).toBeGreaterThan(5);
    expect(frames[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
    expect(frames.at(-1).choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' });
    expect(new Set(frames.map((frame) => `${frame.id} ${frame.object} ${frame.model}`)).size).toBe(1);
    expect(frames.every((frame) => !('usage' in frame))).toBe(true);
  });

  test('a stream gives the usage when it is asked for', async () => {
    const { frames } = framesOf((await chat({ stream: true, stream_options: { include_usage: true } })).text);
    expect(frames.at(-1)).toMatchObject({ choices: [], usage: (await chat()).json.usage });
    expect(frames.slice(0, -1).every((frame) => frame.usage === null)).toBe(true);
  });

  test('text parts of a message are joined, pictures are skipped', async () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'image_url', image_url: { url: 'data:,' } },
      { type: 'text', text: 'two' },
    ];
    const answer = await chat({ messages: [{ role: 'user', content }] });
    expect(answer.json.choices[0].message.content).toBe('one\ntwo');
  });

  test.each([
    ['no messages', {}],
    ['an empty list', { messages: [] }],
    ['a text', { messages: 'hi' }],
  ])('%s is a bad request', async (_name, body) => {
    const answer = await post('/chat/completions', { model: '@mock/mock-1', ...body });
    expect([answer.status, answer.json.error.type]).toEqual([400, 'invalid_request_error']);
  });
});

describe('tools', () => {
  const parameters = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['c', 'f'] },
      days: { type: 'integer', minimum: 3 },
    },
    required: ['city'],
  };
  const tools = ['other', 'weather'].map((name) => ({ type: 'function', function: { name, parameters } }));
  const call = (name: string) => ({
    id: expect.stringMatching(/^call-mock-/),
    type: 'function',
    function: { name, arguments: JSON.stringify({ city: echo, unit: 'c', days: 3 }) },
  });

  test.each([
    ['none given', undefined, null],
    ['auto: the first', 'auto', 'other'],
    ['none', 'none', null],
    ['required: the first', 'required', 'other'],
    ['a named one', { type: 'function', function: { name: 'weather' } }, 'weather'],
    ['one that is not there', { type: 'function', function: { name: 'nobody' } }, null],
  ])('tool_choice %s', async (_name, choice, called) => {
    const { json } = await chat({ tools, tool_choice: choice });
    const [{ message, finish_reason: reason }] = json.choices;
    if (called === null)
      expect([message.content, message.tool_calls, reason]).toEqual([echo, undefined, 'stop']);
    else expect([message.content, message.tool_calls, reason]).toEqual([null, [call(called)], 'tool_calls']);
  });

  test('a stream calls the same tool', async () => {
    const { frames } = framesOf((await chat({ tools, tool_choice: 'required', stream: true })).text);
    const calls = frames.flatMap((frame) => frame.choices[0].delta.tool_calls ?? []);
    expect(calls).toEqual([{ index: 0, ...call('other') }]);
    expect(frames.at(-1).choices[0].finish_reason).toBe('tool_calls');
  });

  const answered = [...question, { role: 'tool', tool_call_id: 'x', content: '20 degrees' }];
  const again = [...answered, { role: 'assistant', content: 'ok' }, { role: 'user', content: echo }];

  test.each([
    ['auto: it speaks', 'auto', answered, null],
    ['auto: it calls for the next question', 'auto', again, 'other'],
    ['required: it calls again', 'required', answered, 'other'],
    ['a named one: it calls again', { type: 'function', function: { name: 'weather' } }, answered, 'weather'],
  ])('after a tool’s answer with tool_choice %s', async (_name, choice, messages, called) => {
    const [{ message, finish_reason: reason }] = (await chat({ tools, tool_choice: choice, messages })).json
      .choices;
    if (called === null)
      expect([message.content, message.tool_calls, reason]).toEqual([echo, undefined, 'stop']);
    else expect([message.content, message.tool_calls, reason]).toEqual([null, [call(called)], 'tool_calls']);
  });
});

test('a path that it lacks is refused without advice to try it elsewhere', async () => {
  const through = { headers: { 'x-gateway-provider': '@mock' } };
  const answer = await world.call({ method: 'GET', path: '/v1/files', ...through });
  expect([answer.status, answer.json.error.message]).toEqual([
    400,
    'The provider mock has no /files. It answers in the gateway itself and has no more below /v1/proxy.',
  ]);
  expect((await world.call({ method: 'GET', path: '/v1/proxy/files', ...through })).status).toBe(404);
});

describe('response formats', () => {
  test('json_object', async () => {
    const { json } = await chat({ response_format: { type: 'json_object' } });
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ echo });
  });

  test('json_schema: an example that fits', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        fixed: { const: 7 },
        preset: { type: 'string', default: 'd' },
        score: { type: 'number', minimum: 0.5 },
        count: { type: 'integer' },
        yes: { type: 'boolean' },
        list: { type: 'array', items: { type: 'object', properties: { x: { type: 'null' } } } },
        either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        maybe: { type: ['string', 'null'] },
      },
    };
    const { json } = await chat({
      response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    });
    expect(JSON.parse(json.choices[0].message.content)).toEqual({
      name: echo,
      kind: 'a',
      fixed: 7,
      preset: 'd',
      score: 0.5,
      count: 1,
      yes: true,
      list: [{ x: null }],
      either: 1,
      maybe: echo,
    });
  });

  test('a schema without end has an end here', async () => {
    const schema = { type: 'object', properties: {} as Record<string, unknown> };
    let inner = schema;
    for (let depth = 0; depth < 50; depth++) {
      const next = { type: 'object', properties: {} };
      inner.properties.x = next;
      inner = next;
    }
    const { status } = await chat({ response_format: { type: 'json_schema', json_schema: { schema } } });
    expect(status).toBe(200);
  });
});

describe('completions', () => {
  test.each([
    ['one prompt', 'say this', ['say this']],
    ['several', ['a b', 'c'], ['a b', 'c']],
  ])('%s', async (_name, prompt, texts) => {
    const plain = await post('/completions', { model: '@mock/mock-1', prompt });
    expect(plain.json).toMatchObject({ object: 'text_completion', model: 'mock-1' });
    expect(plain.json.choices.map((choice: { text: string }) => choice.text)).toEqual(texts);
    const { frames, last } = framesOf(
      (await post('/completions', { model: '@mock/mock-1', prompt, stream: true })).text,
    );
    expect(last).toBe('data: [DONE]');
    const joined = texts.map((_, index) =>
      frames
        .flatMap(({ choices }) => choices.filter((choice: { index: number }) => choice.index === index))
        .map((choice) => choice.text)
        .join(''),
    );
    expect(joined).toEqual(texts);
  });

  test('a prompt of numbers is a bad request', async () => {
    expect((await post('/completions', { model: '@mock/mock-1', prompt: 7 })).status).toBe(400);
  });
});

describe('embeddings', () => {
  const embed = (body: object) => post('/embeddings', { model: '@mock/mock-embedding-1', ...body });
  const vectors = async (body: object) =>
    (await embed(body)).json.data.map((item: { embedding: number[] }) => item.embedding) as number[][];
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

  test('are unit vectors, equal for equal texts and far apart for others', async () => {
    const [first = [], same = [], other = []] = await vectors({ input: ['cat', 'cat', 'dog'] });
    expect(first).toHaveLength(256);
    expect(dot(first, first)).toBeCloseTo(1, 4);
    expect(same).toEqual(first);
    expect(Math.abs(dot(first, other))).toBeLessThan(0.4);
  });

  test('count tokens and keep the order', async () => {
    const { json } = await embed({ input: ['a b', 'c'] });
    expect(json).toMatchObject({
      object: 'list',
      model: 'mock-embedding-1',
      usage: { prompt_tokens: 3, total_tokens: 3 },
      data: [{ index: 0, object: 'embedding' }, { index: 1 }],
    });
  });

  test('take lists of tokens like texts', async () => {
    const [one = [], same = [], other = []] = await vectors({ input: [[1, 2], [1, 2], [3]] });
    expect(same).toEqual(one);
    expect(Math.abs(dot(one, other))).toBeLessThan(0.4);
    expect(await vectors({ input: [1, 2] })).toEqual([one]);
  });

  test('base64 spells the same floats', async () => {
    const [floats = []] = await vectors({ input: 'x', dimensions: 7 });
    const { json } = await embed({ input: 'x', dimensions: 7, encoding_format: 'base64' });
    const bytes = Buffer.from(json.data[0].embedding, 'base64');
    expect(Array.from({ length: 7 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(floats);
  });

  test.each([
    [{}],
    [{ input: [] }],
    [{ input: 7 }],
    [{ input: ['a', null] }],
    [{ input: 'x', dimensions: 0 }],
    [{ input: 'x', dimensions: 1.5 }],
    [{ input: 'x', dimensions: 5000 }],
  ])('%j is a bad request', async (body) => {
    const answer = await embed(body);
    expect([answer.status, answer.json.error.type]).toEqual([400, 'invalid_request_error']);
  });
});

describe('behaviours', () => {
  test.each([
    [400, 'server_error'],
    [401, 'server_error'],
    [429, 'rate_limit_error'],
    [503, 'server_error'],
    [599, 'server_error'],
  ])('mock-error-%i', async (status, type) => {
    for (const stream of [false, true]) {
      const answer = await chat({ model: `@mock/mock-error-${status}`, stream });
      expect([answer.status, answer.json.error.type]).toEqual([status, type]);
      expect(answer.headers['retry-after']).toBe(status === 429 ? '1' : undefined);
    }
  });

  test.each([
    'mock-2',
    'mock-error-200',
    'mock-error-399',
    'mock-error-600',
    'mock-delay-60001',
    'mock-delay-',
    'gpt-4o',
  ])('the model %j does not exist', async (model) => {
    const answer = await post(
      '/chat/completions',
      { model, messages: question },
      { headers: { 'x-gateway-provider': '@mock' } },
    );
    expect([answer.status, answer.json.error.code]).toEqual([404, 'model_not_found']);
  });

  const nested = (depth: number) => `{"model":"mock-1","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  test.each<[what: string, path: string, body: unknown, param: string | null, message: RegExp]>([
    ['no model', '/chat/completions', { messages: question }, 'model', /'model' must name a model/],
    ['a model that is no text', '/chat/completions', { model: 5, messages: question }, 'model', /'model'/],
    ['an empty model', '/embeddings', { model: '', input: 'x' }, 'model', /'model'/],
    ['no messages', '/chat/completions', { model: 'mock-1' }, 'messages', /'messages' must be/],
    ['a number as prompt', '/completions', { model: 'mock-1', prompt: 5 }, 'prompt', /'prompt' must be/],
    ['a number as input', '/embeddings', { model: 'mock-embedding-1', input: 5 }, 'input', /'input' must be/],
    ['deep nesting', '/chat/completions', nested(100_000), null, /nested too deeply/],
  ])('%s is a 400 that names the field', async (_what, path, body, param, message) => {
    const answer = await world.call({ path: `/v1${path}`, body, headers: { 'x-gateway-provider': '@mock' } });
    expect([answer.status, answer.json.error.param]).toEqual([400, param]);
    expect(answer.json.error.message).toMatch(message);
  });

  test('a text that is none counts as no text', async () => {
    const content = [
      { type: 'text', text: { toString: 1 } },
      { type: 'text', text: 'x' },
    ];
    expect((await chat({ messages: [{ role: 'user', content }] })).json.choices[0].message.content).toBe('x');
  });

  test('a delayed answer comes after one that is not', async () => {
    const order: string[] = [];
    const slow = chat({ model: '@mock/mock-delay-300' }).then(() => order.push('slow'));
    const quick = chat().then(() => order.push('quick'));
    await Promise.all([slow, quick]);
    expect(order).toEqual(['quick', 'slow']);
  });

  test('a slow stream comes in pieces and is whole', async () => {
    const response = await world.open({
      body: { model: '@mock/mock-slow-20', messages: question, stream: true },
    });
    const pieces: string[] = [];
    for await (const piece of response) pieces.push(String(piece));
    expect(pieces.length).toBeGreaterThan(3);
    const { frames } = framesOf(pieces.join(''));
    expect(frames.map((frame) => frame.choices[0].delta.content ?? '').join('')).toBe(echo);
  });

  test.each([
    ['GET', '/models', 200],
    ['POST', '/images/generations', 400],
    ['GET', '/files', 400],
    ['POST', '/proxy/chat/completions', 200],
  ])('%s %s: %i', async (method, path, status) => {
    const answer = await world.call({
      method,
      path: `/v1${path}`,
      headers: { 'x-gateway-provider': '@mock' },
      body: method === 'POST' ? { model: 'mock-1', messages: question } : null,
    });
    expect(answer.status).toBe(status);
  });
});
