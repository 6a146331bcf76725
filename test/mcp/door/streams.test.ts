import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { connectLegacy, serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream } from '../../support/mcp-upstream.ts';
import { askModern, MODERN, modernMessage, openLegacy } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
let server: Awaited<ReturnType<typeof serveMcp>>;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp();
  server = await serveMcp(app, 'mock', { url: 'mock://server' });
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

const set = (enabled: boolean) =>
  server.call('PUT', 'mcp-servers/mock/capabilities', {
    capabilities: [{ name: 'add', type: 'tool', enabled }],
  });

/** Reads the messages of a stream while it is open. */
function reading(response: Response) {
  const messages: any[] = [];
  const ended = (async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) messages.push(JSON.parse(data));
      }
    }
  })();
  return { messages, ended };
}

const listen = (notifications: object, key = app.workspaceKey, slug = 'mock') =>
  fetch(`${app.url}/${slug}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'x-gateway-api-key': key, 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
    },
    body: JSON.stringify(modernMessage('subscriptions/listen', { notifications }, 'sub')),
  });

const meta = { 'io.modelcontextprotocol/subscriptionId': 'sub' };

describe('check 28: subscriptions', () => {
  it('are acknowledged first, and told of what they asked for', async () => {
    const { messages, ended } = reading(await listen({ toolsListChanged: true, unheardOf: true }));
    await eventually(async () => expect(messages).toHaveLength(1));
    expect(messages[0]).toEqual({
      ...{ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' },
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    });
    await set(false);
    await eventually(async () => expect(messages).toHaveLength(2));
    expect(messages[1]).toEqual({
      ...{ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: meta } },
    });
    await set(true);
    await eventually(async () => expect(messages).toHaveLength(3));
    const deny = { user_access: [], default_user_access: 'deny' };
    await server.call('PUT', 'mcp-servers/mock/user-access', deny);
    await ended;
    expect(messages.at(-1)).toMatchObject({ id: 'sub', result: { resultType: 'complete', _meta: meta } });
    await server.call('PUT', 'mcp-servers/mock/user-access', { ...deny, default_user_access: 'allow' });
  });

  it('check 7: end when the key is taken back', async () => {
    const name = { name: 'short', workspace_id: app.workspaceId, scopes: ['mcp.invoke'] };
    const { id, key } = await server.call('POST', 'api-keys/workspace/service', name);
    const { messages, ended } = reading(await listen({ toolsListChanged: true }, key));
    await eventually(async () => expect(messages).toHaveLength(1));
    await server.call('DELETE', `api-keys/${id}`);
    await ended;
  });

  it('end at once where they would be told of nothing', async () => {
    const { messages, ended } = reading(await listen({}));
    await ended;
    expect(messages.map(({ method, result }) => method ?? result.resultType)).toEqual([
      'notifications/subscriptions/acknowledged',
      'complete',
    ]);
  });
});

describe('resources that are watched', () => {
  const [shown, hidden] = ['files://a', 'files://b'];

  it('are told of when the server says that they have changed, as far as the caller may read them', async () => {
    const upstream = await startMcpUpstream('modern');
    upstreams.push(upstream);
    upstream.resourcesMayBeWatched = true;
    upstream.resources = [shown, hidden].map((uri) => ({ name: uri, uri }));
    const asked: { notifications: any; say(uri: string): void; isOpen(): boolean }[] = [];
    upstream.onMessage = ({ method, params }, response) => {
      if (method !== 'subscriptions/listen' || !params.notifications.resourceSubscriptions) return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const say = (told: string, more = {}) =>
        response.write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${told}`, params: more })}\n\n`,
        );
      say('subscriptions/acknowledged');
      const { notifications } = params;
      asked.push({
        notifications,
        say: (uri) => say('resources/updated', { uri, secret: 'words' }),
        isOpen: () => !response.destroyed,
      });
      return true;
    };
    const watched = await serveMcp(app, 'watched', { url: upstream.url });
    const { result } = (await askModern(app, 'watched', 'server/discover')).body;
    expect(result.capabilities.resources).toEqual({ listChanged: true, subscribe: true });
    const turn = (name: string, enabled: boolean) =>
      watched.call('PUT', 'mcp-servers/watched/capabilities', {
        capabilities: [{ name, type: 'resource', enabled }],
      });
    await turn(hidden, false);
    const wanted = { resourceSubscriptions: [shown, hidden, 'files://unknown', 7] };
    const { messages, ended } = reading(await listen(wanted, app.workspaceKey, 'watched'));
    await eventually(async () => expect(asked).toHaveLength(1));
    const [subscription] = asked;
    expect(messages[0].params.notifications).toEqual({ resourceSubscriptions: [shown] });
    expect(subscription?.notifications).toEqual({ resourceSubscriptions: [shown] });
    for (const uri of [hidden, 'files://unknown', shown]) subscription?.say(uri);
    await eventually(async () => expect(messages).toHaveLength(2));
    const notice = { jsonrpc: '2.0', method: 'notifications/resources/updated' };
    expect(messages[1]).toEqual({ ...notice, params: { uri: shown, _meta: meta } });
    const deny = { user_access: [], default_user_access: 'deny' };
    await watched.call('PUT', 'mcp-servers/watched/user-access', deny);
    await ended;
    await eventually(async () => expect(subscription?.isOpen()).toBe(false));
    expect(messages).toHaveLength(3);
  });

  it('are a hundred at most', async () => {
    const many = Array.from({ length: 101 }, (_, at) => `files://${at}`);
    await serveMcp(app, 'many', { url: upstreams.at(-1)?.url ?? '' });
    const refused = await listen({ resourceSubscriptions: many }, app.workspaceKey, 'many');
    expect([refused.status, ((await refused.json()) as any).error.code]).toEqual([400, -32602]);
  });

  it('are none where the server does not say so', async () => {
    const { ended, messages } = reading(await listen({ resourceSubscriptions: ['mock://hello'] }));
    await ended;
    expect(messages[0].params.notifications).toEqual({});
  });
});

