import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import {
  askModern,
  callModern,
  legacyMessage,
  MODERN,
  modernMessage,
  openLegacy,
  post,
} from '../../support/mcp-wire.ts';

let app: TestApp;
let neighbour: Tenant;
let server: Awaited<ReturnType<typeof serveMcp>>;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  server = await serveMcp(app, 'mock', { url: 'mock://server' });
  await serveMcp(app, 'other', { url: 'mock://server' });
});
afterAll(() => app.stop());

const echo = { name: 'echo', arguments: { message: 'hello' } };
const said = { content: [{ type: 'text', text: 'hello' }] };

describe('who may come in', () => {
  it('tells callers without a valid credential where to get one', async () => {
    const metadata = `resource_metadata="${app.url}/.well-known/oauth-protected-resource/mock/mcp"`;
    const without = await fetch(`${app.url}/mock/mcp`, { method: 'POST', body: '{}' });
    expect(without.status).toBe(401);
    expect(without.headers.get('www-authenticate')).toBe(`Bearer ${metadata}, scope="mcp"`);
    expect(await without.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -31401 } });
    const wrong = await post(app, '/mock/mcp', {}, { 'x-gateway-api-key': 'sl-wrong' });
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(wrong.status).toBe(401);
  });

  it('takes a key as bearer, and refuses one without the scope', async () => {
    const bearer = { 'x-gateway-api-key': '', authorization: `Bearer ${app.workspaceKey}` };
    expect((await callModern(app, 'mock', 'echo', echo.arguments, bearer)).body.result).toMatchObject(said);
    const admin = await callModern(app, 'mock', 'echo', echo.arguments, {
      'x-gateway-api-key': app.adminKey,
    });
    expect(admin).toMatchObject({ status: 403, body: { error: { code: -31403 } } });
    expect(admin.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  });

  it('check 23: refuses foreign origins and, on loopback, foreign hosts', async () => {
    const foreign = await callModern(app, 'mock', 'echo', echo.arguments, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    const own = await callModern(app, 'mock', 'echo', echo.arguments, { origin: app.url });
    expect(own.status).toBe(200);
    const { hostname, port } = new URL(app.url);
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.example', 'x-gateway-api-key': app.workspaceKey };
      request({ hostname, port, path: '/mock/mcp', method: 'POST', headers }, ({ statusCode }) =>
        resolve(statusCode),
      ).end('{}');
    });
    expect(status).toBe(403);
  });

  it('check 7: refuses neighbours, unknown servers and users who may not', async () => {
    const asNeighbour = { 'x-gateway-api-key': neighbour.workspaceKey };
    for (const slug of ['mock', 'nowhere']) {
      const answer = await callModern(app, slug, 'echo', {}, slug === 'mock' ? asNeighbour : {});
      expect(answer).toMatchObject({ status: 404, body: { error: { code: -31404 } } });
    }
    const { headers } = await openLegacy(app, 'other');
    const deny = { user_access: [], default_user_access: 'deny' };
    await server.call('PUT', 'mcp-servers/other/user-access', deny);
    const again = await post(app, '/other/mcp', legacyMessage('tools/call', echo), headers);
    expect(again).toMatchObject({ status: 403, body: { error: { code: -31403 } } });
    await server.call('PUT', 'mcp-servers/other/user-access', { ...deny, default_user_access: 'allow' });
    expect((await post(app, '/other/mcp', legacyMessage('tools/call', echo), headers)).status).toBe(200);
  });

  it('has no way of two addresses any more, and knows the long address', async () => {
    for (const path of ['/mock/sse', '/mock/messages'])
      expect(await post(app, path, {})).toMatchObject({
        status: 410,
        body: { error: { message: expect.stringContaining(`${app.url}/mock/mcp`) } },
      });
    const long = await post(app, `/${app.workspaceId}/mock/mcp`, legacyMessage('tools/call', echo));
    expect(long.body.result).toEqual(said);
    expect((await post(app, `/${neighbour.workspaceId}/mock/mcp`, {})).status).toBe(404);
  });
});

