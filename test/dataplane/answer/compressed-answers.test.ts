import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  chatAnswer,
  json,
  type Script,
  type ScriptedProvider,
  startProvider,
} from '../../support/provider.ts';
import { bodiesOf, recordsOf } from '../../support/records.ts';
import { type CallOptions, STORED_KEY, startWorld, type World } from '../../support/world.ts';

let world: World;

let embedder: ScriptedProvider;

beforeAll(async () => {
  embedder = await startProvider();
  embedder.play(json(200, { data: [{ embedding: [1, 0] }] }));
  world = await startWorld({
    SEMANTIC_CACHE_EMBEDDINGS: JSON.stringify({
      provider: 'openai',
      custom_host: embedder.url,
      api_key: 'sk-embedder-000000000',
    }),
  });
});
afterAll(async () => {
  await world.stop();
  await embedder.stop();
});

const codings: [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
];

const packed =
  (type: string, coding: string, bytes: Buffer): Script =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': coding, vary: 'Accept-Encoding' });
    response.end(bytes);
  };

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const answer = JSON.stringify(chatAnswer('packed', usage));
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const stream = `${chunk({ role: 'assistant', content: 'pack' }, null)}${chunk({ content: 'ed' }, 'stop')}data: [DONE]\n\n`;

let count = 0;
/** Calls of one question, which no other test asks. */
function calls(mode: string, path: string, more: object = {}, config: object = {}) {
  const question = { model: 'm', messages: [{ role: 'user', content: `question ${count++}` }], ...more };
  const trace = `packed-${count}`;
  return {
    call: (options: CallOptions = {}) =>
      world.call({
        path,
        config: { provider: `@${world.slug}`, cache: { mode }, ...config },
        body: question,
        ...options,
        headers: {
          'accept-encoding': 'gzip',
          'x-gateway-trace-id': trace,
          'x-gateway-cache-namespace': trace,
          ...options.headers,
        },
      }),
    log: async () => {
      const [record] = await recordsOf(world.app, { traceId: trace });
      return { record, bodies: record ? await bodiesOf(world.app, record) : null };
    },
  };
}

describe.each(['/v1/chat/completions', '/v1/proxy/chat/completions'])('on %s', (path) => {
  test.each(codings)('JSON in %s is kept and shown, and passes as it is', async (coding, pack) => {
    const bytes = pack(Buffer.from(answer));
    world.provider.play(packed('application/json', coding, bytes));
    const { call, log } = calls('simple', path);
    const first = await call();
    expect([first.status, first.headers['x-gateway-cache-status']]).toEqual([200, 'MISS']);
    expect([first.headers['content-encoding'], first.headers.vary, first.body.equals(bytes)]).toEqual([
      coding,
      'Accept-Encoding',
      true,
    ]);
    for (const accepted of ['gzip', 'identity']) {
      const { headers, text } = await call({ headers: { 'accept-encoding': accepted } });
      expect([headers['x-gateway-cache-status'], text]).toEqual(['HIT', answer]);
      expect([headers['content-encoding'], headers['content-length'], headers['content-type']]).toEqual([
        undefined,
        String(answer.length),
        'application/json',
      ]);
    }
    expect(world.provider.requests).toHaveLength(1);
    const { record, bodies } = await log();
    expect([bodies?.response.body, bodies?.response.truncated, record?.totalTokens]).toEqual([
      answer,
      false,
      4,
    ]);
    expect(bodies?.response.headers['content-encoding']).toBe(coding);
  });
});

test.each(codings)('a stream in %s is kept and shown, and passes as it is', async (coding, pack) => {
  const bytes = pack(Buffer.from(stream));
  world.provider.play(packed('text/event-stream', coding, bytes));
  const { call, log } = calls('simple', '/v1/chat/completions', { stream: true });
  const first = await call();
  expect([first.headers['x-gateway-cache-status'], first.body.equals(bytes)]).toEqual(['MISS', true]);
  const second = await call();
  expect([second.headers['x-gateway-cache-status'], second.headers['content-encoding']]).toEqual([
    'HIT',
    undefined,
  ]);
  expect(second.text).toContain('"content":"packed"');
  expect((await log()).bodies?.response.body).toBe(stream);
});

test('a stream on a path that the gateway does not read is shown', async () => {
  world.provider.play(packed('text/event-stream', 'gzip', gzipSync(stream)));
  const { call, log } = calls('simple', '/v1/proxy/chat/completions', { stream: true });
  expect(gunzipSync((await call()).body).toString()).toBe(stream);
  expect((await log()).bodies?.response.body).toBe(stream);
});

test('a semantic cache keeps it as well', async () => {
  world.provider.play(packed('application/json', 'br', brotliCompressSync(answer)));
  const { call } = calls('semantic', '/v1/chat/completions');
  const status = async (content: string) => {
    const { headers, text } = await call({ body: { model: 'm', messages: [{ role: 'user', content }] } });
    return [headers['x-gateway-cache-status'], text === answer];
  };
  expect(await status('What is the capital of France?')).toEqual(['SEMANTIC MISS', false]);
  expect(await status('What is the capital of France?')).toEqual(['HIT', true]);
  expect(await status('Which is the capital of France?')).toEqual(['SEMANTIC HIT', true]);
});

test('the next request waits for an answer that is being unpacked', async () => {
  world.provider.play(packed('application/json', 'gzip', gzipSync(answer)));
  for (let round = 0; round < 20; round++) {
    const { call } = calls('simple', '/v1/proxy/chat/completions');
    const statuses = [await call(), await call(), await call()].map(
      ({ headers }) => headers['x-gateway-cache-status'],
    );
    expect(statuses).toEqual(['MISS', 'HIT', 'HIT']);
  }
});

describe('is neither kept nor shown', () => {
  test.each([
    ['what is no gzip', 'gzip', Buffer.from('no gzip')],
    ['a coding that nobody knows', 'lzma', gzipSync(answer)],
    ['two codings', 'gzip, gzip', gzipSync(gzipSync(answer))],
  ])('%s', async (_name, coding, bytes) => {
    world.provider.play(packed('application/json', coding, bytes));
    const { call, log } = calls('simple', '/v1/proxy/chat/completions');
    for (let index = 0; index < 2; index++) {
      const { headers, body } = await call();
      expect([headers['x-gateway-cache-status'], body.equals(bytes)]).toEqual(['MISS', true]);
    }
    expect((await log()).bodies?.response.body).toBeNull();
  });
});

test('what ends too early, or is larger than what is kept, is not kept', async () => {
  const large = JSON.stringify(chatAnswer('x'.repeat(2_000_000)));
  for (const bytes of [gzipSync(answer).subarray(0, -6), gzipSync(large)]) {
    world.provider.play(packed('application/json', 'gzip', bytes));
    const { call, log } = calls('simple', '/v1/proxy/chat/completions');
    await call();
    expect((await call()).headers['x-gateway-cache-status']).toBe('MISS');
    expect((await log()).bodies?.response.body?.slice(0, 20)).toBe(answer.slice(0, 20));
  }
});

test('the stored credential is masked in what the log shows', async () => {
  world.provider.play(
    packed(
      'application/json',
      'gzip',
      gzipSync(JSON.stringify({ seen: STORED_KEY.split('-').join('_'), key: `x${STORED_KEY}x` })),
    ),
  );
  const { call, log } = calls('simple', '/v1/proxy/chat/completions');
  await call();
  const { bodies } = await log();
  expect(bodies?.response.body).toContain('"seen"');
  expect(bodies?.response.body).not.toContain(STORED_KEY);
});
