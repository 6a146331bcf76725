import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import {
  askModern,
  callModern,
  eventsIn,
  legacyMessage,
  MODERN,
  modernMessage,
  openLegacy,
  post,
} from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
let app: TestApp;
let other: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp(env);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

const admin = async (method: string, path: string, body?: unknown) =>
  bodyOf(await app.rest(method, `/v1/${path}`, { key: app.adminKey, body }));

let count = 0;

async function serve(era: 'modern' | 'sessions') {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  upstream.tools = [tool('search'), tool('remove')];
  upstream.onMessage = ({ id, method }) =>
    method === 'tools/call' ? { jsonrpc: '2.0', id, result: { content: [] } } : undefined;
  const slug = `shared-${++count}`;
  await serveMcp(app, slug, { url: upstream.url });
  const asked = (name: string) =>
    upstream.requests.filter(({ body }) => body?.method === 'tools/call' && body.params.name === name).length;
  return { upstream, slug, asked };
}

async function newKey(workspaceId = app.workspaceId) {
  const given = { name: `k${++count}`, workspace_id: workspaceId, scopes: ['mcp.invoke'] };
  const { id, key } = await admin('POST', 'api-keys/workspace/service', given);
  return { id, headers: { 'x-gateway-api-key': key as string } };
}

type Keyed = Record<string, string>;
const own = (): Keyed => ({ 'x-gateway-api-key': app.workspaceKey });

/** A stream that stays open, and what was said on it when it ended. */
async function opened(response: Promise<Response>) {
  const { status, body } = await response;
  expect(status).toBe(200);
  let text = '';
  const ended = (async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString('utf8');
    return eventsIn(text);
  })();
  return { ended, said: () => eventsIn(text) };
}

const listening = (notifications: object = { toolsListChanged: true }) =>
  JSON.stringify(modernMessage('subscriptions/listen', { notifications }, 'sub'));
