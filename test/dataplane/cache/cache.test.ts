import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CacheEntry } from '../../../src/dataplane/cache/model.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  chatAnswer,
  chatFrames,
  eventStream,
  json,
  type Script,
  startProvider,
} from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { type CallOptions, created, messages, startWorld, until, type World } from '../../support/world.ts';

const encryptionKey = randomBytes(32).toString('base64');
let world: World;
let embeddings: Awaited<ReturnType<typeof startProvider>>;

/** Texts near each other point into nearly the same direction. */
const directions: Record<string, number[]> = {
  'What is the capital of France?': [1, 0, 0],
  'Name the capital of France!': [0.99, 0.1, 0],
  'How do I bake bread?': [0, 1, 0],
};
const embed: Script = (request, response) => {
  const { input } = JSON.parse(request.body.toString()) as { input: string };
  json(200, { data: [{ embedding: directions[input] ?? [0, 0, 1] }] })(request, response, null as never);
};

beforeAll(async () => {
  embeddings = await startProvider();
  embeddings.play(embed);
  world = await startWorld({
    ENCRYPTION_KEY: encryptionKey,
    SEMANTIC_CACHE_EMBEDDINGS: JSON.stringify({ provider: 'openai', custom_host: embeddings.url }),
  });
});
afterAll(async () => {
  await world.stop();
  await embeddings.stop();
});

let count = 0;
let nonce = '';
/** Each test asks questions of its own. */
beforeEach(() => {
  nonce = `question ${count++}`;
  embeddings.play(embed);
  world.provider.play(json(200, chatAnswer('kept')));
});

const simple = { cache: { mode: 'simple' } };
const semantic = { cache: { mode: 'semantic' } };

const question = (members: object = {}) => ({
  model: `@${world.slug}/gpt-4o`,
  messages: [{ role: 'user', content: nonce }],
  ...members,
});
const ask = (options: CallOptions = {}) => world.call({ config: simple, body: question(), ...options });
const statusOf = async (options: CallOptions = {}) => (await ask(options)).headers['x-gateway-cache-status'];
const asked = () => world.provider.requests.length;
/** Once the answer to a question is kept. */
const kept = async (options: CallOptions = {}) => {
  const answer = await ask(options);
  expect(answer.status).toBe(200);
  return answer;
};

