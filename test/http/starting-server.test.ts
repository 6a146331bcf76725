import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { close, createHttpServer, listen } from '../../src/http/server.ts';
import { answerWhileStarting } from '../../src/http/starting-server.ts';

test('a service that starts says that it lives and is not ready, lets the rest wait for a while, and then answers', async () => {
  const server = createHttpServer(
    (request, response) => void request.pipe(response),
    (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  );
  const open = answerWhileStarting(server, 400);
  const port = await listen(server, '127.0.0.1', 0);
  const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const upgrade = () =>
    new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      );
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });

  const health = await at('/healthz');
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  const readiness = await at('/readyz?a=b');
  expect([readiness.status, await readiness.json()]).toEqual([503, { ready: false, status: 'starting' }]);
  const paths = ['/v1/chat/completions', '/graphql', '/v2/configs'];
  const refused = await Promise.all(paths.map((path) => at(path, { method: 'POST', body: '{}' })));
  for (const answer of refused) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({
      error: { message: 'This instance is starting.', code: 'starting' },
    });
  }
  expect(await upgrade()).not.toMatch(/^HTTP\/1\.1 101/);

  const waiting = at('/v1/chat/completions', { method: 'POST', body: 'kept' });
  // The answer to this request tells that the one before it has arrived.
  await at('/healthz');
  open();
  expect(await (await waiting).text()).toBe('kept');
  expect(await (await at('/readyz', { method: 'POST', body: 'served' })).text()).toBe('served');
  expect(await upgrade()).toContain('101');
  await close(server, 0);
});
