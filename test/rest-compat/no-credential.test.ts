import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';

let app: CountedApp;
beforeAll(async () => {
  app = await startCountedApp({});
});
afterAll(() => app.stop());

it('is the first thing that a write is refused for, before its body is looked at', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const body of ['{"bad', '{"unknown":1}', null]) {
    const answer = await fetch(`${app.url}/v1/configs`, { method: 'POST', headers, body });
    expect(answer.status).toBe(401);
  }
});

it('is refused before a body has come', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write('POST /v1/configs HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{'),
    );
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

it('costs the database nothing, whatever the write asks for', async () => {
  const headers = { 'if-match': '"a"', 'content-type': 'application/json' };
  const { answer, commands } = await app.commandsOf(() =>
    fetch(`${app.url}/v1/configs/some`, { method: 'PUT', headers, body: '{}' }),
  );
  expect(answer.status).toBe(401);
  expect(commands).toEqual([]);
});