describe('check 22: the shape of requests', () => {
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const message = modernMessage('tools/call', echo);

  it.each([
    ['no version in the headers', { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }, -32020],
    ['no method in the headers', { 'mcp-protocol-version': MODERN, 'mcp-name': 'echo' }, -32020],
    ['another method in the headers', { ...headers, 'mcp-method': 'tools/list' }, -32020],
    ['no name in the headers', { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call' }, -32020],
    ['another name in the headers', { ...headers, 'mcp-name': 'add' }, -32020],
    ['a wrapped name that is broken', { ...headers, 'mcp-name': '=?base64?!?=' }, -32020],
    ['another version in the headers', { ...headers, 'mcp-protocol-version': '2027-01-01' }, -32020],
  ])('refuses %s', async (_what, given, code) => {
    expect(await post(app, '/mock/mcp', message, given as Record<string, string>)).toMatchObject({
      status: 400,
      body: { error: { code } },
    });
  });

  it('takes a wrapped name', async () => {
    const wrapped = `=?base64?${Buffer.from('echo').toString('base64')}?=`;
    const answer = await post(app, '/mock/mcp', message, { ...headers, 'mcp-name': wrapped });
    expect(answer.body.result).toMatchObject({ ...said, resultType: 'complete' });
  });

  it('refuses an unknown version, an envelope that lacks something, and unknown methods', async () => {
    const key = 'io.modelcontextprotocol/protocolVersion';
    const { supportedVersions: versions } = (await askModern(app, 'mock', 'server/discover')).body.result;
    expect(versions).toEqual([MODERN]);
    const later = modernMessage('tools/list', { _meta: { [key]: '2027-01-01' } });
    const asked = { ...headers, 'mcp-method': 'tools/list', 'mcp-protocol-version': '2027-01-01' };
    expect(await post(app, '/mock/mcp', later, asked)).toMatchObject({
      ...{ status: 400 },
      body: {
        id: 1,
        error: {
          code: -32022,
          data: { requested: '2027-01-01', supported: versions },
        },
      },
    });
    const bare = legacyMessage('tools/call', echo);
    expect(await post(app, '/mock/mcp', bare, headers)).toMatchObject({
      status: 400,
      body: { error: { code: -32602 } },
    });
    for (const method of ['ping', 'logging/setLevel', 'nothing/like/it'])
      expect(await askModern(app, 'mock', method)).toMatchObject({
        ...{ status: 404, body: { error: { code: -32601 } } },
      });
  });

  it('refuses what is no message, no JSON, or too large', async () => {
    expect(await post(app, '/mock/mcp', '{')).toMatchObject({
      status: 400,
      body: { error: { code: -32700 } },
    });
    expect(await post(app, '/mock/mcp', { a: 1 })).toMatchObject({
      status: 400,
      body: { error: { code: -32600 } },
    });
    expect((await post(app, '/mock/mcp', '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const large = legacyMessage('tools/call', {
      name: 'echo',
      arguments: { message: 'x'.repeat(4 * 1024 * 1024) },
    });
    expect(await post(app, '/mock/mcp', large)).toMatchObject({
      status: 413,
      body: { error: { code: -31413 } },
    });
  });

  it('takes batches of the revisions that have them, and of no other', async () => {
    const batch = [
      legacyMessage('tools/call', echo, 'a'),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } },
      legacyMessage('tools/call', { name: 'nothing' }, 'b'),
    ];
    const old = await post(app, '/mock/mcp', batch, { 'mcp-protocol-version': '2025-03-26' });
    expect(old.status).toBe(200);
    expect(old.events.sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      { jsonrpc: '2.0', id: 'a', result: said },
      { jsonrpc: '2.0', id: 'b', error: { code: -32602, message: 'Unknown tool: nothing' } },
    ]);
    const now = await post(app, '/mock/mcp', batch, { 'mcp-protocol-version': '2025-06-18' });
    expect(now).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it('pages its lists, and takes no foreign cursor', async () => {
    const { body } = await askModern(app, 'mock', 'tools/list');
    expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 30_000, cacheScope: 'private' });
    const wrong = await askModern(app, 'mock', 'tools/list', { cursor: 'abc' });
    expect(wrong).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
  });
});

describe('sessions', () => {
  it('check 24: belong to one caller and one server, and bear no change', async () => {
    const { headers } = await openLegacy(app, 'mock');
    const call = (path: string, more: Record<string, string>) =>
      post(app, path, legacyMessage('tools/call', echo), { ...headers, ...more });
    expect((await call('/mock/mcp', {})).body.result).toEqual(said);
    const name = { name: 'other', workspace_id: app.workspaceId, scopes: ['mcp.invoke'] };
    const { key } = await server.call('POST', 'api-keys/workspace/service', name);
    const id = headers['mcp-session-id'] ?? '';
    const altered = id.slice(0, -3) + (id.at(-3) === 'A' ? 'B' : 'A') + id.slice(-2);
    for (const answer of [
      await call('/mock/mcp', { 'x-gateway-api-key': key }),
      await call('/other/mcp', {}),
      await call('/mock/mcp', { 'mcp-session-id': altered }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: { code: -32001 } } });
  });

  it('check 30: end with DELETE', async () => {
    const { headers } = await openLegacy(app, 'mock');
    const ended = await app.rest('DELETE', '/mock/mcp', { headers });
    expect(ended.status).toBe(200);
    const after = await post(app, '/mock/mcp', legacyMessage('ping'), headers);
    expect(after).toMatchObject({ status: 404, body: { error: { code: -32001 } } });
  });

  it('agree on the revision that the caller asks for, or the newest', async () => {
    for (const [asked, agreed] of [
      ['2024-11-05', '2024-11-05'],
      ['2019-01-01', '2025-11-25'],
    ]) {
      const { answer } = await openLegacy(app, 'mock', { version: asked as string });
      expect(answer.body.result).toMatchObject({
        protocolVersion: agreed,
        serverInfo: { name: 'sluice-mock' },
      });
    }
  });
});

it('check 6: what is switched off is neither listed nor called, and is back when it is switched on', async () => {
  const set = (enabled: boolean) =>
    server.call('PUT', 'mcp-servers/mock/capabilities', {
      capabilities: [{ name: 'add', type: 'tool', enabled }],
    });
  const names = async () =>
    (await askModern(app, 'mock', 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name);
  await set(false);
  await eventually(async () => expect(await names()).toEqual(['echo', 'get-time']));
  const legacy = await post(app, '/mock/mcp', legacyMessage('tools/list'));
  expect(legacy.body.result.tools).toHaveLength(2);
  const call = () => callModern(app, 'mock', 'add', { a: 1, b: 2 });
  expect(await call()).toMatchObject({
    status: 200,
    body: { error: { code: -32602, message: 'Unknown tool: add' } },
  });
  await set(true);
  await eventually(async () => expect(await names()).toContain('add'));
  expect((await call()).body.result.structuredContent).toEqual({ sum: 3 });
});
