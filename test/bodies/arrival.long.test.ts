import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from './raw-request.ts';

const MIB = 1024 * 1024;

/** Everything sooner than in production. */
const limits = {
  graceMs: 400,
  bytesPerSecond: 16 * 1024,
  lingerMs: 2000,
  lingerSilentMs: 400,
  lingerBytes: 256 * MIB,
  checkEveryMs: 50,
};

let app: TestApp;
const sink = createServer((request) => request.resume());

beforeAll(async () => {
  app = await startApp({}, undefined, undefined, limits);
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
});
afterAll(async () => {
  await app.stop();
  sink.closeAllConnections();
  sink.close();
});

const withKey = () => ({ 'x-gateway-api-key': app.workspaceKey });
const toSink = () => ({
  ...withKey(),
  'x-gateway-provider': 'openai',
  'x-gateway-custom-host': `http://127.0.0.1:${(sink.address() as AddressInfo).port}/v1`,
});

describe('a body that arrives too slowly', () => {
  it.each<[string, () => Record<string, string>, RegExp]>([
    ['POST /graphql', () => ({}), /"errors".*did not arrive in time/],
    ['POST /graphql', withKey, /"errors".*did not arrive in time/],
    ['POST /graphql/stream', () => ({}), /"errors".*did not arrive in time/],
    ['POST /v1/configs', withKey, /"AB04"/],
    ['POST /v1/chat/completions', withKey, /timeout_error/],
    ['DELETE /v1/proxy/points', toSink, /timeout_error/],
    [
      'POST /oauth2/access_token',
      () => ({ 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic YTpi' }),
      /invalid_request/,
    ],
  ])('is answered 408 at %s, and the connection closed', async (line, headers, text) => {
    const request = rawRequest(app.url, line, {
      'content-type': 'application/json',
      'content-length': '1000',
      ...headers(),
    });
    const dripping = setInterval(() => request.write(' '), 50);
    await request.closed;
    clearInterval(dripping);
    expect(request.status()).toBe(408);
    expect(request.answer()).toMatch(text);
    expect(request.answer()).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('is answered 408 behind another request of its connection', async () => {
    const body = JSON.stringify({ model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hi' }] });
    const json = { ...withKey(), 'content-type': 'application/json' };
    const request = rawRequest(app.url, 'POST /v1/chat/completions', {
      ...json,
      'content-length': String(body.length),
    });
    const slow = { ...json, host: 'x', 'content-length': '1000' };
    const lines = Object.entries(slow).map(([name, value]) => `${name}: ${value}\r\n`);
    request.write(`${body}POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n`);
    const dripping = setInterval(() => request.write(' '), 50);
    await request.closed;
    clearInterval(dripping);
    expect(request.answer().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it('is ended on its way to a provider, too', async () => {
    const request = rawRequest(app.url, 'POST /v1/proxy/files', {
      ...toSink(),
      'content-type': 'application/octet-stream',
      'content-length': String(50 * MIB),
    });
    request.write(Buffer.alloc(2000));
    await request.closed;
  });

  it('is taken while it keeps up, however long it takes', async () => {
    const body = JSON.stringify({
      model: '@mock/mock-1',
      messages: [{ role: 'user', content: 'x'.repeat(60_000) }],
    });
    const request = rawRequest(app.url, 'POST /v1/chat/completions', {
      ...withKey(),
      'content-type': 'application/json',
      'content-length': String(body.length),
    });
    for (let at = 0; at < body.length; at += 4000) {
      request.write(body.slice(at, at + 4000));
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
    while (request.answer() === '') await new Promise((resolve) => setTimeout(resolve, 10));
    expect(request.status()).toBe(200);
    request.drop();
  });
});

describe('a request that is answered before its body was read', () => {
  const lines: [string, number, () => Record<string, string>][] = [
    ['POST /healthz', 405, () => ({})],
    ['POST /nope', 404, () => ({})],
    ['POST /reference', 405, () => ({})],
    ['POST /invites/x', 405, () => ({})],
    ['POST /explorer/x', 404, () => ({})],
    ['POST /supergraph.graphql', 405, () => ({})],
    ['POST /graphql', 401, () => ({ 'x-gateway-api-key': 'wrong' })],
    ['POST /v1/configs', 401, () => ({})],
    ['POST /v2/nope', 404, () => ({})],
    ['POST /oauth2/jwks', 405, () => ({})],
    ['POST /v1/chat/completions', 401, () => ({})],
    ['PATCH /v1/files', 405, withKey],
    ['OPTIONS /v1/files', 204, () => ({})],
  ];

  /** Sends a body of which a byte comes now and then, until its connection is closed. */
  async function drip(line: string, headers: Record<string, string>): Promise<number> {
    const request = rawRequest(app.url, line, {
      'content-type': 'application/json',
      'content-length': '100000',
      ...headers,
    });
    const dripping = setInterval(() => request.write(' '), 50);
    await request.closed;
    clearInterval(dripping);
    return request.status();
  }

  // Each connection is given two seconds, so they are given them together.
  const statuses = new Map<string, Promise<number>>();
  beforeAll(() => {
    for (const [line, , headers] of lines) statuses.set(line, drip(line, headers()));
  });

  it.each(lines)('%s is %i, and its connection is closed soon', async (line, status) => {
    expect(await statuses.get(line)).toBe(status);
  });

  it('keeps its connection when the rest of the body comes', async () => {
    const request = rawRequest(app.url, 'POST /healthz', { 'content-length': '10' });
    request.write('12345');
    while (request.answer() === '') await new Promise((resolve) => setTimeout(resolve, 10));
    request.write('67890GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    while (!request.answer().includes('"database"')) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(request.isClosed()).toBe(false);
    request.drop();
  });

  it('is the last of its connection when it said so, whatever follows', async () => {
    const request = rawRequest(app.url, 'POST /v1/chat/completions', { 'content-length': '10' });
    while (!request.answer().includes('error')) await new Promise((resolve) => setTimeout(resolve, 10));
    request.write('1234567890GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await request.closed;
    expect(request.answer()).toMatch(/^HTTP\/1\.1 401/);
    expect(request.answer()).not.toContain('"ok"');
  });
});

describe('a body that is too large', () => {
  it.each([
    ['/v1/chat/completions', 17],
    ['/v1/chat/completions', 105],
    ['/v1/configs', 17],
    ['/graphql', 17],
  ])('at %s, %i MB, has an answer that its sender reads', async (path, megabytes) => {
    const body = Buffer.alloc(megabytes * 1_000_000, ' ');
    for (let count = 0; count < 4; count++) {
      const answer = await fetch(app.url + path, {
        method: 'POST',
        headers: { ...withKey(), 'content-type': 'application/json' },
        body,
      });
      expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('larger than')]);
    }
  });

  it('is answered to a sender that reads nothing before all is sent', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1').pause();
    const body = Buffer.alloc(17_000_000, ' ');
    const head = Object.entries({ ...withKey(), 'content-length': String(body.length) });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${head
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
    await new Promise<void>((resolve, reject) => {
      socket.write(body, (error) => (error ? reject(error) : resolve()));
    });
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });
});
