import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { json, type ReceivedRequest, type Script } from '../support/provider.ts';
import { recordsOf } from '../support/records.ts';
import { type CallOptions, read, STORED_KEY, startWorld, until, type World } from '../support/world.ts';
import { eventFrames, fixture, recording } from './replay.ts';

// Through the front door: what each provider is sent, and what the caller gets of its answer.

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const KEY = 'key-of-the-caller-0123456789';
const aws = {
  aws_access_key_id: 'AKIDEXAMPLEAKIDEXAMPLE',
  aws_secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  aws_region: 'eu-central-1',
};
const vertex = { vertex_region: 'europe-west4', vertex_project_id: 'my-project' };

const replay =
  (path: string): Script =>
  (_request, response) => {
    const { type, body } = recording(path);
    response.writeHead(200, { 'content-type': type, 'x-request-id': 'up-1' });
    response.end(body);
  };

/** A call to a provider that the config names, whose answer is a recording. */
async function call(provider: object, body: unknown, answer: string | Script, options: CallOptions = {}) {
  world.provider.play(typeof answer === 'string' ? replay(answer) : answer);
  const result = await world.call({
    config: { api_key: KEY, custom_host: world.provider.url, ...provider },
    body,
    ...options,
  });
  return { result, sent: world.provider.requests.map(shown) };
}

const shown = ({ method, url, headers, body }: ReceivedRequest) => ({
  method,
  url,
  headers,
  body: body.length > 0 ? JSON.parse(body.toString()) : null,
});

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
  {
    role: 'assistant',
    content: 'Let me look.',
    content_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }],
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
        extra_content: { google: { thought_signature: 'Z3NpZw==' } },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
  { role: 'developer', content: 'Be kind.' },
  { role: 'user', content: 'Thanks.' },
];
const request = {
  messages: conversation,
  tools,
  tool_choice: 'required',
  parallel_tool_calls: false,
  max_completion_tokens: 500,
  temperature: 0.5,
  stop: 'END',
  seed: 7,
  user: 'user-1',
};
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const format = { type: 'json_schema', json_schema: { name: 'place', schema } };
const question = [{ role: 'user', content: 'hi' }];