describe('statuses', () => {
  it('asks the provider what the entry is kept for, though the request has a member twice', async () => {
    const twice = `{"model":"m","messages":[],"messages":${JSON.stringify(question().messages)}}`;
    const headers = { 'x-gateway-provider': `@${world.slug}` };
    await ask({ body: twice, headers });
    const sent = world.provider.requests.at(-1)?.body.toString();
    expect(sent).toBe(JSON.stringify({ model: 'm', messages: question().messages }));
  });

  it('says DISABLED without a mode, MISS at first, then HIT with the same answer, free of cost', async () => {
    expect(await statusOf({ config: { retry: { attempts: 0 } } })).toBe('DISABLED');
    const first = await ask({ headers: { 'x-gateway-trace-id': `miss-${nonce}` } });
    const second = await ask({ headers: { 'x-gateway-trace-id': `hit-${nonce}` } });
    expect([first.headers['x-gateway-cache-status'], second.headers['x-gateway-cache-status']]).toEqual([
      'MISS',
      'HIT',
    ]);
    expect(second.text).toBe(first.text);
    expect(second.headers).toMatchObject({
      'content-type': 'application/json',
      'x-gateway-retry-attempt-count': '0',
      'x-gateway-provider': 'openai',
    });
    expect(asked()).toBe(2);
    const [miss] = await recordsOf(world.app, { traceId: `miss-${nonce}` });
    const [hit] = await recordsOf(world.app, { traceId: `hit-${nonce}` });
    expect(miss).toMatchObject({ cacheStatus: 'MISS', cacheMode: 'simple', savingsNanodollars: null });
    expect(miss?.costNanodollars).toBeGreaterThan(0);
    expect(hit).toMatchObject({
      cacheStatus: 'HIT',
      costNanodollars: 0,
      savingsNanodollars: miss?.costNanodollars,
      totalTokens: 8,
    });
  });

  it('takes the mode as a text, as older configs have it', async () => {
    expect(await statusOf({ config: { cache: 'simple' } })).toBe('MISS');
    expect(await statusOf({ config: { cache: 'simple' } })).toBe('HIT');
  });

  it.each([
    [
      'a body that is not JSON',
      { body: Buffer.from('x'), headers: { 'content-type': 'audio/wav' }, path: '/v1/audio/transcriptions' },
    ],
    ['files', { path: '/v1/files', body: {} }],
    ['batches', { path: '/v1/batches', body: {} }],
    ['fine-tuning', { path: '/v1/fine_tuning/jobs', body: {} }],
    ['image edits', { path: '/v1/images/edits', body: {} }],
    ['GET', { method: 'GET', path: '/v1/things' }],
    ['callers who ask not to be tracked', { headers: { 'x-gateway-debug': 'false' } }],
  ] as [string, CallOptions][])('keeps nothing of %s', async (_what, { headers, ...options }) => {
    const call = () =>
      statusOf({ ...options, headers: { 'x-gateway-provider': `@${world.slug}`, ...headers } });
    expect([await call(), await call()]).toEqual(['DISABLED', 'DISABLED']);
    expect(asked()).toBe(2);
  });

  it('replaces what is there on a forced refresh', async () => {
    await kept();
    world.provider.play(json(200, chatAnswer('newer')));
    const refresh = { headers: { 'x-gateway-cache-force-refresh': 'true' } };
    expect(await statusOf(refresh)).toBe('REFRESH');
    const answer = await ask();
    expect([answer.headers['x-gateway-cache-status'], answer.json.choices[0].message.content]).toEqual([
      'HIT',
      'newer',
    ]);
    expect(await statusOf({ headers: { 'x-gateway-cache-force-refresh': 'false' } })).toBe('HIT');
  });

  it('serves every model route', async () => {
    for (const path of ['/v1/embeddings', '/v1/images/generations', '/v1/rerank', '/v1/moderations']) {
      const call = () =>
        statusOf({
          path,
          body: { ...question(), input: nonce, prompt: nonce },
          headers: { 'x-gateway-provider': `@${world.slug}` },
        });
      expect([path, await call(), await call()]).toEqual([path, 'MISS', 'HIT']);
    }
  });
});

describe('what an answer depends on', () => {
  it.each([
    ['another question', { body: () => question({ messages }) }],
    ['another temperature', { body: () => question({ temperature: 0.5 }) }],
    ['another model', { body: () => question({ model: `@${world.slug}/gpt-4` }) }],
    ['metadata', { headers: { 'x-gateway-metadata': '{"team":"b"}' } }],
    ['a namespace', { headers: { 'x-gateway-cache-namespace': 'other' } }],
    ['another gateway header', { headers: { 'x-gateway-strict-open-ai-compliance': 'false' } }],
    [
      'a header that is forwarded',
      { config: { ...simple, forward_headers: ['x-end-user'] }, headers: { 'x-end-user': 'bob' } },
    ],
    ['parameters of the config', { config: { ...simple, override_params: { temperature: 1 } } }],
  ] as [string, Omit<CallOptions, 'body'> & { body?: () => object }][])(
    '%s makes another one',
    async (_what, { body, ...options }) => {
      await kept();
      expect(await statusOf({ ...options, ...(body && { body: body() }) })).toBe('MISS');
    },
  );

  it.each([
    ['a trace id', { headers: { 'x-gateway-trace-id': 'another' } }],
    ['a timeout', { headers: { 'x-gateway-request-timeout': '5000' } }],
    ['the order of members', { body: () => Object.fromEntries(Object.entries(question()).reverse()) }],
  ] as [string, Omit<CallOptions, 'body'> & { body?: () => object }][])(
    '%s does not',
    async (_what, { body, ...options }) => {
      await kept();
      expect(await statusOf({ ...options, ...(body && { body: body() }) })).toBe('HIT');
    },
  );

  it('a namespace takes the place of metadata, in header or config', async () => {
    const headers = (team: string) => ({
      'x-gateway-cache-namespace': 'shared',
      'x-gateway-metadata': JSON.stringify({ team }),
    });
    await kept({ headers: headers('a') });
    expect(await statusOf({ headers: headers('b') })).toBe('HIT');
    const config = { cache: { mode: 'simple', namespace: 'shared' } };
    expect(await statusOf({ config, headers: { 'x-gateway-metadata': '{"team":"c"}' } })).toBe('HIT');
  });

  it('another key and another tenant never find it, whatever the namespace', async () => {
    const headers = { 'x-gateway-cache-namespace': 'everybody' };
    await kept({ headers });
    const { key } = await created(world.app, '/v1/api-keys/workspace/service', {
      name: 'another',
      scopes: ['completions.write'],
    });
    expect(await statusOf({ headers, key })).toBe('MISS');

    const neighbour = await world.app.createTenant();
    const body = { ...question(), model: '@mock/mock-1' };
    const ours = () => ask({ body, headers });
    const theirs = () => ask({ body, headers, key: neighbour.workspaceKey });
    expect((await ours()).headers['x-gateway-cache-status']).toBe('MISS');
    expect((await theirs()).headers['x-gateway-cache-status']).toBe('MISS');
    expect((await ours()).headers['x-gateway-cache-status']).toBe('HIT');
  });
});