const listenHeaders = (headers: Keyed): Keyed => ({
  ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  ...{ 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen', ...headers },
});
const listen = (at: TestApp, slug: string, headers: Keyed) =>
  opened(
    fetch(`${at.url}/${slug}/mcp`, { method: 'POST', headers: listenHeaders(headers), body: listening() }),
  );
const getStream = (at: TestApp, slug: string, headers: Keyed) =>
  opened(fetch(`${at.url}/${slug}/mcp`, { headers: { ...headers, accept: 'text/event-stream' } }));

const search = legacyMessage('tools/call', { name: 'search', arguments: {} });

it('check 6: a tool that is switched off reaches the server from no process, and callers at both are told', async () => {
  const { slug, asked } = await serve('modern');
  const streams = await Promise.all([app, other].map((at) => listen(at, slug, own())));
  const set = (enabled: boolean) =>
    admin('PUT', `mcp-servers/${slug}/capabilities`, {
      capabilities: [{ name: 'remove', type: 'tool', enabled }],
    });
  const listedAt = async (at: TestApp) => {
    const modern = await askModern(at, slug, 'tools/list', {}, own());
    const legacy = await post(at, `/${slug}/mcp`, legacyMessage('tools/list'), own());
    const names = ({ body }: typeof modern) => body.result.tools.map(({ name }: { name: string }) => name);
    return [names(modern), names(legacy)];
  };
  const toldOf = (times: number) =>
    eventually(async () => {
      for (const { said } of streams)
        expect(said().filter(({ method }) => method === 'notifications/tools/list_changed')).toHaveLength(
          times,
        );
    });
  await set(false);
  for (const at of [app, other]) {
    await eventually(async () => expect(await listedAt(at)).toEqual([['search'], ['search']]));
    const { status, body } = await callModern(at, slug, 'remove', {}, own());
    expect({ status, code: body.error.code }).toEqual({ status: 200, code: -32602 });
  }
  expect(asked('remove')).toBe(0);
  await toldOf(1);
  await set(true);
  for (const at of [app, other])
    await eventually(async () =>
      expect((await callModern(at, slug, 'remove', {}, own())).body.result).toMatchObject({ content: [] }),
    );
  expect(asked('remove')).toBe(2);
  await toldOf(2);
  await admin('DELETE', `mcp-servers/${slug}`);
  await Promise.all(streams.map(({ ended }) => ended));
});

describe('check 7: inside sessions and streams that are open at both processes', () => {
  /** What a caller has open, and how its next call is answered at each process. */
  async function inside(slug: string, headers: Keyed) {
    const session = await openLegacy(app, slug, { headers });
    const streams = await Promise.all([
      listen(app, slug, headers),
      listen(other, slug, headers),
      getStream(other, slug, session.headers),
    ]);
    const statuses = () =>
      Promise.all(
        [app, other].map(async (at) => (await post(at, `/${slug}/mcp`, search, session.headers)).status),
      );
    await eventually(async () => expect(await statuses()).toEqual([200, 200]));
    return { statuses, ended: () => Promise.all(streams.map(({ ended }) => ended)) };
  }

  it.each<[string, number, (slug: string, keyId: string) => Promise<unknown>]>([
    ['a key is revoked', 401, (_slug, id) => admin('DELETE', `api-keys/${id}`)],
    ['a server is deleted', 404, (slug) => admin('DELETE', `mcp-servers/${slug}`)],
    ['an integration is deleted', 404, (slug) => admin('DELETE', `mcp-integrations/${slug}`)],
    [
      'an integration is withdrawn from the workspace',
      403,
      (slug) =>
        admin('PUT', `mcp-integrations/${slug}/workspaces`, {
          workspaces: [{ id: app.workspaceId, enabled: false }],
        }),
    ],
  ])('callers are refused once %s', async (_what, status, act) => {
    const { slug, asked } = await serve('modern');
    const { id, headers } = await newKey();
    const { statuses, ended } = await inside(slug, headers);
    await act(slug, id);
    await eventually(async () => expect(await statuses()).toEqual([status, status]));
    await ended();
    const before = asked('search');
    expect(await statuses()).toEqual([status, status]);
    expect(asked('search')).toBe(before);
  });

  it('a key of another workspace of the organisation gets nothing', async () => {
    const { slug, asked } = await serve('modern');
    const { id: workspaceId } = await admin('POST', 'admin/workspaces', { name: 'Elsewhere' });
    const { headers } = await newKey(workspaceId);
    const session = await openLegacy(app, slug);
    await eventually(async () => expect((await post(app, `/${slug}/mcp`, search, headers)).status).toBe(403));
    expect((await post(app, `/${slug}/mcp`, search, { ...session.headers, ...headers })).status).toBe(403);
    expect((await post(app, `/${workspaceId}/${slug}/mcp`, search, headers)).status).toBeGreaterThan(400);
    const { body } = await askModern(app, '', 'tools/list', {}, headers);
    expect(body.result.tools).toEqual([]);
    expect(asked('search')).toBe(0);
  });

  it('a stream whose request arrived before its key was revoked does not outlive it', async () => {
    const { slug } = await serve('modern');
    const { id, headers } = await newKey();
    await eventually(async () =>
      expect((await callModern(app, slug, 'search', {}, headers)).status).toBe(200),
    );
    const { hostname, port } = new URL(app.url);
    const ended = Promise.withResolvers<void>();
    const body = listening();
    const slow = request(
      {
        ...{ hostname, port, path: `/${slug}/mcp`, method: 'POST' },
        headers: { ...listenHeaders(headers), 'content-length': Buffer.byteLength(body) },
      },
      (response) => response.resume().on('close', ended.resolve),
    );
    slow.on('error', () => ended.resolve());
    slow.write(body.slice(0, 10));
    // Until the gateway has let the request in, and reads its body.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await admin('DELETE', `api-keys/${id}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    slow.end(body.slice(10));
    await ended.promise;
  });
});

it('check 24: a session of one caller opens at no process for another, and at none when it is altered', async () => {
  const { slug } = await serve('sessions');
  const { headers } = await openLegacy(app, slug, { headers: own() });
  const call = async (at: TestApp, more: Keyed) =>
    (await post(at, `/${slug}/mcp`, search, { ...headers, ...more })).status;
  const foreign = await newKey();
  const id = headers['mcp-session-id'] ?? '';
  for (const at of [app, other]) {
    expect(await call(at, {})).toBe(200);
    await eventually(async () => expect(await call(at, foreign.headers)).toBe(404));
    for (const place of [6, Math.floor(id.length / 2), id.length - 3]) {
      const letter = id[place] === 'A' ? 'B' : 'A';
      expect(await call(at, { 'mcp-session-id': id.slice(0, place) + letter + id.slice(place + 1) })).toBe(
        404,
      );
    }
  }
});

it('check 30: a session that is ended is over at every process, its streams and the session behind it with it', async () => {
  for (const era of ['sessions', 'modern'] as const) {
    const { upstream, slug } = await serve(era);
    upstream.onGet = (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const { headers } = await openLegacy(app, slug, { headers: own() });
    const stream = await getStream(other, slug, headers);
    expect((await post(other, `/${slug}/mcp`, search, headers)).status).toBe(200);
    if (era === 'sessions') expect(upstream.sessions.size).toBe(1);
    expect((await app.rest('DELETE', `/${slug}/mcp`, { headers })).status).toBe(200);
    expect((await post(app, `/${slug}/mcp`, search, headers)).body.error.code).toBe(-32001);
    await eventually(async () =>
      expect(await post(other, `/${slug}/mcp`, search, headers)).toMatchObject({
        ...{ status: 404, body: { error: { code: -32001 } } },
      }),
    );
    await stream.ended;
    await eventually(async () => expect(upstream.sessions.size).toBe(0));
  }
});

it('check 28: streams are ended with a result when their process stops', async () => {
  const { slug } = await serve('modern');
  const third = await startApp({ ...env, MONGODB_URI: app.databaseUri });
  const subscription = await listen(third, slug, own());
  await eventually(async () => expect(subscription.said()).toHaveLength(1));
  await third.stop();
  expect((await subscription.ended).at(-1)).toMatchObject({
    ...{ id: 'sub', result: { resultType: 'complete' } },
  });
});