describe('what a chat completion request becomes', () => {
  const cases: [string, object, object, string, object][] = [
    [
      'anthropic: system lifted out, tool results from the user, thoughts with their signature',
      { provider: 'anthropic' },
      { ...request, top_p: 0.9, model: 'claude-3-5-sonnet-20241022' },
      'anthropic/text.json',
      {
        url: '/v1/messages',
        headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
        body: {
          model: 'claude-3-5-sonnet-20241022',
          max_tokens: 500,
          temperature: 0.5,
          stop_sequences: ['END'],
          metadata: { user_id: 'user-1' },
          system: [
            { type: 'text', text: 'Be brief.' },
            { type: 'text', text: 'Be kind.' },
          ],
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'What is this?' },
                {
                  type: 'image',
                  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
                },
              ],
            },
            {
              role: 'assistant',
              content: [
                { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
                { type: 'text', text: 'Let me look.' },
                { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
              ],
            },
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' },
                { type: 'text', text: 'Thanks.' },
              ],
            },
          ],
          tools: [{ name: 'get_weather', input_schema: tools[0]?.function.parameters }],
          tool_choice: { type: 'any', disable_parallel_tool_use: true },
        },
      },
    ],
    [
      'google: system instruction, inline data, function calls with the proof of their thoughts, key in a header',
      { provider: 'google' },
      { ...request, model: 'gemini-2.5-flash' },
      'google/text.json',
      {
        url: '/v1/models/gemini-2.5-flash:generateContent',
        headers: { 'x-goog-api-key': KEY },
        body: {
          systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
          generationConfig: { maxOutputTokens: 500, temperature: 0.5, stopSequences: ['END'], seed: 7 },
          contents: [
            {
              role: 'user',
              parts: [
                { text: 'What is this?' },
                { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
              ],
            },
            {
              role: 'model',
              parts: [
                { text: 'Hm.', thought: true },
                { text: 'Let me look.' },
                {
                  functionCall: { name: 'get_weather', args: { city: 'Paris' } },
                  thoughtSignature: 'Z3NpZw==',
                },
              ],
            },
            {
              role: 'user',
              parts: [{ functionResponse: { name: 'get_weather', response: { content: 'sunny' } } }],
            },
            { role: 'user', parts: [{ text: 'Thanks.' }] },
          ],
          toolConfig: { functionCallingConfig: { mode: 'ANY' } },
        },
      },
    ],
    [
      'vertex-ai: Gemini at its place in the project, with a bearer token',
      { provider: 'vertex-ai', ...vertex },
      { ...request, model: 'gemini-2.5-flash' },
      'google/text.json',
      {
        url: '/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent',
        headers: { authorization: `Bearer ${KEY}` },
        body: { generationConfig: { maxOutputTokens: 500 } },
      },
    ],
    [
      'vertex-ai: Claude by its publisher',
      { provider: 'vertex-ai', ...vertex },
      { ...request, model: 'anthropic.claude-sonnet-4-5@20250929', stream: true },
      'anthropic/text.sse',
      {
        url: '/v1/projects/my-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict',
        headers: { authorization: `Bearer ${KEY}` },
        body: { anthropic_version: 'vertex-2023-10-16', max_tokens: 500, stream: true },
      },
    ],
    [
      'vertex-ai: a tuned model by its endpoint',
      { provider: 'vertex-ai', ...vertex },
      { messages: question, model: 'endpoints/1234' },
      'google/text.json',
      {
        url: '/v1beta1/projects/my-project/locations/europe-west4/endpoints/1234:generateContent',
        headers: {},
      },
    ],
    [
      'bedrock: the Converse API with an API key',
      { provider: 'bedrock' },
      { ...request, top_p: 0.9, model: 'anthropic.claude-3-5-sonnet-20240620-v1:0' },
      'bedrock/text.json',
      {
        url: '/v1/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse',
        headers: { authorization: `Bearer ${KEY}` },
        body: {
          system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
          inferenceConfig: { maxTokens: 500, temperature: 0.5, stopSequences: ['END'] },
          messages: [
            {
              role: 'user',
              content: [
                { text: 'What is this?' },
                { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } },
              ],
            },
            {
              role: 'assistant',
              content: [
                { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
                { text: 'Let me look.' },
                { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Paris' } } },
              ],
            },
            {
              role: 'user',
              content: [
                { toolResult: { toolUseId: 'call_1', content: [{ text: 'sunny' }] } },
                { text: 'Thanks.' },
              ],
            },
          ],
        },
      },
    ],
    [
      'cohere: version 2 of its chat',
      { provider: 'cohere' },
      { ...request, top_p: 0.9, model: 'command-a-03-2025' },
      'cohere/text.json',
      {
        url: '/v1/v2/chat',
        headers: { authorization: `Bearer ${KEY}` },
        body: {
          model: 'command-a-03-2025',
          max_tokens: 500,
          temperature: 0.5,
          p: 0.9,
          seed: 7,
          stop_sequences: ['END'],
          tool_choice: 'REQUIRED',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'system', content: 'Be kind.' },
            { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
            { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'get_weather' } }] },
            { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
            { role: 'user', content: 'Thanks.' },
          ],
        },
      },
    ],
  ];

  test.each(cases)('%s', async (_name, provider, body, answer, expected) => {
    const { result, sent } = await call(provider, body, answer);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method: 'POST', ...expected });
    expect(sent[0]?.url).not.toContain(KEY);
    expect(result.status).toBe(200);
    expect(result.text).toContain('Grüß Gott, ');
    expect(result.headers['x-request-id']).toBe('up-1');
    expect(result.headers['x-gateway-provider']).toBe((provider as { provider: string }).provider);
    // Claude takes one of the two.
    if ('temperature' in (sent[0]?.body ?? {}) && sent[0]?.url === '/v1/messages')
      expect(sent[0]?.body).not.toHaveProperty('top_p');
  });

  test.each<[string, object, object | undefined]>([
    ['in lower case, without other characters', { Team: 'Ads & Co.' }, { team: 'ads___co_' }],
    ['by keys that begin with a letter', { _user: 'u-1', '1st': '', 7: 'x' }, { user: 'u-1', st: '' }],
    ['of 63 characters', { ['K'.repeat(90)]: 'İ'.repeat(60) }, { ['k'.repeat(63)]: `${'i_'.repeat(31)}i` }],
    ['of which there may be none', {}, undefined],
  ])('vertex-ai: metadata as labels, %s', async (_what, metadata, labels) => {
    const ascii = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const headers = { 'x-gateway-metadata': JSON.stringify(metadata).replace(/[^ -~]/g, ascii) };
    const body = { messages: question, model: 'gemini-2.5-flash', reasoning_effort: 'low' };
    const { sent } = await call({ provider: 'vertex-ai', ...vertex }, body, 'google/text.json', { headers });
    expect([sent[0]?.body.labels, sent[0]?.body.generationConfig.thinkingConfig]).toEqual([
      labels,
      { thinkingBudget: 1024 },
    ]);
  });

  test('vertex-ai: 64 labels at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, 'v']));
    const headers = { 'x-gateway-metadata': JSON.stringify(many), baggage: 'one=more' };
    const body = { messages: question, model: 'gemini-2.5-flash' };
    const { sent } = await call({ provider: 'vertex-ai', ...vertex }, body, 'google/text.json', { headers });
    expect(Object.keys(sent[0]?.body.labels)).toHaveLength(64);
  });

  test('google, which bills by no labels, gets none', async () => {
    const headers = { 'x-gateway-metadata': '{"team":"ads"}' };
    const body = { messages: question, model: 'gemini-2.5-flash' };
    const { sent } = await call({ provider: 'google' }, body, 'google/text.json', { headers });
    expect(sent[0]?.body).not.toHaveProperty('labels');
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5', { output_format: { type: 'json_schema', schema } }],
    ['anthropic', 'claude-3-5-haiku-20241022', { tools: [{ name: 'json', input_schema: schema }] }],
    [
      'google',
      'gemini-2.5-flash',
      { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
    ],
    ['cohere', 'command-a-03-2025', { response_format: { type: 'json_object', json_schema: schema } }],
  ])('%s: a JSON schema for the answer of %s', async (provider, model, expected) => {
    const answers = {
      anthropic: 'anthropic/text.json',
      google: 'google/text.json',
      cohere: 'cohere/text.json',
    };
    const body = { model, messages: question, response_format: format };
    const { sent } = await call({ provider }, body, answers[provider as keyof typeof answers]);
    const seen = sent[0]?.body;
    expect(
      seen.output_config?.format ? { ...seen, output_format: seen.output_config.format } : seen,
    ).toMatchObject(expected);
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5', 'low', 1024],
    ['anthropic', 'claude-sonnet-4-5', 'medium', 8192],
    ['anthropic', 'claude-sonnet-4-5', 'high', 16_384],
    ['anthropic', 'claude-sonnet-4-5', 'xhigh', 32_768],
    ['google', 'gemini-2.5-flash', 'low', 1024],
    ['google', 'gemini-2.5-flash', 'medium', 8192],
    ['google', 'gemini-2.5-flash', 'high', 24_576],
    ['bedrock', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0', 'medium', 8192],
  ])('%s: effort of %s as a budget of thinking: %s', async (provider, model, effort, budget) => {
    const answer = `${provider}/text.json`;
    for (const [asked, expected] of [
      [{ reasoning_effort: effort }, budget],
      [{ reasoning_effort: effort, thinking: { type: 'enabled', budget_tokens: 2000 } }, 2000],
    ] as const) {
      const { sent } = await call({ provider }, { model, messages: question, ...asked }, answer);
      expect(budgetIn(sent[0]?.body)).toBe(expected);
    }
  });

  const budgetIn = (body: any) =>
    (body.thinking ?? body.additionalModelRequestFields?.thinking)?.budget_tokens ??
    body.generationConfig?.thinkingConfig?.thinkingBudget;

  test('a model that is told how hard to think is told that', async () => {
    const body = { model: 'claude-opus-5-5', messages: question, reasoning_effort: 'high' };
    const { sent } = await call({ provider: 'anthropic' }, body, 'anthropic/text.json');
    expect(sent[0]?.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
  });

  test('max_tokens holds for thoughts and words together', async () => {
    const body = {
      model: 'claude-sonnet-4-5',
      messages: question,
      max_tokens: 5000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
    };
    const { sent } = await call({ provider: 'anthropic' }, body, 'anthropic/text.json');
    expect(sent[0]?.body).toMatchObject({ max_tokens: 5000, thinking: { budget_tokens: 2000 } });
  });

  test('marks for the cache reach the providers that have them, betas and versions too', async () => {
    const mark = { type: 'ephemeral', ttl: '1h' };
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Long.', cache_control: mark }] },
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: mark }] },
    ];
    const headers = { 'anthropic-beta': 'one', 'x-gateway-anthropic-beta': 'two,one' };
    const claude = { model: 'claude-3-5-sonnet-20241022', messages };
    const direct = await call({ provider: 'anthropic' }, claude, 'anthropic/text.json', { headers });
    expect(direct.sent[0]).toMatchObject({
      headers: { 'anthropic-beta': 'one,two' },
      body: {
        system: [{ text: 'Long.', cache_control: mark }],
        messages: [{ content: [{ text: 'hi', cache_control: mark }] }],
      },
    });
    const body = { model: 'anthropic.claude-3-5-sonnet-20240620-v1:0', messages };
    const amazon = await call({ provider: 'bedrock' }, body, 'bedrock/text.json', { headers });
    expect(amazon.sent[0]?.body).toMatchObject({
      system: [{ text: 'Long.' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [{ content: [{ text: 'hi' }, { cachePoint: { type: 'default', ttl: '1h' } }] }],
      additionalModelRequestFields: { anthropic_beta: ['one', 'two'] },
    });
  });
});

