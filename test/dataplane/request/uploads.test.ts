import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventStream, json, type ReceivedRequest } from '../../support/provider.ts';
import { type CallOptions, created, startWorld, type World } from '../../support/world.ts';

let world: World;
/** Bytes up to which a body is kept. */
const KEPT = 128 * 1024;

beforeAll(async () => {
  world = await startWorld({ MAX_REPLAY_BYTES: String(KEPT) });
});
afterAll(() => world.stop());

const through = (headers: Record<string, string> = {}) => ({
  'x-gateway-provider': `@${world.slug}`,
  ...headers,
});

const received = () => {
  expect(world.provider.requests).toHaveLength(1);
  return world.provider.requests[0] as ReceivedRequest;
};

test('an upload of 20 MB goes through as a stream, with its length', async () => {
  let length = 0;
  const hash = createHash('sha256');
  const total = 20 * 1024 * 1024;
  world.provider.play((request, response) => {
    length = request.body.length;
    hash.update(request.body);
    response.end('done');
  });
  const expected = createHash('sha256');
  const chunks = Array.from({ length: 320 }, () => randomBytes(total / 320));
  for (const chunk of chunks) expected.update(chunk);
  const answer = await fetch(`${world.app.url}/v1/files`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': world.app.workspaceKey,
      'content-type': 'application/octet-stream',
      'content-length': String(total),
      ...through(),
    },
    body: Readable.from(chunks) as never,
    duplex: 'half',
  } as RequestInit);
  expect([answer.status, await answer.text(), length]).toEqual([200, 'done', total]);
  expect(hash.digest('hex')).toBe(expected.digest('hex'));
  expect(received().headers['transfer-encoding'] ?? null).toBe(
    received().headers['content-length'] === String(total) ? null : 'chunked',
  );
});

test('an upload of known length announces it to the provider', async () => {
  world.provider.play(json(200, {}));
  const body = Buffer.alloc(KEPT + 1, 1);
  await world.call({ path: '/v1/files', headers: through({ 'content-type': 'audio/wav' }), body });
  expect(received().headers['content-length']).toBe(String(body.length));
  expect(received().body.length).toBe(body.length);
});

test('an upload of unknown length goes through', async () => {
  world.provider.play(json(200, {}));
  const chunks = Array.from({ length: 50 }, (_, index) => Buffer.alloc(1000, index));
  const answer = await fetch(`${world.app.url}/v1/files`, {
    method: 'PUT',
    headers: { 'x-gateway-api-key': world.app.workspaceKey, 'content-type': 'audio/wav', ...through() },
    body: Readable.from(chunks) as never,
    duplex: 'half',
  } as RequestInit);
  expect(answer.status).toBe(200);
  expect(received().body.equals(Buffer.concat(chunks))).toBe(true);
});

test.each<[string, Record<string, string>]>([
  [
    'sagemaker',
    {
      'x-gateway-aws-region': 'us-east-1',
      'x-gateway-aws-access-key-id': 'AKIAIOSFODNN7EXAMPLE',
      'x-gateway-aws-secret-access-key': 'x'.repeat(40),
    },
  ],
  ['oracle', { 'x-gateway-oracle-region': 'us-ashburn-1' }],
])('%s, which wants its requests signed, takes no upload of unknown length', async (provider, headers) => {
  world.provider.play(json(200, {}));
  const answer = await fetch(`${world.app.url}/v1/proxy/endpoints/e/invocations`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': world.app.workspaceKey,
      'x-gateway-provider': provider,
      'x-gateway-custom-host': world.provider.url,
      'content-type': 'text/csv',
      ...headers,
    },
    body: Readable.from([Buffer.from('1,'), Buffer.from('2')]) as never,
    duplex: 'half',
  } as RequestInit);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('cannot be')]);
  expect(world.provider.requests).toHaveLength(0);
});

test('a provider that answers before the upload is complete is heard', async () => {
  const early = await startEarlyProvider();
  const body = Buffer.alloc(12 * 1024 * 1024);
  const answer = await world.call({
    path: '/v1/files',
    headers: {
      'x-gateway-provider': 'openai',
      'x-gateway-custom-host': early.url,
      'content-type': 'audio/wav',
    },
    body,
  });
  expect([answer.status, answer.text]).toEqual([413, 'too much']);
  await early.stop();
});

