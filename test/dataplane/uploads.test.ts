import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { json, type ReceivedRequest } from '../support/provider.ts';
import { startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
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
  const body = Buffer.alloc(11 * 1024 * 1024, 1);
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