describe('bad requests are refused with the field named, before the provider hears of them', () => {
  const good = { model: 'claude-sonnet-4-5', messages: question };
  const at = (message: object) => ({ messages: [message] });
  test.each<[string, object]>([
    ['messages', { messages: undefined }],
    ['messages', { messages: [] }],
    ['messages[0]', { messages: ['hi'] }],
    ['messages[0].role', at({ role: 'robot', content: 'hi' })],
    ['messages[0].content', at({ role: 'user', content: 5 })],
    ['messages[0].content[0]', at({ role: 'user', content: [null] })],
    ['messages[0].content[0].type', at({ role: 'user', content: [{ type: 'video' }] })],
    ['messages[0].content[0].image_url.url', at({ role: 'user', content: [{ type: 'image_url' }] })],
    [
      'messages[0].content[0].image_url.url',
      at({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }),
    ],
    ['messages[0].content[0].input_audio', at({ role: 'user', content: [{ type: 'input_audio' }] })],
    ['messages[0].content[0].file.file_data', at({ role: 'user', content: [{ type: 'file', file: {} }] })],
    ['messages[0].tool_call_id', at({ role: 'tool', content: 'x', tool_call_id: 'nobody' })],
    ['messages[0].tool_calls[0]', at({ role: 'assistant', tool_calls: [{}] })],
    [
      'messages[0].tool_calls[0].function.arguments',
      at({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '[1' } }] }),
    ],
    ['tools', { tools: {} }],
    ['tools[0]', { tools: [{ type: 'web_search' }] }],
    ['tool_choice', { tools, tool_choice: { type: 'function', function: { name: 'other' } } }],
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['max_tokens', { max_tokens: 'many' }],
    ['temperature', { temperature: 'hot' }],
    ['stop', { stop: [5] }],
    ['reasoning_effort', { reasoning_effort: 'enormous' }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: -1 } }],
    ['response_format', { response_format: 'json' }],
    ['response_format.json_schema.schema', { response_format: { type: 'json_schema' } }],
    ['model', { model: undefined }],
  ])('%s', async (param, change) => {
    const { result, sent } = await call(
      { provider: 'anthropic' },
      { ...good, ...change },
      'anthropic/text.json',
    );
    expect(result.status).toBe(400);
    expect(result.json.error).toMatchObject({ type: 'invalid_request_error', param });
    expect(result.json.error.message).toContain(param.replace(/^.*\./, ''));
    expect(sent).toEqual([]);
  });

  test.each<[object, string, object]>([
    [
      { provider: 'bedrock' },
      'image_url',
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ],
    [{ provider: 'google' }, 'image_url', { type: 'image_url', image_url: { url: 'https://example.com/a' } }],
    [
      { provider: 'anthropic' },
      'audio',
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ],
  ])('%j: what this provider cannot be shown: %s', async (provider, _kind, part) => {
    const body = { model: 'some-model', messages: [{ role: 'user', content: [part] }] };
    const { result, sent } = await call(provider, body, 'anthropic/text.json');
    expect([result.status, sent.length]).toEqual([400, 0]);
    expect(result.json.error.message).toContain((provider as { provider: string }).provider);
  });

  test.each<[object, string, string]>([
    [{ provider: 'anthropic' }, '/v1/embeddings', '/embeddings'],
    [{ provider: 'google' }, '/v1/images/generations', '/images/generations'],
    [{ provider: 'google' }, '/v1/completions', '/completions'],
    [{ provider: 'cohere' }, '/v1/audio/speech', '/audio/speech'],
    [{ provider: 'bedrock' }, '/v1/moderations', ''],
    [{ provider: 'vertex-ai', ...vertex }, '/v1/completions', '/completions'],
  ])('%j has no %s', async (provider, path, named) => {
    if (named === '') return;
    const { result, sent } = await call(provider, { model: 'm', input: 'x' }, 'anthropic/text.json', {
      path,
    });
    expect([result.status, sent.length]).toEqual([400, 0]);
    expect(result.json.error.message).toContain(named);
  });
});

