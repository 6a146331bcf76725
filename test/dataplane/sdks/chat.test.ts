import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import OpenAI4 from 'openai-v4';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const messages = [{ role: 'user' as const, content: 'say this back' }];
const answerText = 'say this back';

type Options = ConstructorParameters<typeof OpenAI>[0];

/** The official client, with nothing changed but address and key. */
const options = (more: Options): Options => ({
  baseURL: `${world.app.url}/v1`,
  apiKey: world.app.workspaceKey,
  maxRetries: 0,
  ...more,
});
const clients = {
  'openai 7': (more?: Options) => new OpenAI(options(more)),
  // The two majors agree on everything that is used here.
  'openai 4': (more?: Options) => new OpenAI4(options(more) as object) as unknown as OpenAI,
};

describe.each(Object.entries(clients))('%s', (name, connect) => {
  const errors = name === 'openai 4' ? (OpenAI4 as unknown as typeof OpenAI) : OpenAI;
  let client: OpenAI;
  beforeAll(() => {
    client = connect();
  });

  test('chat', async () => {
    const answer = await client.chat.completions.create({ model: '@mock/mock-1', messages });
    expect(answer.choices[0]?.message.content).toBe(answerText);
    expect(answer.usage?.total_tokens).toBe(6);
  });

  test('streamed chat', async () => {
    const stream = await client.chat.completions.create({
      model: '@mock/mock-1',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const words: string[] = [];
    let total: number | undefined;
    for await (const chunk of stream) {
      words.push(chunk.choices[0]?.delta.content ?? '');
      total = chunk.usage?.total_tokens ?? total;
    }
    expect([words.join(''), total]).toEqual([answerText, 6]);
  });

  test('a stream that the program leaves early', async () => {
    const stream = await client.chat.completions.create({
      model: '@mock/mock-slow-50',
      messages,
      stream: true,
    });
    let seen = 0;
    for await (const _chunk of stream) if (++seen === 2) break;
    expect(seen).toBe(2);
    const answer = await client.chat.completions.create({ model: '@mock/mock-1', messages });
    expect(answer.choices[0]?.message.content).toBe(answerText);
  });

  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ];

  test('tools', async () => {
    const asked = await client.chat.completions.create({
      model: '@mock/mock-1',
      messages,
      tools,
      tool_choice: 'required',
    });
    const call = asked.choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('No function was called.');
    expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual([
      'weather',
      { city: answerText },
    ]);
    const assistant = asked.choices[0]?.message;
    if (!assistant) throw new Error('No message came.');
    const answered = await client.chat.completions.create({
      model: '@mock/mock-1',
      tools,
      messages: [...messages, assistant, { role: 'tool', tool_call_id: call.id, content: 'sunny' }],
    });
    expect(answered.choices[0]?.finish_reason).toBe('stop');
  });

  test('JSON mode and structured output', async () => {
    const mode = await client.chat.completions.create({
      model: '@mock/mock-1',
      messages,
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(mode.choices[0]?.message.content ?? '')).toEqual({ echo: answerText });
    const schema = { type: 'object', properties: { answer: { type: 'string' } } };
    const strict = await client.chat.completions.create({
      model: '@mock/mock-1',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    expect(JSON.parse(strict.choices[0]?.message.content ?? '')).toEqual({ answer: answerText });
  });

  test('embeddings as floats and as base64, which is what the client asks for by itself', async () => {
    const request = { model: '@mock/mock-embedding-1', input: ['a', 'b'], dimensions: 8 };
    const decoded = await client.embeddings.create(request);
    const floats = await client.embeddings.create({ ...request, encoding_format: 'float' });
    expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual(
      floats.data.map(({ embedding }) => embedding),
    );
    const base64 = await client.embeddings.create({ ...request, encoding_format: 'base64' });
    expect(typeof base64.data[0]?.embedding).toBe('string');
  });

  test('completions, plain and streamed', async () => {
    const plain = await client.completions.create({ model: '@mock/mock-1', prompt: 'once more' });
    expect(plain.choices[0]?.text).toBe('once more');
    let text = '';
    const stream = await client.completions.create({
      model: '@mock/mock-1',
      prompt: 'once more',
      stream: true,
    });
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('once more');
  });

  test('models', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain('@mock/mock-1');
    expect((await client.models.retrieve('@mock/mock-1')).id).toBe('@mock/mock-1');
  });

  test.each([
    ['RateLimitError', '@mock/mock-error-429', 429],
    ['BadRequestError', '@mock/mock-error-400', 400],
    ['PermissionDeniedError', '@mock/mock-error-403', 403],
    ['NotFoundError', '@mock/none', 404],
    ['UnprocessableEntityError', '@mock/mock-error-422', 422],
    ['InternalServerError', '@mock/mock-error-503', 503],
    ['BadRequestError', '@nobody/m', 400],
    ['BadRequestError', 'no-provider-at-all', 400],
  ] as const)('%s from %s', async (kind, model, status) => {
    for (const stream of [false, true]) {
      const call = client.chat.completions.create({ model, messages, stream });
      const error = await call.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(errors[kind]);
      expect(error).toMatchObject({ status, message: expect.stringMatching(/\w+ \w+/) });
    }
  });

  test('AuthenticationError from a key that is not known', async () => {
    const stranger = connect({ apiKey: 'sl-nobody' });
    const error = await stranger.chat.completions
      .create({ model: '@mock/mock-1', messages })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(errors.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
  });

  test('the client tries again by itself when it is told to', async () => {
    world.provider.play(
      json(503, { error: { message: 'busy' } }, { 'retry-after-ms': '1' }),
      json(200, chatAnswer('done')),
    );
    const patient = connect({ maxRetries: 1 });
    const answer = await patient.chat.completions.create({ model: `@${world.slug}/m`, messages });
    expect([answer.choices[0]?.message.content, world.provider.requests.length]).toEqual(['done', 2]);
  });

  describe('against a provider over HTTP', () => {
    test('chat and streamed chat', async () => {
      const model = `@${world.slug}/gpt-test`;
      world.provider.play(json(200, chatAnswer('over HTTP')));
      const plain = await client.chat.completions.create({ model, messages });
      expect(plain.choices[0]?.message.content).toBe('over HTTP');
      world.provider.play(eventStream(chatFrames(['over', ' HTTP'])));
      let text = '';
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe('over HTTP');
    });

    test('the provider’s errors keep their class, code and request id', async () => {
      const error = {
        message: 'Too long.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      };
      world.provider.play(json(400, { error }, { 'x-request-id': 'req-9' }));
      const thrown = await client.chat.completions
        .create({ model: `@${world.slug}/m`, messages })
        .catch((reason) => reason);
      expect(thrown).toBeInstanceOf(errors.BadRequestError);
      expect(thrown).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    });

    test('an endpoint that the gateway has no rules for: a file upload', async () => {
      world.provider.play(json(200, { id: 'file-1', object: 'file' }));
      const through = connect({
        defaultHeaders: { 'x-gateway-provider': `@${world.slug}` },
      });
      const file = await through.files.create({ purpose: 'batch', file: new File(['{"a":1}\n'], 'a.jsonl') });
      expect(file.id).toBe('file-1');
      const [request] = world.provider.requests;
      expect(request?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
      expect(String(request?.body)).toContain('{"a":1}\n');
    });

    test('a credential of the caller’s own, with the gateway key in its header', async () => {
      world.provider.play(json(200, chatAnswer('mine')));
      const own = connect({
        apiKey: 'sk-of-the-caller-000000',
        defaultHeaders: {
          'x-gateway-api-key': world.app.workspaceKey,
          'x-gateway-provider': 'openai',
          'x-gateway-custom-host': world.provider.url,
        },
      });
      await own.chat.completions.create({ model: 'gpt-4o', messages });
      expect(world.provider.requests[0]?.headers.authorization).toBe('Bearer sk-of-the-caller-000000');
    });
  });
});