describe('a form', () => {
  const recording = randomBytes(2000);
  /** More than is kept. */
  const large = Buffer.alloc(2 * KEPT, 7);

  type Fields = [string, string | Buffer][];
  const withModel = (file: Buffer = recording): Fields => [
    ['model', `@${world.slug}/whisper-1`],
    ['language', 'de'],
    ['file', file],
  ];

  async function send(fields: Fields, options: CallOptions = {}) {
    const form = new FormData();
    for (const [name, value] of fields)
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, new Blob([new Uint8Array(value)]), 'speech.wav');
    const request = new Request('http://local/', { method: 'POST', body: form });
    world.provider.play(json(200, { text: 'hello' }));
    return world.call({
      path: '/v1/audio/transcriptions',
      body: Buffer.from(await request.arrayBuffer()),
      ...options,
      headers: { 'content-type': request.headers.get('content-type') ?? '', ...options.headers },
    });
  }

  /** Of millions of bytes, which are slow to compare one by one. */
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  /** What reached the provider, read by another parser; files as their digests. */
  async function form(): Promise<Record<string, unknown>> {
    const { body, headers } = received();
    expect(headers['content-length']).toBe(String(body.length));
    const type = { headers: { 'content-type': String(headers['content-type']) } };
    const entries = await Promise.all(
      [...(await new Response(new Uint8Array(body), type).formData())].map(async ([name, value]) => [
        name,
        typeof value === 'string' ? value : digest(Buffer.from(await value.arrayBuffer())),
      ]),
    );
    expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
    return Object.fromEntries(entries);
  }

  test.each(['first', 'last'])('names its provider in the field model, which stands %s', async (place) => {
    const fields = withModel();
    expect((await send(place === 'first' ? fields : fields.toReversed())).json).toEqual({ text: 'hello' });
    expect(received().url).toBe('/v1/audio/transcriptions');
    expect(await form()).toEqual({ model: 'whisper-1', language: 'de', file: digest(recording) });
  });

  test('is sent again on a retry, with its model changed', async () => {
    const busy = json(429, {}, { 'retry-after-ms': '1' });
    const answer = send(withModel(), { config: { retry: { attempts: 1, use_retry_after_header: true } } });
    world.provider.play(busy, json(200, { text: 'again' }));
    expect((await answer).status).toBe(200);
    expect(world.provider.requests.map(({ body }) => String(body).includes('\r\n\r\nwhisper-1\r\n'))).toEqual(
      [true, true],
    );
  });

  test.each(['kept', 'streamed'])('that is %s takes the config’s parameters as fields', async (kind) => {
    const file = kind === 'kept' ? recording : large;
    await send(withModel(file), {
      config: {
        default_params: { language: 'en', temperature: 0.5, timestamp_granularities: ['word'] },
        override_params: { response_format: 'json' },
        drop_params: ['language', 'missing'],
      },
    });
    expect(await form()).toEqual({
      model: 'whisper-1',
      temperature: '0.5',
      timestamp_granularities: '["word"]',
      response_format: 'json',
      file: digest(file),
    });
  });

  test('too large to keep streams through when its model stands before the file', async () => {
    expect((await send([...withModel(large), ['prompt', 'later']])).status).toBe(200);
    expect(await form()).toEqual({
      model: 'whisper-1',
      language: 'de',
      file: digest(large),
      prompt: 'later',
    });
  });

  test('too large to keep, with its model behind the file, goes where a header says', async () => {
    const fields: Fields = [
      ['file', large],
      ['model', 'whisper-1'],
    ];
    expect((await send(fields)).json.error.code).toBe('provider_required');
    expect((await send(fields, { headers: through() })).status).toBe(200);
    expect(await form()).toEqual({ file: digest(large), model: 'whisper-1' });
  });

  test.each([
    [
      'a model with a slug',
      [
        ['file', large],
        ['model', '@x/m'],
      ],
      undefined,
      'model',
    ],
    [
      'a second model',
      [
        ['model', 'a'],
        ['file', large],
        ['model', 'b'],
      ],
      undefined,
      'model',
    ],
    [
      'a field that the config changes',
      [
        ['file', large],
        ['language', 'de'],
      ],
      { override_params: { language: 'en' } },
      'language',
    ],
  ] as [string, Fields, object | undefined, string][])(
    'too large to keep may not have %s behind the file',
    async (_name, fields, config, param) => {
      const answer = await send(fields, { headers: through(), config });
      expect([answer.status, answer.json.error.param]).toEqual([400, param]);
    },
  );

  test('with two models is refused', async () => {
    const answer = await send([...withModel(), ['model', 'other']]);
    expect([answer.status, answer.json.error.param, world.provider.requests.length]).toEqual([
      400,
      'model',
      0,
    ]);
  });

  test('asks for a model that the provider must be allowed to serve, large or small', async () => {
    const slug = await world.makeProvider();
    await world.app.rest('PUT', `/v1/integrations/${slug}/models`, {
      body: { models: [{ slug: 'whisper-1', enabled: true }], allow_all_models: false },
    });
    const status = async (fields: Fields) =>
      (await send(fields, { headers: { 'x-gateway-provider': `@${slug}` } })).status;
    for (const file of [recording, large]) {
      expect(
        await status([
          ['model', 'whisper-1'],
          ['file', file],
        ]),
      ).toBe(200);
      expect(
        await status([
          ['model', 'other'],
          ['file', file],
        ]),
      ).toBe(403);
    }
    expect(
      await status([
        ['file', large],
        ['model', 'other'],
      ]),
    ).toBe(403);
    expect(
      await status([
        ['model', 'whisper-1'],
        ['file', large],
        ['model', 'other'],
      ]),
    ).toBe(400);
  });

  test('is not sent where its grammar is unusual and its model, or a field, is changed', async () => {
    const boundary = { 'content-type': 'multipart/form-data; boundary=b' };
    const odd = (model: string, file: string | Buffer) =>
      Buffer.concat([
        Buffer.from(`--b\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n`),
        Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'),
        Buffer.from(file),
        Buffer.from('\r\n--b\r\ncontent-disposition: form-data;\r\n name="language"\r\n\r\nde\r\n--b--\r\n'),
      ]);
    const post = (model: string, file: string | Buffer, config?: object) => {
      world.provider.play(json(200, {}));
      const headers = through(boundary);
      return world.call({ path: '/v1/audio/transcriptions', headers, body: odd(model, file), config });
    };
    const changes = { override_params: { language: 'en' } };
    for (const file of ['small', large]) {
      expect((await post('m', file)).status).toBe(200);
      expect(received().body.equals(odd('m', file))).toBe(true);
      const changed = await post('m', file, changes);
      expect([changed.status, changed.json.error.param]).toEqual([400, 'language']);
    }
    const renamed = await post(`@${world.slug}/m`, 'small');
    expect([renamed.status, renamed.json.error.param]).toEqual([400, 'model']);
  });

  test('may be answered with a stream', async () => {
    const frames = ['data: {"type":"transcript.text.delta","delta":"hel"}\n\n', 'data: [DONE]\n\n'];
    const sent = send([...withModel(), ['stream', 'true']]);
    world.provider.play(eventStream(frames));
    const answer = await sent;
    expect([answer.headers['content-type'], answer.text]).toEqual(['text/event-stream', frames.join('')]);
  });

  test.each([
    '/v1/images/edits',
    '/v1/images/variations',
    '/v1/audio/translations',
    '/v1/proxy/audio/transcriptions',
  ])('is taken at %s as well', async (path) => {
    expect((await send(withModel(), { path })).status).toBe(200);
    expect([received().url, (await form()).model]).toEqual([path.replace('/proxy', ''), 'whisper-1']);
  });

  test('of JSON edits images too', async () => {
    world.provider.play(json(200, { data: [] }));
    await world.call({
      path: '/v1/images/edits',
      body: { model: `@${world.slug}/gpt-image-1`, images: [{ file_id: 'f' }] },
    });
    expect(JSON.parse(String(received().body))).toEqual({ model: 'gpt-image-1', images: [{ file_id: 'f' }] });
  });
});