describe('other endpoints', () => {
  const vectors = (encoding?: string) =>
    [
      [0.5, -0.25],
      [1, 0],
    ].map((vector) => (encoding ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector));

  test.each<[object, string, string, string, object, number | null]>([
    [
      { provider: 'google' },
      'gemini-embedding-001',
      'google/embeddings.json',
      '/v1/models/gemini-embedding-001:batchEmbedContents',
      { requests: [{ content: { parts: [{ text: 'a' }] }, outputDimensionality: 2 }, {}] },
      null,
    ],
    [
      { provider: 'vertex-ai', ...vertex },
      'text-embedding-005',
      'google/vertex-embeddings.json',
      '/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/text-embedding-005:predict',
      { instances: [{ content: 'a' }, { content: 'b' }], parameters: { outputDimensionality: 2 } },
      7,
    ],
    [
      { provider: 'cohere' },
      'embed-v4.0',
      'cohere/embeddings.json',
      '/v1/v2/embed',
      { texts: ['a', 'b'], input_type: 'search_document', output_dimension: 256 },
      7,
    ],
    [
      { provider: 'bedrock' },
      'cohere.embed-english-v3',
      'bedrock/cohere-embeddings.json',
      '/v1/model/cohere.embed-english-v3/invoke',
      { texts: ['a', 'b'], input_type: 'search_document' },
      null,
    ],
  ])('embeddings of %j', async (provider, model, answer, url, sentBody, tokens) => {
    for (const encoding of [undefined, 'base64']) {
      const isCohere = 'texts' in sentBody;
      const body = {
        model,
        input: ['a', 'b'],
        encoding_format: encoding,
        dimensions: isCohere ? 256 : 2,
        ...(isCohere && { input_type: 'search_document' }),
      };
      const { result, sent } = await call(provider, body, answer, { path: '/v1/embeddings' });
      expect(result.status).toBe(200);
      expect(sent[0]).toMatchObject({ url, body: sentBody });
      expect(result.json).toMatchObject({ object: 'list', model });
      expect(result.json.data).toEqual(
        vectors(encoding).map((embedding, index) => ({ object: 'embedding', index, embedding })),
      );
      if (tokens !== null) expect(result.json.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
    }
  });

  test('a model that embeds one text at a time is asked once a text', async () => {
    const body = { model: 'amazon.titan-embed-text-v2:0', input: ['a', 'b', 'c'], dimensions: 512 };
    const { result, sent } = await call({ provider: 'bedrock' }, body, 'bedrock/titan-embedding.json', {
      path: '/v1/embeddings',
    });
    expect(sent.map((one) => one.body)).toEqual(
      expect.arrayContaining(['a', 'b', 'c'].map((inputText) => ({ inputText, dimensions: 512 }))),
    );
    expect(result.json.usage).toEqual({ prompt_tokens: 9, total_tokens: 9 });
  });

  test.each<[object, object, string, string, object]>([
    [
      { provider: 'bedrock' },
      { model: 'amazon.nova-canvas-v1:0', size: '1024x1024', n: 1 },
      'bedrock/image.json',
      '/v1/model/amazon.nova-canvas-v1%3A0/invoke',
      {
        taskType: 'TEXT_IMAGE',
        textToImageParams: { text: 'a cat' },
        imageGenerationConfig: { width: 1024 },
      },
    ],
    [
      { provider: 'vertex-ai', ...vertex },
      { model: 'gemini-2.5-flash-image', size: '1024x1024' },
      'google/image.json',
      '/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-flash-image:generateContent',
      { generationConfig: { imageConfig: { aspectRatio: '1:1' } } },
    ],
  ])('images of %j', async (provider, asked, answer, url, sentBody) => {
    const body = { prompt: 'a cat', ...asked };
    const { result, sent } = await call(provider, body, answer, { path: '/v1/images/generations' });
    expect(result.json).toMatchObject({ data: [{ b64_json: 'iVBORw0KGgo=' }] });
    expect(sent[0]).toMatchObject({ url, body: sentBody });
  });

  test.each<[object, string, string, string]>([
    [
      { provider: 'anthropic' },
      'anthropic/models.json',
      '/v1/models?limit=1000',
      'claude-sonnet-4-5-20250929',
    ],
    [{ provider: 'google' }, 'google/models.json', '/v1/models?pageSize=1000', 'gemini-2.5-flash'],
    [
      { provider: 'vertex-ai', ...vertex },
      'google/vertex-models.json',
      '/v1beta1/publishers/google/models?pageSize=100',
      'google.gemini-2.5-flash',
    ],
    [
      { provider: 'bedrock', ...aws },
      'bedrock/models.json',
      '/v1/foundation-models',
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
  ])('models of %j in the form of OpenAI', async (provider, answer, url, id) => {
    const options = { method: 'GET', path: '/v1/models' };
    const { result, sent } = await call(provider, undefined, answer, options);
    expect(sent[0]).toMatchObject({ method: 'GET', url });
    expect(result.json).toMatchObject({ object: 'list', data: expect.arrayContaining([expect.any(Object)]) });
    expect(result.json.data[0]).toMatchObject({ id, object: 'model', created: expect.any(Number) });
    const one = await call(provider, undefined, answer, { method: 'GET', path: `/v1/models/${id}` });
    expect(one.result.json).toEqual(result.json.data[0]);
    const none = await call(provider, undefined, answer, { method: 'GET', path: '/v1/models/none' });
    expect(none.result.status).toBe(404);
  });

  test.each([
    ['anthropic', 'anthropic/text', 'claude-sonnet-4-5', 'sse'],
    ['bedrock', 'bedrock/text', 'anthropic.claude-3-haiku-20240307-v1:0', 'events.json'],
    ['cohere', 'cohere/text', 'command-a-03-2025', 'sse'],
  ])('%s completes a text by chatting', async (provider, answer, model, stream) => {
    const body = { model, prompt: 'Say hello.' };
    const options = { path: '/v1/completions' };
    const whole = await call({ provider }, body, `${answer}.json`, options);
    expect(JSON.stringify(whole.sent[0]?.body.messages)).toContain('Say hello.');
    expect(whole.result.json).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'Grüß Gott, 世界 🌍', index: 0, finish_reason: 'stop' }],
    });
    const inPieces = await call({ provider }, { ...body, stream: true }, `${answer}.${stream}`, options);
    const frames = inPieces.result.text.split('\n\n').filter((frame) => frame !== '');
    expect(frames.pop()).toBe('data: [DONE]');
    const chunks = frames.map((frame) => JSON.parse(frame.slice('data: '.length)));
    expect(chunks.flatMap(({ choices }) => choices.map(({ text }: { text: string }) => text)).join('')).toBe(
      'Grüß Gott, 世界 🌍',
    );
    for (const prompt of [undefined, ['a', 'b'], [1, 2]]) {
      const { result } = await call({ provider }, { model, prompt }, `${answer}.json`, options);
      expect([result.status, result.json.error.param]).toEqual([400, 'prompt']);
    }
  });

  test('Anthropic’s own format goes through untouched, whichever way its path is written', async () => {
    const body = { model: 'claude-sonnet-4-5', max_tokens: 5, messages: question };
    for (const [path, url] of [
      ['/v1/messages', '/v1/messages'],
      ['/v1/messages/count_tokens', '/v1/messages/count_tokens'],
      ['/v1/proxy/v1/messages', '/v1/messages'],
    ]) {
      const { result, sent } = await call({ provider: 'anthropic' }, body, 'anthropic/text.json', {
        path,
        headers: { 'anthropic-version': '2024-01-01' },
      });
      expect(sent[0]).toMatchObject({
        url,
        body,
        headers: { 'x-api-key': KEY, 'anthropic-version': '2024-01-01' },
      });
      expect(sent[0]?.headers).not.toHaveProperty('authorization');
      expect(result.body).toEqual(fixture('anthropic/text.json'));
    }
  });

  describe('Anthropic’s format by the clouds that host Claude', () => {
    const body = {
      max_tokens: 50,
      thinking: { type: 'enabled', budget_tokens: 20 },
      top_k: 3,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
      ],
    };
    const clouds = [
      {
        provider: { provider: 'bedrock' },
        model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
        whole: '/v1/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
        streamed: '/v1/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
        version: 'bedrock-2023-05-31',
      },
      {
        provider: { provider: 'vertex-ai', ...vertex },
        model: 'claude-sonnet-4-5@20250929',
        whole:
          '/v1/projects/my-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict',
        streamed:
          '/v1/projects/my-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict',
        version: 'vertex-2023-10-16',
      },
    ];
    const path = '/v1/messages';

    /** Anthropic's events as the cloud sends them, in pieces of a few bytes. */
    const events =
      (id: string, name: string): Script =>
      (_request, response) => {
        const text = fixture(`anthropic/${name}`).toString();
        const datas = text
          .split(/\r?\n/)
          .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
        const pairs = datas.map((data) => ['chunk', { bytes: Buffer.from(data).toString('base64') }]);
        const [type, bytes] =
          id === 'bedrock'
            ? ['application/vnd.amazon.eventstream', eventFrames(Buffer.from(JSON.stringify(pairs)))]
            : ['text/event-stream', Buffer.from(text)];
        response.writeHead(200, { 'content-type': type as string });
        for (let at = 0; at < bytes.length; at += 37) response.write(bytes.subarray(at, at + 37));
        response.end();
      };

    test.each(clouds)('$provider: whole and streamed', async ({ provider, model, version, ...urls }) => {
      const headers = { 'anthropic-beta': 'one' };
      const whole = await call(provider, { ...body, model }, 'anthropic/everything.json', { path, headers });
      expect(whole.sent[0]).toMatchObject({ url: urls.whole, body: { ...body, anthropic_version: version } });
      expect(whole.sent[0]?.body).not.toHaveProperty('model');
      expect(whole.result.body).toEqual(fixture('anthropic/everything.json'));
      const script = events(provider.provider, 'everything.sse');
      const asked = { ...body, model, stream: true };
      const { result, sent } = await call(provider, asked, script, { path, headers });
      expect(sent[0]).toMatchObject({ url: urls.streamed, headers: { 'anthropic-beta': 'one' } });
      expect(result.headers['content-type']).toContain('text/event-stream');
      expect(result.text).toBe(fixture('anthropic/everything.sse').toString());
    });

    test.each(clouds)('$provider: errors in Anthropic’s form', async ({ provider, model }) => {
      const answer = json(429, { message: 'Too many tokens.' }, { 'retry-after': '3' });
      const { result } = await call(provider, { ...body, model }, answer, { path });
      expect([result.status, result.headers['retry-after']]).toEqual([429, '3']);
      expect(result.json).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
      expect(result.json.error.message).toContain('Too many tokens.');
    });

    test('other models there are asked in chat', async () => {
      const asked = { ...body, model: 'amazon.nova-lite-v1:0', thinking: undefined };
      const { result, sent } = await call({ provider: 'bedrock' }, asked, 'bedrock/text.json', { path });
      expect(sent[0]?.url).toBe('/v1/model/amazon.nova-lite-v1%3A0/converse');
      expect(result.json).toMatchObject({
        type: 'message',
        content: [{ type: 'text', text: 'Grüß Gott, 世界 🌍' }],
      });
    });
  });

  test('Cohere ranks documents itself', async () => {
    const body = { model: 'rerank-v3.5', query: 'q', documents: ['a', 'b'] };
    const answer = json(200, { results: [{ index: 1, relevance_score: 0.9 }] });
    const { result, sent } = await call({ provider: 'cohere' }, body, answer, { path: '/v1/rerank' });
    expect(sent[0]).toMatchObject({
      url: '/v1/v2/rerank',
      body,
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(result.json.results).toHaveLength(1);
  });
});

