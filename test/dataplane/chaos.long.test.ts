import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../support/provider.ts';
import { bodiesOf, recordsOf, someRecordsOf } from '../support/records.ts';
import { messages, startWorld, until, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const frames = chatFrames(['a', 'b', 'c', 'd']);

/** Bytes on the connection as they are. */
const raw =
  (text: string): Script =>
  (_request, response) => {
    response.socket?.write(text);
    response.socket?.end();
  };

const behaviours: Script[] = [
  json(200, chatAnswer('fine')),
  json(503, { error: { message: 'busy' } }),
  json(429, {}, { 'retry-after-ms': '3' }),
  eventStream(frames, 5),
  (_request, response) => void response.destroy(),
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' });
    response.write('{"begun":', () => response.destroy());
  },
  (_request, response) => void setTimeout(() => response.end('{}'), 30),
  () => {},
  // Streams that fail at once, are cut, malformed, drip, or are no streams.
  eventStream(['data: {"error":{"message":"busy","code":529}}\n\n']),
  eventStream(frames.slice(0, 2)),
  eventStream(['data data data\n', 'event\n\n\n', '{"choices":']),
  eventStream([...frames.join('').slice(0, 40)], 1),
  (_request, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  // Lengths and codings that are wrong.
  raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{} and more'),
  raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{}'),
  raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'),
  raw(`HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(100_000)}\r\n\r\n`),
  json(200, { no: 'gzip' }, { 'content-encoding': 'gzip' }),
  json(500, { no: 'gzip' }, { 'content-encoding': 'gzip' }),
];

test('whatever connections do on either side, each call is recorded once for each target, and the next ones work', async () => {
  const seen = new Set<string>();
  let turn = 0;
  world.provider.play((request, response, rawRequest) => {
    const { tag } = JSON.parse(String(request.body)) as { tag: string };
    seen.add(tag);
    // Every behaviour in turn, and each with others before and behind it.
    turn += 1 + Math.floor(Math.random() * 2);
    const behaviour = behaviours[turn % behaviours.length] as Script;
    return behaviour(request, response, rawRequest);
  });
  const config = {
    request_timeout: 60,
    retry: { attempts: 1, on_status_codes: [429], use_retry_after_header: true },
    strategy: { mode: 'fallback' },
    targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
  };
  const calls = Array.from({ length: 400 }, async (_, index) => {
    const hangUp = new AbortController();
    if (index % 3 === 0) setTimeout(() => hangUp.abort(), Math.random() * 60);
    const answer = await world.call({
      config,
      headers: { 'x-gateway-trace-id': `chaos-${index}` },
      body: { model: 'm', messages, stream: true, tag: `chaos-${index}` },
      signal: hangUp.signal,
    });
    return answer.status;
  });
  const outcomes = await Promise.allSettled(calls);
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') expect([200, 408, 429, 500, 502, 503, 529]).toContain(outcome.value);
  const places = await until(async () => {
    const records = await recordsOf(world.app, { traceId: /^chaos-/ });
    const byTrace = Map.groupBy(records, (record) => record.traceId);
    // The record of a caller that hung up comes a moment after the end of its connection.
    return [...seen].every((tag) => byTrace.has(tag)) ? byTrace : null;
  });
  for (const tag of seen) {
    const paths = places?.get(tag)?.map((record) => record.lastUsedOptionJsonPath);
    expect(['config.targets[0]', 'config.targets[0] config.targets[1]']).toContain(paths?.join(' '));
  }
  await until(async () =>
    /^sluice_open_calls 0$/m.test(await (await fetch(`${world.app.url}/metrics`)).text()),
  );
  world.provider.play(json(200, chatAnswer('still here')));
  expect((await world.call()).status).toBe(200);
});

test('of 200 streams at once with callers that leave, none is lost, cut or left open', async () => {
  let open = 0;
  const long = chatFrames(Array.from({ length: 20 }, (_, index) => `word ${index}`));
  world.provider.play((request, response, rawRequest) => {
    open++;
    response.once('close', () => open--);
    return eventStream(long, 5)(request, response, rawRequest);
  });
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const response = await world.open({
        headers: { 'x-gateway-trace-id': `leaving-${index}` },
        body: { model: `@${world.slug}/m`, messages, stream: true },
      });
      response.on('error', () => {});
      if (index % 10 === 0) {
        await once(response, 'data');
        response.destroy();
        return 'left';
      }
      let text = '';
      for await (const chunk of response) text += String(chunk);
      return text === long.join('');
    }),
  );
  expect(outcomes).toEqual(Array.from({ length: 200 }, (_, index) => (index % 10 === 0 ? 'left' : true)));
  await until(() => open === 0);
  const records = await until(async () => {
    const found = await recordsOf(world.app, { traceId: /^leaving-/ });
    return found.length === 200 ? found : null;
  });
  expect(records?.filter(({ clientAborted }) => clientAborted)).toHaveLength(20);
  expect(records?.filter(({ isSuccess }) => isSuccess)).toHaveLength(180);
});

describe('answers of any size', () => {
  const through = () => ({ 'x-gateway-provider': `@${world.slug}` });

  test('200 MB pass, and what is on its way at any time is a small part of them', async () => {
    const piece = randomBytes(256 * 1024);
    const count = 800;
    let received = 0;
    let most = 0;
    world.provider.play(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (let sent = 0; sent < count; sent++) {
        most = Math.max(most, sent * piece.length - received);
        if (!response.write(piece)) await once(response, 'drain');
      }
      response.end();
    });
    const response = await world.open({ method: 'GET', path: '/v1/files/f/content', headers: through() });
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBe(count * piece.length);
    expect(most).toBeLessThan(32 * 1024 * 1024);
  });

  test('a bomb in gzip passes as it is, and the log unpacks the beginning of it', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    world.provider.play((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(bomb);
    });
    const answer = await world.call({
      headers: { 'x-gateway-trace-id': 'bomb' },
      body: { model: `@${world.slug}/m`, messages },
    });
    expect(answer.body.equals(bomb)).toBe(true);
    const [record] = await someRecordsOf(world.app, { traceId: 'bomb' });
    expect(record).toMatchObject({ isSuccess: true, promptTokens: null });
    const bodies = record && (await bodiesOf(world.app, record));
    expect([bodies?.response.body?.length, bodies?.response.truncated]).toEqual([64 * 1024, true]);
  });

  test('an error of any size is told within bounds', async () => {
    world.provider.play((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/html' });
      response.on('error', () => {});
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'error ')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const answer = await world.call({ body: { model: `@${world.slug}/m`, messages } });
    expect([answer.status, answer.json.error.type, answer.body.length < 2000]).toEqual([
      500,
      'api_error',
      true,
    ]);
    await until(() => world.provider.aborted === 1);
  });
});
