import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOperationsAccess } from '../../src/http/operations-access.ts';
import { startApp, type TestApp } from '../support/app.ts';

const token = 'a-token-for-prometheus-of-32-characters-or-more';
let app: TestApp;
let closed: TestApp;
beforeAll(async () => {
  app = await startApp({ METRICS_TOKEN: token });
  closed = await startApp();
});
afterAll(() => Promise.all([app.stop(), closed.stop()]));

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const get = (path: string, headers: Record<string, string>, of = app) =>
  of.rest('GET', path, { key: null, headers });

describe('metrics', () => {
  it('are shown to programs on this machine', async () => {
    const { status, body } = await get('/metrics', {});
    expect(status).toBe(200);
    expect(body).toContain('sluice_requests_total');
  });

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'are not shown to whoever comes through a proxy that sends %s, except with the token',
    async (name) => {
      const header = { [name]: '203.0.113.9' };
      for (const wrong of [{}, bearer(`${token}x`), bearer(app.adminKey), { authorization: token }]) {
        const refused = await get('/metrics', { ...header, ...wrong });
        expect(refused).toMatchObject({
          status: 401,
          body: { error: { message: expect.stringContaining('METRICS_TOKEN') } },
        });
        expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      }
      expect((await get('/metrics', { ...header, ...bearer(token) })).status).toBe(200);
      expect((await get('/metrics', { ...header, ...bearer(token) }, closed)).status).toBe(401);
    },
  );
});

describe('readiness', () => {
  it('is told to all, with its details to those who may see metrics', async () => {
    const far = { 'x-forwarded-for': '203.0.113.9' };
    const whole = { ready: true, status: 'ok', database: 'up', disk: 'ok', limits: 'ok', clock: 'ok' };
    expect((await get('/readyz', {})).body).toEqual(whole);
    expect((await get('/readyz', { ...far, ...bearer(token) })).body).toEqual(whole);
    expect(await get('/readyz', far)).toMatchObject({ status: 200, body: { ready: true, status: 'ok' } });
    expect((await get('/readyz', far)).body).toEqual({ ready: true, status: 'ok' });
    expect((await get('/healthz', far)).status).toBe(200);
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.7', false],
  ['::ffff:10.0.0.7', false],
  ['172.17.0.1', false],
  ['fe80::1%eth0', false],
  ['', false],
])('a peer at %p is on this machine: %p', (remoteAddress, expected) => {
  const request = { socket: { remoteAddress }, headers: {} } as IncomingMessage;
  expect(createOperationsAccess(null)(request)).toBe(expected);
});
