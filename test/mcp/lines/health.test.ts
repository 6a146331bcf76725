import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { callModern } from '../../support/mcp-wire.ts';

let app: TestApp;
let upstream: McpUpstream;
beforeAll(async () => {
  app = await startApp();
  upstream = await startMcpUpstream();
  upstream.tools = [tool('say')];
  upstream.onMessage = ({ id, method }) =>
    method === 'tools/call' ? { jsonrpc: '2.0', id, result: { content: [] } } : undefined;
  await serveMcp(app, 'well', { url: upstream.url });
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

/** What both resources show, which is the same. */
async function health(): Promise<unknown> {
  const read = async (path: string) => {
    const answer = await app.rest('GET', `/v1/${path}/metadata`, { key: app.adminKey });
    return bodyOf(answer).health;
  };
  const shown = await read('mcp-servers/well');
  expect(await read('mcp-integrations/well')).toEqual(shown);
  return shown;
}

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

it('metadata say how a server answers calls', async () => {
  expect(await health()).toBeNull();
  for (let time = 0; time < 3; time++) await callModern(app, 'well', 'say');
  const well = { last_ok_at: moment, p50_ms: expect.any(Number), p95_ms: expect.any(Number) };
  expect(await health()).toEqual({ state: 'closed', last_error: null, ...well });
  // A refusal is an answer.
  upstream.status = 403;
  await callModern(app, 'well', 'say');
  expect(await health()).toMatchObject({ state: 'closed', last_error: null });
  upstream.status = 502;
  await callModern(app, 'well', 'say');
  expect(await health()).toEqual({ state: 'closed', last_error: 'HTTP 502', ...well });
  for (let time = 0; time < 5; time++) await callModern(app, 'well', 'say');
  const state = expect.stringMatching(/^(open|half_open)$/);
  expect(await health()).toEqual({ state, last_error: 'HTTP 502', ...well });
});

it('nobody of another organisation sees it', async () => {
  const { adminKey: key } = await app.createTenant();
  const answer = await app.rest('GET', '/v1/mcp-integrations/well/metadata', { key });
  expect(answer.status).toBe(404);
});
