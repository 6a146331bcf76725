import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** The text that a request of these lines is answered with. */
async function ask(...lines: string[]): Promise<string> {
  const { hostname, port } = new URL(world.app.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

const key = () => `x-gateway-api-key: ${world.app.workspaceKey}`;

describe('TRACE', () => {
  test.each([
    ['/', 'GET, HEAD, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
    ['/metrics', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'HEAD, GET'],
    ['/reference', 'HEAD, GET'],
    ['/invites/x', 'GET, HEAD'],
    ['/oauth2/access_token', 'POST, OPTIONS'],
    ['/v1/configs', 'GET, POST, HEAD, OPTIONS'],
    ['/v2/configs', 'GET, POST, HEAD, OPTIONS'],
    ['/v1/chat/completions', 'POST, OPTIONS'],
    ['/v1/models', 'GET, HEAD, OPTIONS'],
    ['/v1/proxy/x', 'POST, GET, PUT, DELETE, HEAD, OPTIONS'],
    ['/graphql', 'GET, POST'],
    ['/graphql/stream', 'GET, POST'],
    ['/supergraph.graphql', 'GET, HEAD'],
    ['/explorer', 'GET, HEAD'],
  ])('is refused at %s, which takes %s', async (path, allow) => {
    const answer = await ask(`TRACE ${path} HTTP/1.1`, 'host: x', 'x-secret: planted');
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(/^allow: (.*)\r$/im.exec(answer)?.[1]).toBe(allow);
    expect(answer).not.toContain('planted');
  });
});

test('what only tells how the service is takes no POST', async () => {
  const answer = await world.call({ path: '/', key: null, body: {} });
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  const options = await world.call({ method: 'OPTIONS', path: '/healthz', key: null, body: null });
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

describe('two Host headers', () => {
  test.each(['/', '/v1/models', '/v1/configs', '/graphql', '/oauth2/jwks'])(
    'are refused at %s',
    async (path) => {
      for (const second of ['Host: b', 'HOST: a']) {
        const answer = await ask(`GET ${path} HTTP/1.1`, 'host: a', second, key());
        expect(answer).toMatch(
          /^HTTP\/1\.1 400 [\s\S]*"message":"The request has more than one Host header\."/,
        );
      }
    },
  );

  it('are refused for a WebSocket', async () => {
    const upgrade = ['connection: upgrade', 'upgrade: websocket'];
    const answer = await ask('GET /graphql HTTP/1.1', 'host: a', 'host: b', ...upgrade);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a request whose target is a whole URL', () => {
  test.each([
    ['GET', 'http://gateway.example/v1/models', 200, '"object":"list"'],
    ['GET', 'HTTP://user@gateway.example:80/v1/models?x=1', 200, '"object":"list"'],
    ['GET', 'https://gateway.example/v1/configs', 200, '"success":true'],
    ['GET', 'http://gateway.example', 200, 'Sluice is running'],
    ['GET', 'http://gateway.example?x=/v1/models', 200, 'Sluice is running'],
    ['GET', 'http://gateway.example/v1/../v1/models', 400, 'a segment . or ..'],
    ['GET', 'http://gateway.example/none', 404, 'Not Found'],
    ['GET', 'ftp://gateway.example/v1/models', 404, 'Not Found'],
  ])('is answered: %s %s', async (method, target, status, text) => {
    const answer = await ask(`${method} ${target} HTTP/1.1`, 'host: other.example', key());
    expect([answer.slice(0, 12), answer]).toEqual([`HTTP/1.1 ${status}`, expect.stringContaining(text)]);
  });

  it('goes on to a provider as its path', async () => {
    world.provider.requests.length = 0;
    const target = 'http://gateway.example/v1/proxy/x//y?z=http://a';
    await ask(`GET ${target} HTTP/1.1`, 'host: x', key(), `x-gateway-provider: @${world.slug}`);
    expect(world.provider.requests.map(({ url }) => url)).toEqual(['/v1/x//y?z=http://a']);
  });

  it('has its own host in the place of the header', async () => {
    const answer = await ask(
      'GET http://localhost:9999/.well-known/oauth-authorization-server HTTP/1.1',
      'host: 127.0.0.1:1',
    );
    expect(answer).toContain('"issuer":"http://localhost:9999"');
  });
});