it('who is told to the provider in a header gets no answer of somebody else, namespace or not', async () => {
  const config = { ...simple, forward_headers: ['x-end-user'] };
  const as = (user: string) => ({
    config,
    headers: { 'x-end-user': user, 'x-gateway-cache-namespace': 'all' },
  });
  expect(await statusOf(as('alice'))).toBe('MISS');
  expect(await statusOf(as('bob'))).toBe('MISS');
  expect(await statusOf(as('alice'))).toBe('HIT');
});

describe('what is kept', () => {
  it.each([
    ['an error', json(500, { error: { message: 'down' } })],
    ['an error that says 200', json(200, { error: { message: 'down' } })],
    ['what is not JSON', (_request, response) => void response.end('text')],
    ['a stream without its end', eventStream(chatFrames(['a']).slice(0, -2))],
  ] as [string, Script][])('not %s', async (_what, script) => {
    world.provider.play(script);
    const body = question({ stream: true });
    await ask({ body }).catch(() => undefined);
    await ask({ body }).catch(() => undefined);
    expect(asked()).toBe(2);
  });

  it.each([
    [{ mode: 'simple', max_age: 120 }, 120],
    [{ mode: 'simple' }, 604_800],
  ])('%j: for %i seconds', async (cache, seconds) => {
    const since = new Date();
    await kept({ config: { cache } });
    const entries = world.app.db.collection<CacheEntry>('cache_entries');
    const entry = await until(() => entries.findOne({ createdAt: { $gte: since } }));
    const { expiresAt, createdAt } = entry as CacheEntry;
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(seconds * 1000);
    expect(entry).toMatchObject({
      organisationId: world.app.organisationId,
      workspaceId: world.app.workspaceId,
    });
  });
});

