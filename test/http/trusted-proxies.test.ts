import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/settings/index.ts';
import { auditRows } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';

let behind: TestApp;
let direct: TestApp;
beforeAll(async () => {
  behind = await startApp({ TRUSTED_PROXIES: '127.0.0.0/8, ::1, 10.0.0.0/8, 2001:db8::/32' });
  direct = await startApp();
}, 120_000);
afterAll(async () => {
  await behind.stop();
  await direct.stop();
});

let count = 0;
/** The client and the country in the audit entry of a call with these headers. */
async function recorded(app: TestApp, headers: Record<string, string>) {
  const name = `proxied-${++count}`;
  const { status } = await app.rest('POST', '/v1/configs', {
    headers,
    body: { name, config: { retry: { attempts: 1 } } },
  });
  expect(status).toBe(200);
  const [row] = await auditRows(app, { requestBody: { $regex: name } });
  return [row?.clientIp.replace('::ffff:', ''), row?.country];
}

describe('behind a trusted proxy', () => {
  it.each([
    ['the client that it names', '203.0.113.9', '203.0.113.9'],
    ['the last address that is no trusted proxy', '1.1.1.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['an address with a port', '203.0.113.9:4711', '203.0.113.9'],
    ['an IPv6 address', '[2001:4860::1]:443, 2001:db8::7', '2001:4860::1'],
    ['the first proxy where nobody else is named', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['the last address before nonsense', '203.0.113.9, nonsense, 10.1.2.3', '10.1.2.3'],
    ['the proxy itself without a header', '', '127.0.0.1'],
  ])('the trail has %s', async (_what, forwarded, expected) => {
    const headers: Record<string, string> = forwarded === '' ? {} : { 'x-forwarded-for': forwarded };
    expect(await recorded(behind, headers)).toEqual([expected, null]);
  });

  it.each([
    ['cf-ipcountry', 'de', 'DE'],
    ['cloudfront-viewer-country', 'NZ', 'NZ'],
    ['x-vercel-ip-country', 'XX', null],
    ['x-appengine-country', 'Germany', null],
  ])('the country is what %s says: %s', async (name, given, expected) => {
    expect((await recorded(behind, { [name]: given }))[1]).toBe(expected);
  });

  it('guesses are counted for the client, so that others are not slowed down with it', async () => {
    const waits: number[] = [];
    const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' }, async (ms) => void waits.push(ms));
    const guess = (from: string) =>
      app.rest('GET', '/v1/configs', { key: 'sl-wrong', headers: { 'x-forwarded-for': from } });
    for (let index = 0; index < 12; index++) await guess('203.0.113.9');
    const slowed = waits.length;
    expect(slowed).toBeGreaterThan(0);
    await guess('203.0.113.10');
    expect(waits).toHaveLength(slowed);
    await app.stop();
  }, 120_000);

  it('entries of a country are found by it', async () => {
    await recorded(behind, { 'cf-ipcountry': 'FR' });
    const { body } = await behind.rest(
      'GET',
      '/v1/audit-logs?start_time=2020-01-01T00:00:00Z&end_time=2099-01-01T00:00:00Z&country=FR',
      { key: behind.adminKey },
    );
    expect(body).toMatchObject({ total: 1, records: [{ country: 'FR' }] });
  });
});

it('without trusted proxies nobody can name another client', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', 'cf-ipcountry': 'DE' };
  expect(await recorded(direct, headers)).toEqual(['127.0.0.1', null]);
});

it.each(['example.com', '10.0.0.0/33', '10.0.0.0/8/8', 'fe80::1%eth0'])(
  'a trusted proxy %s is refused at the start',
  (entry) => {
    expect(() => readSettings({ TRUSTED_PROXIES: entry })).toThrow(
      'TRUSTED_PROXIES.0: must be addresses or networks such as 10.0.0.0/8',
    );
  },
);
