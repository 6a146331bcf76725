import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chatAnswer, type Script } from '../support/provider.ts';
import { recordsOf as recordsOfApp } from '../support/records.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const recordsOf = (traceId: string) => recordsOfApp(world.app, { traceId });

const through = () => ({ 'x-gateway-provider': `@${world.slug}` });
const usage = (promptTokens: number | null, completionTokens: number | null, totalTokens: number | null) => ({
  promptTokens,
  completionTokens,
  totalTokens,
});

const bytes =
  (headers: Record<string, string>, body: Buffer | string): Script =>
  (_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  };
const plain = (body: unknown) => bytes({ 'content-type': 'application/json' }, JSON.stringify(body));
const events = (...data: unknown[]) =>
  bytes(
    { 'content-type': 'text/event-stream' },
    data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join(''),
  );
const counted = { prompt_tokens: 11, completion_tokens: 22, total_tokens: 33 };
const long = (size: number) => chatAnswer('x'.repeat(size), counted);

test.each([
  ['a JSON answer', () => plain(chatAnswer('hi', counted)), usage(11, 22, 33)],
  ['embeddings', () => plain({ usage: { prompt_tokens: 4, total_tokens: 4 } }), usage(4, null, 4)],
  ['the newer names', () => plain({ usage: { input_tokens: 4, output_tokens: 6 } }), usage(4, 6, 10)],
  [
    'counts beyond what a log can show',
    () => plain({ usage: { prompt_tokens: 2 ** 31, completion_tokens: 2 ** 31 - 1 } }),
    usage(null, 2 ** 31 - 1, 2 ** 31 - 1),
  ],
  [
    'a sum beyond what a log can show',
    () => plain({ usage: { prompt_tokens: 1, completion_tokens: 2 ** 31 - 1 } }),
    usage(1, 2 ** 31 - 1, null),
  ],
  ['an answer without', () => plain({ ok: true }), usage(null, null, null)],
  [
    'nonsense',
    () => plain({ usage: { prompt_tokens: 'many', completion_tokens: -1 } }),
    usage(null, null, null),
  ],
  ['usage that is null', () => plain({ usage: null }), usage(null, null, null)],
  ['usage in a text', () => plain({ text: '"usage":{"prompt_tokens":1}' }), usage(null, null, null)],
  [
    'usage beside nested objects',
    () => plain({ usage: { ...counted, details: { cached: 1, note: '}"{' } } }),
    usage(11, 22, 33),
  ],
  [
    'the last frame of a stream',
    () => events({ a: 1, usage: null }, { choices: [], usage: counted }, '[DONE]'),
    usage(11, 22, 33),
  ],
  [
    'the last of several',
    () => events({ usage: { prompt_tokens: 1 } }, { usage: counted }),
    usage(11, 22, 33),
  ],
  ['a stream without', () => events({ a: 1 }, '[DONE]'), usage(null, null, null)],
  ['a long answer', () => plain(long(500_000)), usage(11, 22, 33)],
  [
    'text that is no JSON',
    () => bytes({ 'content-type': 'text/plain' }, '{"usage":{"prompt_tokens":1}}'),
    usage(null, null, null),
  ],
  ...(
    [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const
  ).map(
    ([encoding, pack]) =>
      [
        `an answer in ${encoding}`,
        () =>
          bytes(
            { 'content-type': 'application/json', 'content-encoding': encoding },
            pack(JSON.stringify(long(100_000))),
          ),
        usage(11, 22, 33),
      ] as const,
  ),
  [
    'a stream in gzip',
    () =>
      bytes(
        { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
        gzipSync(`data: ${JSON.stringify({ usage: counted })}\n\ndata: [DONE]\n\n`),
      ),
    usage(11, 22, 33),
  ],
  [
    'broken gzip',
    () => bytes({ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'no gzip'),
    usage(null, null, null),
  ],
  [
    'an unknown encoding',
    () => bytes({ 'content-type': 'application/json', 'content-encoding': 'x-own' }, '{}'),
    usage(null, null, null),
  ],
] as [string, () => Script, object][])('from %s', async (_name, script, expected) => {
  for (const path of ['/v1/chat/completions', '/v1/proxy/chat/completions']) {
    const { record, answer } = await world.logged(script(), { path, headers: through() });
    expect(answer.status).toBe(200);
    expect(record).toMatchObject(expected);
  }
});

// The end of an answer is kept apart from its beginning: wherever the seam falls, the counts are found.
test('from answers of every length around what is kept of the beginning', async () => {
  const script: Script = async (request, response) => {
    const { length } = JSON.parse(String(request.body)) as { length: number };
    const text = JSON.stringify(long(length));
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let at = 0; at < text.length; at += 1024) {
      response.write(text.slice(at, at + 1024));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
  world.provider.play(script);
  const lengths = Array.from({ length: 40 }, (_, index) => 64 * 1024 - 400 + index * 17);
  const trace = world.newTrace();
  await Promise.all(
    lengths.map((length) =>
      world.call({ headers: { 'x-gateway-trace-id': trace, ...through() }, body: { model: 'm', length } }),
    ),
  );
  const records = await recordsOf(trace);
  expect(records.map(({ totalTokens }) => totalTokens)).toEqual(lengths.map(() => 33));
});