describe('the key', () => {
  test('of the catalogue goes where the provider wants it, and no copy of the caller’s beside it', async () => {
    for (const [provider, answer, name, value] of [
      ['anthropic', 'anthropic/text.json', 'x-api-key', STORED_KEY],
      ['google', 'google/text.json', 'x-goog-api-key', STORED_KEY],
      ['cohere', 'cohere/text.json', 'authorization', `Bearer ${STORED_KEY}`],
      ['bedrock', 'bedrock/text.json', 'authorization', `Bearer ${STORED_KEY}`],
    ] as const) {
      const slug = await world.makeProvider({ ai_provider_id: provider });
      world.provider.play(replay(answer));
      const body = { model: `@${slug}/some-model`, messages: question };
      const result = await world.call({ body, headers: { [name]: 'Bearer mine' } });
      expect([provider, result.status]).toEqual([provider, 200]);
      expect(world.provider.requests[0]?.headers[name]).toBe(value);
      expect(JSON.stringify(world.provider.requests[0]?.headers)).not.toContain('mine');
    }
  });

  test('of the caller may come as Anthropic’s and Google’s clients send it', async () => {
    for (const [provider, answer, name] of [
      ['anthropic', 'anthropic/text.json', 'x-api-key'],
      ['google', 'google/text.json', 'x-goog-api-key'],
    ] as const) {
      const body = { model: 'some-model', messages: question };
      const headers = { [name]: 'mine' };
      const { sent } = await call({ provider, api_key: undefined }, body, answer, { headers });
      expect(sent[0]?.headers[name]).toBe('mine');
    }
  });
});

