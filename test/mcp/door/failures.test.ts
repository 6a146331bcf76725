import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { type ClientOptions, connectLegacy, connectModern, serveMcp } from '../../support/mcp-clients.ts';
import { type McpEra, type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { callModern, legacyMessage, openLegacy, post } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

let app: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

let count = 0;

async function start(era: McpEra, configurations: object = {}) {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  upstream.tools = [tool('search')];
  const slug = `server-${++count}`;
  const { call } = await serveMcp(app, slug, { url: upstream.url, configurations });
  upstream.requests.length = 0;
  return { upstream, slug, call };
}

const found = { content: [{ type: 'text', text: 'found' }] };
const reply = (id: unknown, result: object = found) => ({ jsonrpc: '2.0', id, result });
const search = legacyMessage('tools/call', { name: 'search', arguments: {} });

/** What the log has of the calls of a server. */
async function logsOf(slug: string): Promise<any[]> {
  await app.logged();
  return app.db
    .collection('logs')
    .find({ aiModel: { $regex: `^${slug}/` } })
    .sort({ _id: 1 })
    .toArray()
    .then((rows) => rows.map((row) => ({ ...row, mcp: JSON.parse(row.mcp as string) })))
    .then((rows) => rows.filter(({ mcp }) => mcp.method === 'tools/call'));
}

describe('check 13: a server that has lost its sessions', () => {
  it('gets another one, and the caller notices nothing', async () => {
    const { upstream, slug } = await start('sessions');
    upstream.onMessage = ({ id, method }) => (method === 'tools/call' ? reply(id) : undefined);
    const { headers } = await openLegacy(app, slug);
    expect((await post(app, `/${slug}/mcp`, search, headers)).body.result).toEqual(found);
    upstream.sessions.clear();
    for (let time = 0; time < 2; time++)
      expect((await post(app, `/${slug}/mcp`, search, headers)).body.result).toEqual(found);
    expect(upstream.sessions.size).toBe(1);
    expect(upstream.requests.filter(({ body }) => body?.method === 'initialize')).toHaveLength(2);
    const rows = await logsOf(slug);
    expect(rows.map(({ mcp }) => mcp.sessionReinitialised)).toEqual([false, true, false]);
  });

  it('is told to the caller where the integration says so', async () => {
    const { upstream, slug } = await start('sessions', { session_lost: 'report' });
    const { headers } = await openLegacy(app, slug);
    upstream.sessions.clear();
    const answer = await post(app, `/${slug}/mcp`, search, headers);
    expect(answer).toMatchObject({ status: 404, body: { error: { code: -32001 } } });
  });

  it('is served when it was not there at the beginning', async () => {
    const { upstream, slug } = await start('sessions');
    upstream.onMessage = ({ id, method }) => (method === 'tools/call' ? reply(id) : undefined);
    upstream.status = 503;
    const { headers, answer } = await openLegacy(app, slug);
    expect(answer.body.result.serverInfo).toMatchObject({ name: 'scripted' });
    const list = await post(app, `/${slug}/mcp`, legacyMessage('tools/list'), headers);
    expect(list.body.result.tools).toHaveLength(1);
    upstream.status = null;
    expect((await post(app, `/${slug}/mcp`, search, headers)).body.result).toEqual(found);
  });
});

it('opens a session for each call of a caller that has none, and ends it', async () => {
  const { upstream, slug } = await start('sessions');
  upstream.onMessage = ({ id, method }) => (method === 'tools/call' ? reply(id) : undefined);
  expect((await callModern(app, slug, 'search')).body.result).toMatchObject({
    ...found,
    resultType: 'complete',
  });
  await eventually(async () => expect(upstream.sessions.size).toBe(0));
  const without = await post(app, `/${slug}/mcp`, search);
  expect(without).toMatchObject({ status: 400, body: { error: { code: -32000 } } });
});

it('serves callers of the older era in a session where a server of the modern era has those too', async () => {
  const { upstream, slug } = await start('modern');
  upstream.era = 'sessions';
  upstream.onMessage = ({ id, method }) => (method === 'tools/call' ? reply(id) : undefined);
  const { headers } = await openLegacy(app, slug);
  expect((await post(app, `/${slug}/mcp`, search, headers)).body.result).toEqual(found);
  const called = upstream.requests.find(({ body }) => body?.method === 'tools/call');
  expect(called?.headers['mcp-session-id']).toBe('session-1');
});

it('asks a server without sessions once whether it has any', async () => {
  const { upstream, slug } = await start('legacy');
  upstream.onMessage = ({ id, method }) => (method === 'tools/call' ? reply(id) : undefined);
  for (let time = 0; time < 3; time++)
    expect((await post(app, `/${slug}/mcp`, search)).body.result).toEqual(found);
  expect(upstream.requests.filter(({ body }) => body?.method === 'initialize')).toHaveLength(1);
});

describe('check 14: a server that dies in the middle of its answer', () => {
  const kinds: [string, (slug: string) => Promise<{ client: any; close(): Promise<void> }>][] = [
    ['the first line', (slug) => connectLegacy(app, slug)],
    ['the second line', (slug) => connectModern(app, slug, 'default')],
    ['the second line in the modern era', (slug) => connectModern(app, slug, 'modern')],
  ];

  it.each(kinds)("is an error at once for a client of the SDK's %s", async (_name, connect) => {
    const { upstream, slug } = await start('modern');
    upstream.onMessage = ({ method, id }, response) => {
      if (method !== 'tools/call') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const params = { progressToken: id, progress: 1, total: 2 };
      response.write(
        `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`,
      );
      setTimeout(() => response.destroy(), 20);
      return true;
    };
    const { client, close } = await connect(slug);
    await expect(client.callTool({ name: 'search', arguments: {} })).rejects.toMatchObject({
      code: -31502,
      data: { maybe_executed: true },
    });
    await close();
    const [row] = await logsOf(slug);
    expect(row.mcp).toMatchObject({ status: 'error', errorCode: -31502 });
  });
});

describe('a server that', () => {
  it('is not there is told at once, and was not asked', async () => {
    const { upstream, slug } = await start('modern');
    await upstream.stop();
    expect(await callModern(app, slug, 'search')).toMatchObject({
      ...{ status: 200, body: { error: { code: -31503, data: { server: slug, maybe_executed: false } } } },
    });
    expect((await post(app, `/${slug}/mcp`, legacyMessage('tools/list'))).body.result.tools).toHaveLength(1);
  });

  it('says nothing for too long is given up, and told so in its era', async () => {
    const { upstream, slug } = await start('legacy', { timeouts: { idle_ms: 1000, total_ms: 2000 } });
    upstream.onMessage = ({ method }) => (method === 'tools/call' ? true : undefined);
    const answer = await post(app, `/${slug}/mcp`, search);
    expect(answer.body.error).toMatchObject({ code: -31504, data: { maybe_executed: true } });
    await eventually(async () =>
      expect(upstream.requests.map(({ body }) => body?.method)).toContain('notifications/cancelled'),
    );
    expect((await logsOf(slug))[0].mcp.status).toBe('timeout');
  });

  it.each([
    [500, -31502],
    [503, -31503],
    [401, -31502],
  ])('answers HTTP %i is an error in the gateway’s words', async (status, code) => {
    const { upstream, slug } = await start('modern');
    upstream.status = status;
    upstream.statusBody = 'secret words of an upstream';
    const { body, status: own } = await callModern(app, slug, 'search');
    expect(own).toBe(200);
    expect(body.error.code).toBe(code);
    expect(JSON.stringify(body)).not.toContain('secret words');
  });

  it('answers another id, or no JSON, is no server', async () => {
    const { upstream, slug } = await start('modern');
    upstream.onMessage = ({ method }) => (method === 'tools/call' ? reply(999) : undefined);
    expect((await callModern(app, slug, 'search')).body.error.code).toBe(-31502);
  });
});

it('check 20: gives results as the server wrote them, numbers and unknown members included', async () => {
  const { upstream, slug } = await start('legacy');
  const text = `{"jsonrpc": "2.0", "id": 1, "result": {"content": [
    {"type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": {"audience": ["user"], "priority": 0.5}},
    {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "file:///a", "text": "x", "_meta": {"a": 1}}},
    {"type": "resource_link", "uri": "file:///linked", "name": "linked"}],
    "structuredContent": {"big": 12345678901234567890, "list": [1, null]}, "isError": false, "_meta": {"own/key": {"deep": [1]}},
    "unknown": {"member": true}}}`;
  upstream.onMessage = ({ method }, response) => {
    if (method !== 'tools/call') return undefined;
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    return true;
  };
  const response = await fetch(`${app.url}/${slug}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': app.workspaceKey,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify(search),
  });
  expect(await response.text()).toBe(text);
});

it('check 20: passes definitions whole', async () => {
  const { upstream, slug, call } = await start('modern');
  const whole = tool('whole', {
    title: 'Whole',
    icons: [{ src: 'https://icons.example/a.png', sizes: ['48x48'] }],
    outputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    annotations: { readOnlyHint: true, unknownHint: 'x' },
    execution: { taskSupport: 'optional' },
    _meta: { 'own/key': [1, 2] },
    unknown: { member: true },
  });
  upstream.tools = [whole];
  await call('POST', `mcp-integrations/${slug}/test`);
  await eventually(async () => {
    const { body } = await post(app, `/${slug}/mcp`, legacyMessage('tools/list'));
    expect(body.result.tools).toEqual([whole]);
  });
});

describe('check 21: progress and cancellation', () => {
  it('delivers each step before the result, and ends a cancelled call upstream', async () => {
    const { upstream, slug } = await start('sessions');
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    upstream.onMessage = ({ method, id, params }, response) => {
      if (method !== 'tools/call') return undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const progressToken = params._meta.progressToken;
      for (const progress of [1, 2, 3])
        response.write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } })}\n\n`,
        );
      response.on('close', resolve);
      if (params.arguments.ends) response.end(`data: ${JSON.stringify(reply(id))}\n\n`);
      return true;
    };
    const { client, close } = await connectLegacy(app, slug);
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => steps.push(progress);
    await client.callTool({ name: 'search', arguments: { ends: true } }, undefined, { onprogress });
    expect(steps).toEqual([1, 2, 3]);
    const abort = new AbortController();
    const cancelled = client.callTool({ name: 'search', arguments: {} }, undefined, {
      onprogress: ({ progress }: { progress: number }) => progress === 3 && abort.abort(),
      signal: abort.signal,
    });
    await expect(cancelled).rejects.toThrow();
    await closed;
    await eventually(async () =>
      expect(upstream.requests.map(({ body }) => body?.method)).toContain('notifications/cancelled'),
    );
    await close();
    await eventually(async () => expect((await logsOf(slug)).at(-1).mcp.status).toBe('cancelled'));
  });

  it.each(['modern', 'sessions'] as const)(
    'delivers each step while the server is still at the next one: %s',
    async (era) => {
      const { upstream, slug } = await start(era);
      let goOn = () => {};
      upstream.onMessage = ({ method, id, params }, response) => {
        if (method !== 'tools/call') return undefined;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const say = (message: object) =>
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
        let progress = 0;
        // A step is said once its caller has the one before: one that is held back anywhere holds all of them.
        goOn = () => {
          progress++;
          const { progressToken } = params._meta;
          if (progress <= 3) say({ method: 'notifications/progress', params: { progressToken, progress } });
          else response.end(`data: ${JSON.stringify(reply(id))}\n\n`);
        };
        goOn();
        return true;
      };
      for (const connect of [connectLegacy, (to: TestApp, at: string) => connectModern(to, at, 'modern')]) {
        const { client, close } = await connect(app, slug);
        const steps: number[] = [];
        const onprogress = ({ progress }: { progress: number }) => {
          steps.push(progress);
          goOn();
        };
        const asked = { name: 'search', arguments: {} };
        const result =
          client instanceof LegacyClient
            ? await client.callTool(asked, undefined, { onprogress, timeout: 20_000 })
            : await client.callTool(asked, { onprogress, timeout: 20_000 } as never);
        expect(result).toMatchObject(found);
        expect(steps).toEqual([1, 2, 3]);
        await close();
      }
    },
  );

  it('ends a call upstream when a caller of the modern era closes its stream', async () => {
    const { upstream, slug } = await start('modern');
    const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    upstream.onMessage = ({ method }, response) => {
      if (method !== 'tools/call') return undefined;
      response.on('close', resolve);
      begin();
      return true;
    };
    const { client, close } = await connectModern(app, slug, 'modern');
    const abort = new AbortController();
    const call = client.callTool({ name: 'search', arguments: {} }, { signal: abort.signal } as never);
    await asked;
    abort.abort();
    await expect(call).rejects.toThrow();
    await closed;
    await close();
  });
});

it('check 15: relays what a server asks its caller, in the session of both', async () => {
  const { upstream, slug } = await start('sessions');
  const answered = Promise.withResolvers<any>();
  upstream.onMessage = (message, response) => {
    if (message.id === 'ask' && message.result) {
      answered.resolve(message.result);
      return undefined;
    }
    if (message.method !== 'tools/call') return undefined;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    response.write(
      `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'ask', method: 'elicitation/create', params })}\n\n`,
    );
    void answered.promise.then(({ content }) =>
      response.end(
        `data: ${JSON.stringify(reply(message.id, { content: [{ type: 'text', text: content.name }] }))}\n\n`,
      ),
    );
    return true;
  };
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const options: ClientOptions = { capabilities: { elicitation: {} } };
  const { client, close } = await connectLegacy(app, slug, options);
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { name: 'Ada' } }));
  const { content } = await client.callTool({ name: 'search', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'Ada' }]);
  const opened = upstream.requests.find(({ body }) => body?.method === 'initialize');
  expect(opened?.body?.params.capabilities).toEqual({ elicitation: {} });
  await close();
});
