import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { embed, generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import OpenAI4 from 'openai-v4';
import { audio, fileRows, openAiLike, vector } from '../../support/openai-like.ts';
import { eventStream, json } from '../../support/provider.ts';
import { STORED_KEY, startWorld, type World } from '../../support/world.ts';

/** Official SDKs as clients of every endpoint, against a provider that refuses what OpenAI would refuse. */
let world: World;
let anthropic: string;

beforeAll(async () => {
  world = await startWorld();
  anthropic = await world.makeProvider({ ai_provider_id: 'anthropic' });
});
afterAll(() => world.stop());

const messages = [{ role: 'user' as const, content: 'Hello' }];
const cityTool = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const recording = () => new File([new Uint8Array(audio)], 'speech.mp3');

type Options = NonNullable<ConstructorParameters<typeof OpenAI>[0]>;
const options = (defaultHeaders: Options['defaultHeaders']): Options => ({
  baseURL: `${world.app.url}/v1`,
  apiKey: world.app.workspaceKey,
  maxRetries: 0,
  defaultHeaders,
});
const clients = {
  'openai 7': (headers?: object) => new OpenAI(options(headers as Options['defaultHeaders'])),
  // The two majors agree on everything that is used here.
  'openai 4': (headers?: object) =>
    new OpenAI4(options(headers as Options['defaultHeaders']) as object) as unknown as OpenAI,
};

describe.each(Object.entries(clients))('%s', (_name, connect) => {
  let client: OpenAI;
  /** Its requests name the provider in a header: for what has no model. */
  let through: OpenAI;
  let named: (model: string) => string;
  beforeAll(() => {
    client = connect();
    through = connect({ 'x-gateway-provider': `@${world.slug}` });
    named = (model) => `@${world.slug}/${model}`;
    world.provider.play(openAiLike(STORED_KEY));
  });

  test('chat, streamed chat, tools', async () => {
    const model = named('gpt-4o');
    const plain = await client.chat.completions.create({ model, messages });
    expect([plain.choices[0]?.message.content, plain.usage?.total_tokens]).toEqual(['Hi there', 8]);
    let text = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('Hi there');
    const asked = await client.chat.completions.create({ model, messages, tools: [cityTool] });
    const message = asked.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    if (!message || call?.type !== 'function') throw new Error('No function was called.');
    expect([call.function.name, call.function.arguments]).toEqual(['weather', '{"city":"Bonn"}']);
    const answered = await client.chat.completions.create({
      model,
      tools: [cityTool],
      messages: [...messages, message, { role: 'tool', tool_call_id: call.id, content: 'sunny' }],
    });
    expect(answered.choices[0]?.message.content).toBe('Hi there');
  });

  test('completions', async () => {
    const answer = await client.completions.create({ model: named('davinci'), prompt: 'Hello' });
    expect(answer.choices[0]?.text).toBe('Hi there');
  });

  test('embeddings, which the client asks for in base64 and decodes', async () => {
    const input = { model: named('text-embedding-3-small'), input: ['a', 'b'] };
    const decoded = await client.embeddings.create(input);
    expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual([vector, vector]);
    expect(JSON.parse(String(world.provider.requests.at(-1)?.body)).encoding_format).toBe('base64');
    const plain = await client.embeddings.create({ ...input, encoding_format: 'float' });
    expect(plain.data[0]?.embedding).toEqual(vector);
  });

  test('images: generated, edited, varied', async () => {
    const model = named('gpt-image-1');
    const made = await client.images.generate({ model, prompt: 'a cat' });
    expect(made.data?.[0]?.b64_json).toBe(audio.toString('base64'));
    const image = new File([new Uint8Array(audio)], 'cat.png', { type: 'image/png' });
    const edited = await client.images.edit({ image, prompt: 'a dog', model });
    const varied = await client.images.createVariation({ image, model });
    expect([edited.data?.[0]?.url, varied.data?.[0]?.url]).toEqual(
      Array(2).fill('https://example.com/1.png'),
    );
  });

  test('audio: spoken, transcribed, transcribed as a stream, translated', async () => {
    const spoken = await client.audio.speech.create({
      model: named('tts-1'),
      voice: 'alloy',
      input: 'Hello',
    });
    expect(Buffer.from(await spoken.arrayBuffer()).equals(audio)).toBe(true);
    const model = named('gpt-4o-transcribe');
    expect((await client.audio.transcriptions.create({ file: recording(), model })).text).toBe('Hi there');
    const events: string[] = [];
    for await (const event of await client.audio.transcriptions.create({
      file: recording(),
      model,
      stream: true,
    }))
      events.push(event.type);
    expect(events).toEqual(['transcript.text.delta', 'transcript.text.done']);
    expect(
      (await client.audio.translations.create({ file: recording(), model: named('whisper-1') })).text,
    ).toBe('Hi there');
  });

  test('moderations', async () => {
    const { results } = await client.moderations.create({
      model: named('omni-moderation-latest'),
      input: 'Hello',
    });
    expect(results[0]?.flagged).toBe(false);
  });

  test('models', async () => {
    const ids: string[] = [];
    for await (const { id } of through.models.list()) ids.push(id);
    expect(ids).toEqual(['gpt-4o']);
    expect((await through.models.retrieve('gpt-4o')).id).toBe('gpt-4o');
    const removed = await remove(through.models, 'ft:mine');
    expect(removed.deleted).toBe(true);
  });

  test('files', async () => {
    const file = await through.files.create({ purpose: 'batch', file: new File([fileRows], 'a.jsonl') });
    expect((await through.files.retrieve(file.id)).id).toBe('file-1');
    expect(await (await through.files.content(file.id)).text()).toBe(fileRows);
    const ids: string[] = [];
    for await (const { id } of through.files.list()) ids.push(id);
    expect(ids).toEqual(['file-1']);
    const removed = await remove(through.files, 'file-1');
    expect(removed.deleted).toBe(true);
  });

  test('batches', async () => {
    const batch = await through.batches.create({
      input_file_id: 'file-1',
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect((await through.batches.retrieve(batch.id)).output_file_id).toBe('file-2');
    expect((await through.batches.cancel(batch.id)).status).toBe('cancelling');
    const ids: string[] = [];
    for await (const { id } of through.batches.list()) ids.push(id);
    expect(ids).toEqual(['batch_1']);
  });

  test('fine-tuning', async () => {
    const { jobs } = through.fineTuning;
    const job = await jobs.create({ model: 'gpt-4o-mini', training_file: 'file-1' });
    expect((await jobs.retrieve(job.id)).status).toBe('queued');
    expect((await jobs.cancel(job.id)).status).toBe('cancelled');
    expect((await jobs.listEvents(job.id)).data[0]?.id).toBe('ftevent-1');
    expect((await jobs.checkpoints.list(job.id)).data[0]?.id).toBe('ftckpt-1');
    expect((await jobs.list()).data).toHaveLength(1);
  });

  test('responses: made, streamed, read, deleted', async () => {
    const model = named('gpt-4o');
    expect((await client.responses.create({ model, input: 'Hello' })).output_text).toBe('Hi there');
    const events: string[] = [];
    for await (const { type } of await client.responses.create({ model, input: 'Hello', stream: true }))
      events.push(type);
    expect(events).toEqual(['response.created', 'response.output_text.delta', 'response.completed']);
    expect((await through.responses.retrieve('resp_1')).id).toBe('resp_1');
    expect((await through.responses.inputItems.list('resp_1')).data[0]).toMatchObject({ id: 'msg_0' });
    await remove(through.responses, 'resp_1');
  });

  test('what the provider refuses keeps its class and words', async () => {
    const failure = await through.images
      .generate({ model: 'gpt-image-1', prompt: '' })
      .catch((error) => error);
    expect([failure.status, failure.message, failure.constructor.name]).toEqual([
      400,
      '400 prompt is required',
      'BadRequestError',
    ]);
  });
});

/** The majors spell it differently. */
const remove = (resource: object, id: string) => {
  const { delete: newer, del } = resource as Record<string, (id: string) => Promise<{ deleted: boolean }>>;
  return Reflect.apply(newer ?? del ?? fail, resource, [id]);
};
const fail = () => {
  throw new Error('The client deletes nothing.');
};

describe('ai with @ai-sdk/openai-compatible', () => {
  // That generateObject has a successor.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const provider = () =>
    createOpenAICompatible({
      name: 'sluice',
      baseURL: `${world.app.url}/v1`,
      apiKey: world.app.workspaceKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
  const model = () => provider()(`@${world.slug}/gpt-4o`);
  beforeAll(() => world.provider.play(openAiLike(STORED_KEY)));

  test('generateText and streamText', async () => {
    const { text, usage } = await generateText({ model: model(), prompt: 'Hello', maxRetries: 0 });
    expect([text, usage.totalTokens]).toEqual(['Hi there', 8]);
    let streamed = '';
    for await (const delta of streamText({ model: model(), prompt: 'Hello', maxRetries: 0 }).textStream)
      streamed += delta;
    expect(streamed).toBe('Hi there');
  });

  test('tools, called and answered', async () => {
    const cities: string[] = [];
    const { text } = await generateText({
      model: model(),
      prompt: 'How is the weather?',
      maxRetries: 0,
      stopWhen: stepCountIs(2),
      tools: {
        weather: tool({
          inputSchema: jsonSchema<{ city: string }>({
            type: 'object',
            properties: { city: { type: 'string' } },
          }),
          execute: async ({ city }) => {
            cities.push(city);
            return 'sunny';
          },
        }),
      },
    });
    expect([cities, text]).toEqual([['Bonn'], 'Hi there']);
  });

  describe('a loop of tools on the mock provider', () => {
    const ask = async (toolChoice: 'auto' | 'required', stop: number) => {
      const cities: string[] = [];
      const execute = async ({ city }: { city: string }) => {
        cities.push(city);
        return 'sunny';
      };
      const inputSchema = jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
      });
      const { text, steps } = await generateText({
        model: provider()('@mock/mock-1'),
        prompt: 'Bonn?',
        maxRetries: 0,
        toolChoice,
        stopWhen: stepCountIs(stop),
        tools: { weather: tool({ inputSchema, execute }) },
      });
      return { cities, text, steps: steps.length };
    };

    test('auto: one call, then text', async () => {
      expect(await ask('auto', 9)).toEqual({ cities: ['Bonn?'], text: 'Bonn?', steps: 2 });
    });

    test('required: calls until the program stops', async () => {
      expect(await ask('required', 3)).toEqual({ cities: ['Bonn?', 'Bonn?', 'Bonn?'], text: '', steps: 3 });
    });
  });

  test('generateObject', async () => {
    const schema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    });
    const { object } = await generateObject({ model: model(), schema, prompt: 'Where?', maxRetries: 0 });
    expect(object).toEqual({ city: 'Bonn' });
  });

  test('embed', async () => {
    const embedding = provider().embeddingModel(`@${world.slug}/text-embedding-3-small`);
    expect((await embed({ model: embedding, value: 'a', maxRetries: 0 })).embedding).toEqual(vector);
  });
});

describe('@anthropic-ai/sdk on a provider that speaks its format', () => {
  const client = () =>
    new Anthropic({ baseURL: world.app.url, apiKey: null, authToken: world.app.workspaceKey, maxRetries: 0 });
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [{ type: 'text', text: 'Hi there' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  const request = () => ({ model: `@${anthropic}/claude-sonnet-4-5`, max_tokens: 10, messages });

  test.each([
    ['as this version sends it', () => ({})],
    ['in x-api-key, as other versions send it', (key: string) => ({ 'x-api-key': key, authorization: null })],
  ])('a gateway key given as apiKey is taken %s', async (_name, headersWith) => {
    const apiKey = world.app.workspaceKey;
    const own = new Anthropic({
      baseURL: world.app.url,
      apiKey,
      authToken: null,
      maxRetries: 0,
      defaultHeaders: headersWith(apiKey),
    });
    world.provider.play(json(200, message), json(200, { input_tokens: 3 }));
    expect((await own.messages.create(request())).content).toEqual(message.content);
    const { max_tokens: _limit, ...counted } = request();
    expect((await own.messages.countTokens(counted)).input_tokens).toBe(3);
    for (const { headers: sent } of world.provider.requests) {
      expect(sent['x-api-key']).toBe(STORED_KEY);
      expect(sent.authorization).toBeUndefined();
    }
  });

  test('messages, plain and streamed, and counted tokens pass natively', async () => {
    world.provider.play(json(200, message));
    expect((await client().messages.create(request())).content).toEqual(message.content);
    const [sent] = world.provider.requests;
    expect(sent).toMatchObject({
      url: '/v1/messages',
      headers: { 'x-api-key': STORED_KEY, 'anthropic-version': expect.any(String) },
    });
    expect(sent?.headers.authorization).toBeUndefined();
    expect(JSON.parse(String(sent?.body))).toEqual({ ...request(), model: 'claude-sonnet-4-5' });
    const event = (type: string, rest: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
    world.provider.play(
      eventStream([
        event('message_start', { message: { ...message, content: [], stop_reason: null } }),
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi there' } }),
        event('content_block_stop', { index: 0 }),
        event('message_delta', {
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 2 },
        }),
        event('message_stop', {}),
      ]),
    );
    expect(await client().messages.stream(request()).finalText()).toBe('Hi there');
    world.provider.play(json(200, { input_tokens: 7 }));
    const { max_tokens: _limit, ...counted } = request();
    expect((await client().messages.countTokens(counted)).input_tokens).toBe(7);
    expect(world.provider.requests[0]?.url).toBe('/v1/messages/count_tokens');
  });
});
