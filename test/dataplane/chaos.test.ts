import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordsOf } from '../recording/records.ts';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../support/provider.ts';
import { messages, startWorld, until, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const behaviours: Script[] = [
  json(200, chatAnswer('fine')),
  json(503, { error: { message: 'busy' } }),
  json(429, {}, { 'retry-after-ms': '3' }),
  eventStream(chatFrames(['a', 'b', 'c', 'd']), 5),
  (_request, response) => void response.destroy(),
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' });
    response.write('{"begun":', () => response.destroy());
  },
  (_request, response) => void setTimeout(() => response.end('{}'), 30),
  () => {},
];

test('whatever connections do on either side, each call is recorded once for each target, and the next ones work', async () => {
  const seen = new Set<string>();
  world.provider.play((request, response, raw) => {
    const { tag } = JSON.parse(String(request.body)) as { tag: string };
    seen.add(tag);
    const behaviour = behaviours[Math.floor(Math.random() * behaviours.length)] as Script;
    return behaviour(request, response, raw);
  });
  const config = {
    request_timeout: 60,
    retry: { attempts: 1, on_status_codes: [429], use_retry_after_header: true },
    strategy: { mode: 'fallback' },
    targets: [{ provider: `@${world.slug}` }, { provider: `@${world.slug}` }],
  };
  const calls = Array.from({ length: 300 }, async (_, index) => {
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
    if (outcome.status === 'fulfilled') expect([200, 408, 429, 500, 503]).toContain(outcome.value);
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
  world.provider.play(json(200, chatAnswer('still here')));
  expect((await world.call()).status).toBe(200);
});
