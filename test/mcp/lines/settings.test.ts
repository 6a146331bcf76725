import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { callModern } from '../../support/mcp-wire.ts';

type Json = Record<string, any>;

let app: TestApp;
let upstream: McpUpstream;
/** What the tools of the server answer. */
let answer: Json = {};
beforeAll(async () => {
  // Without a setting of its own, a test of connections would wait longer than it may take.
  app = await startApp({ CONNECT_TIMEOUT_MS: '300000' });
  upstream = await startMcpUpstream('sessions');
  const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
  upstream.tools = [tool('say'), tool('count', { outputSchema })];
  upstream.onMessage = ({ id, method }) =>
    method === 'tools/call' ? { jsonrpc: '2.0', id, result: answer } : undefined;
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});
beforeEach(() => {
  upstream.requests.length = 0;
  answer = { content: [{ type: 'text', text: 'said' }] };
});

let count = 0;
async function serve(configurations: object, url = upstream.url): Promise<string> {
  const slug = `server-${++count}`;
  await serveMcp(app, slug, { url, configurations });
  upstream.requests.length = 0;
  return slug;
}
const opened = () => upstream.requests.filter(({ body }) => body?.method === 'initialize').length;
const sessionsUsed = () =>
  upstream.requests
    .filter(({ body }) => body?.method === 'tools/call')
    .map(({ headers }) => headers['mcp-session-id']);
const said = { content: [{ type: 'text', text: 'said' }] };

describe('session_affinity: principal', () => {
  it('has the requests of a caller share one session of the server, and nobody else', async () => {
    const slug = await serve({ session_affinity: 'principal' });
    for (let time = 0; time < 3; time++)
      expect((await callModern(app, slug, 'say')).body.result).toMatchObject(said);
    expect(opened()).toBe(1);
    expect(new Set(sessionsUsed()).size).toBe(1);
    const { key } = bodyOf(
      await app.rest('POST', '/v1/api-keys/workspace/service', {
        key: app.adminKey,
        body: { name: 'other', workspace_id: app.workspaceId, scopes: ['mcp.invoke'] },
      }),
    );
    const other = await callModern(app, slug, 'say', {}, { 'x-gateway-api-key': key });
    expect(other.body.result).toMatchObject(said);
    expect(opened()).toBe(2);
    expect(new Set(sessionsUsed()).size).toBe(2);
    expect(upstream.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('opens another one where the server has lost it, whatever session_lost says', async () => {
    const slug = await serve({ session_affinity: 'principal', session_lost: 'report' });
    await callModern(app, slug, 'say');
    upstream.sessions.clear();
    for (let time = 0; time < 2; time++)
      expect((await callModern(app, slug, 'say')).body.result).toMatchObject(said);
    expect(opened()).toBe(2);
  });

  it('opens one where many requests come at once, and ends those that nobody needs', async () => {
    const slug = await serve({ session_affinity: 'principal' });
    await Promise.all(Array.from({ length: 5 }, () => callModern(app, slug, 'say')));
    const [last] = sessionsUsed().slice(-1);
    await callModern(app, slug, 'say');
    const ended = () =>
      upstream.requests
        .filter(({ method }) => method === 'DELETE')
        .map(({ headers }) => headers['mcp-session-id']);
    await eventually(async () => expect(ended()).toHaveLength(opened() - 1));
    expect(ended()).not.toContain(sessionsUsed().at(-1));
    expect(last).toBe(sessionsUsed().at(-1));
  });

  it('asks a server that opens no sessions as before', async () => {
    const plain = await startMcpUpstream('legacy');
    plain.tools = [tool('say')];
    plain.onMessage = upstream.onMessage;
    const slug = await serve({ session_affinity: 'principal' }, plain.url);
    plain.requests.length = 0;
    for (let time = 0; time < 2; time++)
      expect((await callModern(app, slug, 'say')).body.result).toMatchObject(said);
    expect(plain.requests.filter(({ body }) => body?.method === 'initialize')).toHaveLength(1);
    await plain.stop();
  });

  it.each([
    ['forward_headers', { forward_headers: ['x-person'] }],
    ['jwt_validation', { jwt_validation: { jwks: { keys: [{ kty: 'oct' }] } } }],
  ])('is refused beside %s, since people who share a key would share a session', async (name, more) => {
    const refused = await app.rest('PUT', '/v1/mcp-integrations/server-1', {
      key: app.adminKey,
      body: { configurations: { session_affinity: 'principal', ...more } },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: {
          param: 'configurations.session_affinity',
          message: expect.stringContaining(`must be request beside ${name}`),
        },
      },
    });
  });
});

describe('validate_output: true', () => {
  let calls = 0;

  /** Calls the tool; answers what its caller gets, and what the log says of the result. */
  async function counted(slug: string): Promise<{ result: Json; noted: unknown }> {
    const traceId = `counted-${++calls}`;
    const { body } = await callModern(app, slug, 'count', {}, { 'x-gateway-trace-id': traceId });
    await app.logged();
    const row = await app.db.collection('logs').findOne({ traceId });
    return { result: body.result, noted: JSON.parse(row?.mcp).outputProblem };
  }

  it('notes in the log what does not fit, and passes the result on as it came', async () => {
    const slug = await serve({ validate_output: true });
    const results: [Json, unknown][] = [
      [{ ...said, structuredContent: { count: 'many' } }, '/count: must be integer'],
      [{ ...said, structuredContent: { count: 3 } }, undefined],
      [said, 'structuredContent is missing'],
      [{ ...said, isError: true }, undefined],
    ];
    for (const [given, noted] of results) {
      answer = given;
      expect(await counted(slug)).toEqual({ result: expect.objectContaining(given), noted });
    }
  });

  it('is off unless it is asked for', async () => {
    const slug = await serve({});
    answer = { ...said, structuredContent: { count: 'many' } };
    expect((await counted(slug)).noted).toBeUndefined();
  });
});

describe('timeouts.connect_ms', () => {
  it('gives a server up that takes connections and never gets to the request', async () => {
    const slug = await serve({ timeouts: { connect_ms: 200 } });
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
    const moved = await app.rest('PUT', `/v1/mcp-integrations/${slug}`, { key: app.adminKey, body: { url } });
    expect(moved.status).toBe(200);
    const { body } = await callModern(app, slug, 'say');
    expect(body.error).toMatchObject({ code: -31503, data: { server: slug, maybe_executed: false } });
    silent.close();
    for (const socket of sockets) socket.destroy();
  });

  it.each([99, 300_001])('is refused out of its bounds: %s', async (connect_ms) => {
    const refused = await app.rest('PUT', '/v1/mcp-integrations/server-1', {
      ...{ key: app.adminKey, body: { configurations: { timeouts: { connect_ms } } } },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { param: 'configurations.timeouts.connect_ms' } },
    });
  });
});