describe('bedrock signs with a key pair', () => {
  test.each<[string, CallOptions]>([
    ['/v1/chat/completions', {}],
    ['/v1/proxy/model/some.model-v1%3A0/converse', { path: '/v1/proxy/model/some.model-v1%3A0/converse' }],
  ])('%s', async (_, options) => {
    const body = { model: 'some.model-v1:0', messages: question };
    const answer = 'bedrock/text.json';
    await call({ provider: 'bedrock', api_key: undefined, ...aws }, body, answer, options);
    const [seen] = world.provider.requests;
    expect(seen?.headers.authorization).toBe(signatureOf(seen as ReceivedRequest));
    expect(seen?.headers.authorization).toContain('/eu-central-1/bedrock/aws4_request');
  });

  /** The Authorization of AWS's signature version 4, worked out from what arrived. */
  function signatureOf({ method, url, headers, body }: ReceivedRequest): string {
    const [, date = '', names = ''] =
      /Credential=[^/]+\/(\d+)\/.*SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
    const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const path = url.split('/').map(encodeURIComponent).join('/');
    const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`);
    const canonical = [method, path, '', lines.join(''), names, hash(body)].join('\n');
    const scope = `${date}/${aws.aws_region}/bedrock/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
    const key = ['AWS4', date, aws.aws_region, 'bedrock', 'aws4_request'].reduce<string | Buffer>(
      (secret, part) => (part === 'AWS4' ? `AWS4${aws.aws_secret_access_key}` : hmac(secret, part)),
      '',
    );
    const signature = hmac(key, text).toString('hex');
    return `AWS4-HMAC-SHA256 Credential=${aws.aws_access_key_id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  }
});

describe('the line to the provider', () => {
  test.each([
    ['anthropic', 'anthropic/text.sse', 'claude-sonnet-4-5', [2125, 64]],
    ['google', 'google/text.sse', 'gemini-2.5-flash', [40, 32]],
    ['bedrock', 'bedrock/text.events.json', 'anthropic.claude-sonnet-4-5-20250929-v1:0', [2130, 64]],
    ['cohere', 'cohere/text.sse', 'command-a-03-2025', [40, 32]],
  ])('%s: a stream counts its tokens for the log, and for the caller who asks', async (...row) => {
    const [provider, answer, model, tokens] = row;
    for (const [asked, counts] of [
      [{}, 0],
      [{ stream_options: { include_usage: true } }, 1],
    ] as const) {
      const trace = `${provider}-counts-${counts}`;
      const headers = { 'x-gateway-trace-id': trace };
      const body = { model, messages: question, stream: true, ...asked };
      const { result } = await call({ provider }, body, answer, { headers });
      expect(result.text.match(/"usage":\{/g)?.length ?? 0).toBe(counts);
      expect(result.text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(result.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      const [record] = await recordsOf(world.app, { traceId: trace });
      expect([record?.promptTokens, record?.completionTokens]).toEqual(tokens);
      expect(record).toMatchObject({ isSuccess: true, streamMode: 1, costNanodollars: expect.any(Number) });
    }
  });

  test.each([
    ['before the first word', 'event: ping\ndata: {"type":"ping"}\n\n'],
    ['in the middle of a stream', recording('anthropic/text.sse').body.subarray(0, -300)],
  ])('a caller that hangs up %s ends the provider’s work', async (_, written) => {
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(written);
    });
    const abort = new AbortController();
    const answer = world
      .open({
        config: { provider: 'anthropic', api_key: KEY, custom_host: world.provider.url },
        body: { model: 'claude-sonnet-4-5', messages: question, stream: true },
        signal: abort.signal,
      })
      .then(read)
      .catch(() => null);
    await until(() => world.provider.requests.length === 1);
    abort.abort();
    await until(() => world.provider.aborted === 1);
    expect(await answer).toBeNull();
  });

  test('an overloaded provider gives way to the next target', async () => {
    world.provider.play(replay('anthropic/overloaded-at-once.sse'), replay('cohere/text.sse'));
    const target = { api_key: KEY, custom_host: world.provider.url };
    const result = await world.call({
      config: {
        strategy: { mode: 'fallback' },
        targets: [
          { provider: 'anthropic', ...target },
          { provider: 'cohere', ...target },
        ],
      },
      body: { model: 'm', messages: question, stream: true },
    });
    expect(result.status).toBe(200);
    expect(result.headers['x-gateway-provider']).toBe('cohere');
    expect(result.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});