describe('nitro mode', () => {
  const nitro = (headers: Record<string, string> = {}) => ({ 'x-gateway-nitro-mode': 'true', ...headers });
  const ask = (options: CallOptions) => {
    world.provider.play(json(200, { ok: true }));
    return world.call(options);
  };

  test('sends the body unread, whatever it is', async () => {
    const body = '{"model":"m", not even JSON';
    const answer = await ask({ headers: nitro(through()), body });
    expect([answer.status, String(received().body)]).toEqual([200, body]);
    expect(received().headers['content-length']).toBe(String(body.length));
  });

  test.each([
    ['no provider in header or config', {}, undefined, 'x-gateway-provider'],
    [
      'several targets',
      {},
      { strategy: { mode: 'fallback' }, targets: [{ provider: 'openai' }, { provider: 'openai' }] },
      'x-gateway-nitro-mode',
    ],
    ['retries', {}, { retry: { attempts: 1 } }, 'x-gateway-nitro-mode'],
    ['parameters', {}, { override_params: { a: 1 } }, 'x-gateway-nitro-mode'],
    ['another endpoint', { path: '/v1/moderations' }, undefined, 'x-gateway-nitro-mode'],
    [
      'a provider with a format of its own',
      { headers: nitro({ 'x-gateway-provider': '@mock' }) },
      undefined,
      'provider',
    ],
  ] as [string, CallOptions, object | undefined, string][])(
    'is refused with %s',
    async (_name, options, config, param) => {
      const named = param === 'x-gateway-nitro-mode' ? through() : {};
      const answer = await ask({
        headers: nitro(named),
        body: { model: `@${world.slug}/m` },
        config,
        ...options,
      });
      expect([answer.status, answer.json.error.param, world.provider.requests.length]).toEqual([
        400,
        param,
        0,
      ]);
    },
  );
});