describe('streams', () => {
  const streamed = () => question({ stream: true });
  const contentOf = (text: string) =>
    [...text.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word).join('');

  it('gives a streamed answer to those who want a whole one', async () => {
    world.provider.play(eventStream(chatFrames(['one ', 'two'])));
    expect((await kept({ body: streamed() })).headers['x-gateway-cache-status']).toBe('MISS');
    const answer = await ask();
    expect(answer.headers['x-gateway-cache-status']).toBe('HIT');
    expect(answer.json).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'one two' }, finish_reason: 'stop' }],
    });
    expect(asked()).toBe(1);
  });

  it('gives a whole answer to those who want a stream, with usage where they ask for it', async () => {
    await kept();
    const answer = await ask({ body: streamed() });
    expect(answer.headers).toMatchObject({
      'x-gateway-cache-status': 'HIT',
      'content-type': 'text/event-stream; charset=utf-8',
    });
    expect(contentOf(answer.text)).toBe('kept');
    expect(answer.text).toMatch(/data: \[DONE\]\n\n$/);
    expect(answer.text).not.toContain('"usage"');
    const withUsage = await ask({ body: { ...streamed(), stream_options: { include_usage: true } } });
    expect(withUsage.text).toContain('"total_tokens":8');
  });

  it('keeps what /v1/messages says in its own form', async () => {
    world.provider.play(eventStream(chatFrames(['one ', 'two'])));
    const body = { ...question(), max_tokens: 100, stream: true };
    const path = '/v1/messages';
    await kept({ path, body });
    const whole = await ask({ path, body: { ...body, stream: false } });
    expect(whole.headers['x-gateway-cache-status']).toBe('HIT');
    expect(whole.json).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'one two' }],
      stop_reason: 'end_turn',
    });
  });
});

describe('semantic', () => {
  const about = (content: string, members: object = {}) => ({
    body: { model: `@${world.slug}/gpt-4o`, user: nonce, messages: [{ role: 'user', content }], ...members },
    config: semantic,
  });
  const [capital, likeCapital, bread] = Object.keys(directions) as [string, string, string];

  it('finds like questions, and no others', async () => {
    expect(await statusOf(about(capital))).toBe('SEMANTIC MISS');
    expect(await statusOf(about(capital))).toBe('HIT');
    expect(await statusOf(about(likeCapital))).toBe('SEMANTIC HIT');
    expect(await statusOf(about(bread))).toBe('SEMANTIC MISS');
    expect(await statusOf(about(likeCapital, { temperature: 0 }))).toBe('SEMANTIC MISS');
    expect(asked()).toBe(3);
  });

  it('does not look at system messages', async () => {
    const system = (content: string) => ({
      messages: [
        { role: 'system', content },
        { role: 'user', content: capital },
      ],
    });
    await kept(about(capital, system('Be brief.')));
    expect(await statusOf(about(capital, system('Be kind.')))).toBe('SEMANTIC HIT');
  });

  it.each([
    [
      'more than four messages',
      { messages: Array.from({ length: 5 }, () => ({ role: 'user', content: 'x' })) },
    ],
    ['no user message', { messages: [{ role: 'assistant', content: capital }] }],
    [
      'pictures',
      {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test' } }] }],
      },
    ],
  ])('is a simple one for %s', async (_what, members) => {
    expect(await statusOf(about('', members))).toBe('MISS');
    expect(await statusOf(about('', members))).toBe('HIT');
    expect(embeddings.requests).toHaveLength(0);
  });

  it('goes on without embeddings when nobody makes them', async () => {
    embeddings.play(json(500, {}));
    expect(await statusOf(about(capital))).toBe('MISS');
    expect(await statusOf(about(capital))).toBe('HIT');
  });

  it('drops all like answers on a forced refresh', async () => {
    await kept(about(capital));
    world.provider.play(json(200, chatAnswer('newer')));
    const refresh = { headers: { 'x-gateway-cache-force-refresh': 'true' } };
    expect(await statusOf({ ...about(likeCapital), ...refresh })).toBe('REFRESH');
    expect((await ask(about(capital))).json.choices[0].message.content).toBe('newer');
  });
});

describe('another process of the installation', () => {
  let other: TestApp;

  it('finds what this one has kept', async () => {
    other = await startApp({ MONGODB_URI: world.app.databaseUri, ENCRYPTION_KEY: encryptionKey });
    try {
      const body = { ...question(), model: '@mock/mock-1' };
      await kept({ body });
      await until(() => world.app.db.collection('cache_entries').findOne({}, { sort: { createdAt: -1 } }));
      const answer = await fetch(`${other.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'x-gateway-api-key': world.app.workspaceKey,
          'x-gateway-config': JSON.stringify(simple),
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect([answer.status, answer.headers.get('x-gateway-cache-status')]).toEqual([200, 'HIT']);
    } finally {
      await other.stop();
    }
  });
});
