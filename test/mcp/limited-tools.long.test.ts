import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CounterDocument } from '../../src/limits/counters/document.ts';
import { bodyOf } from '../rest-compat/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { callModern, MODERN, modernMessage } from '../support/mcp-wire.ts';

let app: TestApp;
let upstream: McpUpstream;
beforeAll(async () => {
  [app, upstream] = await Promise.all([startApp(), startMcpUpstream()]);
  upstream.tools = [tool('say', { inputSchema: { type: 'object', properties: {} } })];
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const admin = async (method: string, path: string, body: unknown) =>
  bodyOf(await app.rest(method, `/v1${path}`, { key: app.adminKey, body }));

let count = 0;

/** A server with rates of its tools in requests and tokens, which hardly refill in a test; a call costs half a dollar. */
async function limited(configurations: object = {}, url = upstream.url) {
  const slug = `limited-${++count}`;
  await serveMcp(app, slug, { url, configurations: { cost_per_call: 0.5, ...configurations } });
  const ids: Record<string, string> = {};
  for (const type of ['requests', 'tokens']) {
    const made = await admin('POST', '/policies/rate-limits', {
      ...{ name: type, type, unit: 'rpw', value: 1000, target: 'mcp_tools', workspace_id: app.workspaceId },
      conditions: [{ key: 'mcp_server', value: slug }],
      group_by: [{ key: 'mcp_server' }],
    });
    ids[type] = made.id;
  }
  return { slug, ids };
}

const openReservations = async (): Promise<number> => {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  return Number(/^sluice_limits_open_reservations(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]);
};

/** Until nothing is held, and the counters stand at what is expected. */
const ended = (ids: Record<string, string>, check: (requests: number, tokens: number) => void) =>
  eventually(async () => {
    expect(await openReservations()).toBe(0);
    const counters = await app.db
      .collection<CounterDocument>('limit_counters')
      .find({ limitId: { $in: Object.values(ids).map((id) => `policy:${id}`) } })
      .toArray();
    for (const { L } of counters) for (const { h } of Object.values(L)) expect(h).toBe(0);
    const fill = (type: string) =>
      counters.find(({ limitId }) => limitId === `policy:${ids[type]}`)?.fill ?? Number.NaN;
    check(fill('requests'), fill('tokens'));
  });

/** Answers calls of the tool in this way. */
const play = (answer: (id: unknown, response: ServerResponse) => object | true) => {
  upstream.onMessage = ({ id, method }, response) =>
    method === 'tools/call' ? answer(id, response) : undefined;
};
const said = (more: object = {}) =>
  play((id) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'words' }], ...more } }));

const counted = (requests: number, tokens: number) => {
  expect(requests).toBe(1);
  expect(tokens).toBeGreaterThan(0);
};
const onlyAsked = (requests: number, tokens: number) => expect([requests, tokens]).toEqual([1, 0]);

async function costsOf(slug: string): Promise<number[]> {
  await app.logged();
  const { data } = await app.graphql(
    `query { logs(filters: {aiOrgModel: ["mcp__${slug}/say"]}) { data { cost } } }`,
  );
  return data.logs.data.map(({ cost }: { cost: number }) => cost);
}

describe('nothing stays reserved after a call of a tool', () => {
  it.each<[string, () => void]>([
    ['that answers', () => said()],
    ['that says it failed', () => said({ isError: true })],
    [
      'whose server answers an error',
      () => play((id) => ({ jsonrpc: '2.0', id, error: { code: -1, message: 'no' } })),
    ],
    [
      'whose server fails',
      () =>
        play((_id, response) => {
          response.writeHead(500).end();
          return true;
        }),
    ],
    [
      'whose server breaks off in its answer',
      () =>
        play((_id, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.write('{"jsonrpc":');
          setTimeout(() => response.destroy(), 20);
          return true;
        }),
    ],
  ])('%s', async (_what, script) => {
    const { slug, ids } = await limited();
    script();
    await callModern(app, slug, 'say', { text: 'hello' });
    await ended(ids, counted);
  });

  it('whose server takes too long', async () => {
    const { slug, ids } = await limited({ timeouts: { idle_ms: 1000, total_ms: 1000 } });
    play(() => true);
    expect((await callModern(app, slug, 'say', { text: 'hello' })).body.error).toMatchObject({
      data: { maybe_executed: true },
    });
    await ended(ids, counted);
  });

  it('whose caller leaves while the server is at it, which costs as much', async () => {
    const { slug, ids } = await limited();
    const reached = Promise.withResolvers<void>();
    play(() => {
      reached.resolve();
      return true;
    });
    const leave = new AbortController();
    const gone = fetch(`${app.url}/${slug}/mcp`, {
      method: 'POST',
      signal: leave.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-gateway-api-key': app.workspaceKey,
        ...{ 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'say' },
      },
      body: JSON.stringify(modernMessage('tools/call', { name: 'say', arguments: { text: 'hello' } })),
    }).catch(() => undefined);
    await reached.promise;
    expect(await openReservations()).toBe(1);
    leave.abort();
    await gone;
    await ended(ids, counted);
    await eventually(async () => expect(await costsOf(slug)).toEqual([50]));
  });

  it('that a guardrail denies, which costs nothing', async () => {
    const { id } = await admin('POST', '/guardrails', {
      ...{ name: 'none of it', actions: { deny: true }, organisation_id: app.organisationId },
      checks: [{ id: 'default.contains', parameters: { words: ['hello'], operator: 'none' } }],
    });
    const { slug, ids } = await limited({ input_guardrails: [id] });
    said();
    expect((await callModern(app, slug, 'say', { text: 'hello' })).body.result.isError).toBe(true);
    await ended(ids, onlyAsked);
  });

  it('whose answer a guardrail denies, which the server has made', async () => {
    const { id } = await admin('POST', '/guardrails', {
      ...{ name: 'no words', actions: { deny: true }, organisation_id: app.organisationId },
      checks: [{ id: 'default.contains', parameters: { words: ['words'], operator: 'none' } }],
    });
    const { slug, ids } = await limited({ output_guardrails: [id] });
    said();
    expect((await callModern(app, slug, 'say', { text: 'hello' })).body.result.isError).toBe(true);
    await ended(ids, counted);
  });

  it('whose server cannot be reached, which costs nothing', async () => {
    const lost = await startMcpUpstream();
    lost.tools = upstream.tools;
    const { slug, ids } = await limited({}, lost.url);
    await lost.stop();
    expect((await callModern(app, slug, 'say', { text: 'hello' })).body.error).toBeDefined();
    await ended(ids, onlyAsked);
    await eventually(async () => expect(await costsOf(slug)).toEqual([0]));
  });
});