describe('the stream of a session', () => {
  it('check 6: is told of changes of lists', async () => {
    const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { client, close } = await connectLegacy(app, 'mock');
    const told = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => told.resolve());
    let enabled = true;
    // The client opens its stream by and by.
    const toggling = eventually(async () => {
      enabled = !enabled;
      await set(enabled);
      const first = await Promise.race([
        told.promise.then(() => true),
        new Promise((resolve) => setTimeout(resolve, 2000)),
      ]);
      expect(first).toBe(true);
    });
    await told.promise;
    await toggling;
    await set(true);
    await close();
  });

  it('is one for each session, and needs one', async () => {
    const get = (headers: Record<string, string>) =>
      fetch(`${app.url}/mock/mcp`, { headers: { 'x-gateway-api-key': app.workspaceKey, ...headers } });
    const accept = 'text/event-stream';
    expect((await get({ accept })).status).toBe(405);
    const { headers } = await openLegacy(app, 'mock');
    expect((await get({ ...headers, accept: 'application/json' })).status).toBe(406);
    const first = await get({ ...headers, accept });
    expect(first.status).toBe(200);
    expect((await get({ ...headers, accept })).status).toBe(409);
    await first.body?.cancel();
  });

  it('brings what the server says without being asked', async () => {
    const upstream = await startMcpUpstream('sessions');
    upstreams.push(upstream);
    await serveMcp(app, 'talking', { url: upstream.url });
    upstream.onGet = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const say = (message: object) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      say({ method: 'notifications/tools/list_changed' });
      say({ id: 'r1', method: 'sampling/createMessage', params: {} });
      say({ id: 'r2', method: 'ping' });
      say({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } });
    };
    const { headers } = await openLegacy(app, 'talking');
    const { messages, ended } = reading(
      await fetch(`${app.url}/talking/mcp`, {
        headers: { 'x-gateway-api-key': app.workspaceKey, ...headers, accept: 'text/event-stream' },
      }),
    );
    await eventually(async () => expect(messages).toHaveLength(1));
    expect(messages[0].method).toBe('notifications/resources/updated');
    await eventually(async () => {
      const answers = upstream.requests.filter(({ body }) => body?.id === 'r1' || body?.id === 'r2');
      expect(answers.map(({ body }) => body?.error?.code ?? body?.result).sort()).toEqual([-32601, {}]);
    });
    await upstream.stop();
    await ended;
  });
});