describe('a body that is not read', () => {
  const parameters: [string, object][] = [
    ['override_params', { override_params: { model: 'a' } }],
    ['default_params', { default_params: { a: 1 } }],
    ['drop_params', { drop_params: ['a'] }],
  ];
  const oneByOne = '{"model":"m","n":1}';

  test.each(parameters)('is not sent where the config has %s for it', async (_name, config) => {
    for (const [type, body] of [
      ['text/plain', Buffer.from(oneByOne)],
      ['audio/wav', Buffer.from(` \r\n${oneByOne}`)],
      ['text/plain', Buffer.from(`\ufeff${oneByOne}`, 'utf16le')],
      ['application/json', Buffer.from(`[${oneByOne}]`)],
      ['application/x-www-form-urlencoded', Buffer.from('model=m')],
      ['multipart/form-data', Buffer.from('--b\r\n')],
      ['application/octet-stream', Buffer.alloc(KEPT + 1)],
    ] as const) {
      world.provider.play(json(200, {}));
      const headers = through({ 'content-type': type });
      const answer = await world.call({ path: '/v1/proxy/x', headers, body, config });
      expect([answer.status, answer.json.error.param, world.provider.requests.length]).toEqual([
        400,
        'content-type',
        0,
      ]);
    }
  });

  test.each(parameters)('does not matter to %s where there is none', async (_name, config) => {
    world.provider.play(json(200, {}));
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await world.call({
        path: '/v1/files/f',
        method,
        headers: through(),
        body: null,
        config,
      });
      expect([method, answer.status]).toEqual([method, 200]);
    }
  });

  test.each([
    ...parameters,
    ['retries', { retry: { attempts: 1 } }],
    ['targets', { strategy: { mode: 'single' }, targets: [{ provider: '@mock' }] }],
  ] as [string, object][])('goes to no workspace’s default config with %s', async (_name, config) => {
    const whole = 'targets' in config ? config : { provider: `@${world.slug}`, ...config };
    const { data } = await created(world.app, '/v1/configs', {
      name: 'default',
      config: whole,
      isDefault: 1,
    });
    world.provider.play(json(200, {}));
    const answer = await world.call({ headers: { 'x-gateway-nitro-mode': 'true' }, body: oneByOne });
    expect([answer.status, answer.json.error.param, world.provider.requests.length]).toEqual([
      400,
      'x-gateway-nitro-mode',
      0,
    ]);
    expect((await world.app.rest('DELETE', `/v1/configs/${data.id}`)).status).toBe(200);
  });
});

async function startEarlyProvider() {
  const server = createServer((request, response) => {
    response.writeHead(413, { 'content-type': 'text/plain' });
    response.end('too much');
    request.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
