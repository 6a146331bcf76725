import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../../support/mcp-upstream.ts';
import { askModern, callModern, legacyMessage, openLegacy, post } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

let app: TestApp;
let upstream: McpUpstream;
let answer: (message: Json) => Json | undefined = () => undefined;
const credential = 'shared-credential-of-all-callers';
beforeAll(async () => {
  [app, upstream] = await Promise.all([startApp(), startMcpUpstream()]);
  upstream.tools = [tool('work')];
  upstream.resources = [
    { name: 'secret', uri: 'files://disk/secret/plan' },
    { name: 'open', uri: 'files://disk/open' },
  ];
  upstream.templates = [{ name: 'any', uriTemplate: 'files://disk/{+path}' }];
  upstream.onMessage = (message) => {
    const { id, method, params } = message;
    if (method === 'tools/call')
      return { jsonrpc: '2.0', id, ...(answer(message) ?? { result: { content: [] } }) };
    if (method === 'resources/read')
      return { jsonrpc: '2.0', id, result: { contents: [{ uri: params.uri, text: 'read' }] } };
    return undefined;
  };
  await serveMcp(app, 'tools', {
    url: upstream.url,
    ...{
      auth_type: 'headers',
      configurations: {
        headers: { authorization: `Bearer ${credential}` },
        forward_headers: { mode: 'all-except', headers: [] },
        user_identity_forwarding: { method: 'claims_header', header_name: 'X-Who' },
      },
    },
  });
});
afterAll(() => Promise.all([app.stop(), upstream.stop()]));

const last = (method: string) => upstream.requests.filter(({ body }) => body?.method === method).at(-1);

describe('a caller', () => {
  it('writes no header that a server would take for one of the gateway', async () => {
    const wrong = {
      ...{ x_who: '{"sub":"root"}', x_user_claims: '{}', X_Forwarded_For: '127.0.0.1', api_key: 'k' },
      ...{ 'x-fine': 'yes', x_fine: 'too' },
    };
    await callModern(app, 'tools', 'work', {}, wrong);
    const { headers = {} } = last('tools/call') ?? {};
    expect(headers).toMatchObject({ 'x-fine': 'yes', x_fine: 'too' });
    for (const name of ['x_who', 'x_user_claims', 'x_forwarded_for', 'api_key'])
      expect(headers).not.toHaveProperty([name]);
    expect(headers['x-who']).not.toContain('root');
  });

  it('reads nothing that is kept back, however it spells the address', async () => {
    const capabilities = [{ name: 'files://disk/secret/plan', type: 'resource', enabled: false }];
    const { status } = await app.rest('PUT', '/v1/mcp-servers/tools/capabilities', {
      ...{ key: app.adminKey, body: { capabilities } },
    });
    expect(status).toBe(200);
    const read = async (uri: string) => (await askModern(app, 'tools', 'resources/read', { uri })).body;
    expect((await read('files://disk/other')).result.contents[0].text).toBe('read');
    for (const uri of [
      'files://disk/secret/plan',
      'FILES://disk/secret/plan',
      'files://disk/./secret/plan',
      'files://disk/open/../secret/plan',
      'files://disk/%73ecret/plan',
      'files://disk/%2573ecret/plan',
      'files://disk/secret%2Fplan',
      'files://disk/secret//plan',
      'files://disk/secret/plan/',
      'files://disk/secret/plan#top',
      'files://disk/secret\\plan',
    ])
      expect({ uri, code: (await read(uri)).error?.code }).toEqual({ uri, code: -32602 });
  });

  it('gets no tool by another spelling of its name', async () => {
    for (const name of ['Work', 'work ', ' work', 'wоrk', 'work\u200b', 'work\0', '__proto__', 'constructor'])
      expect((await post(app, '/tools/mcp', legacyMessage('tools/call', { name }))).body.error.code).toBe(
        -32602,
      );
  });

  it('hears that a body is too deep to be passed on', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = JSON.stringify(legacyMessage('tools/call', { name: 'work', arguments: { deep: 0 } }));
    const { status, body: refused } = await post(
      app,
      '/tools/mcp',
      body.replace('"deep":0', `"deep":${deep}`),
    );
    expect({ status, code: refused.error.code }).toEqual({ status: 400, code: -32600 });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['an object', {}],
    ['a truth', true],
    ['without end', '1e999'],
    ['too long', 'x'.repeat(2000)],
    ['no whole number', 1.5],
    ['too large to be answered as it is', 2 ** 53],
  ])('has no id that is %s', async (_name, id) => {
    const text = JSON.stringify({ ...legacyMessage('tools/list'), id }).replace('"1e999"', '1e999');
    const { status, body } = await post(app, '/tools/mcp', text);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: -32600 });
  });
});

describe('a server', () => {
  it('tells nobody the credential that all callers share', async () => {
    answer = () => ({
      error: { code: -32000, message: `bad token ${credential}`, data: { said: credential } },
    });
    const { body: failed } = await callModern(app, 'tools', 'work');
    expect(failed.error.message).toContain('bad token');
    expect(JSON.stringify(failed)).not.toContain(credential);
    answer = () => ({
      result: { isError: true, content: [{ type: 'text', text: `401 for ${credential}` }] },
    });
    const { body: wrong } = await callModern(app, 'tools', 'work');
    expect(wrong.result.isError).toBe(true);
    expect(JSON.stringify(wrong)).not.toContain(credential);
    answer = () => undefined;
  });
});

it.each([
  ['whose server has long ids', 'test', 3500],
  ['whose client calls itself in long words', '名'.repeat(470), 600],
])('a session works %s', async (_what, name, length) => {
  const wordy = await startMcpUpstream('sessions');
  wordy.onMessage = ({ id, method }, response) => {
    if (method === 'tools/call') return { jsonrpc: '2.0', id, result: { content: [] } };
    if (method !== 'initialize') return undefined;
    const session = `${wordy.sessions.size}`.padEnd(length, 'x');
    wordy.sessions.add(session);
    const result = {
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'wordy', version: '1' },
      capabilities: { tools: {} },
    };
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    return true;
  };
  const slug = `wordy-${length}`;
  await serveMcp(app, slug, { url: wordy.url });
  const opened = await post(
    app,
    `/${slug}/mcp`,
    legacyMessage('initialize', {
      ...{ protocolVersion: '2025-11-25', clientInfo: { name, version: '1' } },
      capabilities: { experimental: { more: '名'.repeat(480) } },
    }),
  );
  const id = opened.headers.get('mcp-session-id') ?? '';
  expect(id.length).toBeLessThanOrEqual(4096);
  const call = legacyMessage('tools/call', { name: 'search', arguments: {} });
  for (let time = 0; time < 2; time++)
    expect((await post(app, `/${slug}/mcp`, call, { 'mcp-session-id': id })).body.result).toEqual({
      content: [],
    });
  await wordy.stop();
});

describe('a server of 2025-11-25 that wants a page opened', () => {
  const url = 'https://pages.example/open';
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } };
  let old: McpUpstream;
  beforeAll(async () => {
    old = await startMcpUpstream('legacy');
    old.onMessage = ({ id, method, params }) => {
      if (method !== 'tools/call') return undefined;
      const elicitations = [
        { mode: 'url', elicitationId: 'e1', url: params.arguments.url, message: 'Open it.' },
      ];
      return { jsonrpc: '2.0', id, error: { code: -32042, message: 'Open', data: { elicitations } } };
    };
    await serveMcp(app, 'old', { url: old.url });
  });
  afterAll(() => old.stop());
  const call = async (page: string, _meta: Json = {}) =>
    (await askModern(app, 'old', 'tools/call', { name: 'search', arguments: { url: page }, _meta })).body;

  it('asks callers of the modern era in their way', async () => {
    const { result } = await call(url, capabilities);
    expect(result).toMatchObject({ resultType: 'input_required' });
    expect(Object.values(result.inputRequests)).toEqual([
      { method: 'elicitation/create', params: { mode: 'url', url, message: 'Open it.' } },
    ]);
  });

  it('tells those where to go who open none by themselves, and sends nobody elsewhere than to a page', async () => {
    expect((await call(url)).error).toMatchObject({
      ...{ code: -31401, data: { type: 'oauth_required', authorization_url: url } },
    });
    for (const page of ['http://pages.example', 'javascript:alert(1)', ''])
      expect((await call(page, capabilities)).error.code).toBe(-31502);
  });

  it('is not told what answers the question', async () => {
    const inputResponses = { page_0: { action: 'accept' } };
    await askModern(app, 'old', 'tools/call', { name: 'search', arguments: { url }, inputResponses });
    const { body } = old.requests.filter((request) => request.body?.method === 'tools/call').at(-1) ?? {};
    expect(body?.params).not.toHaveProperty('inputResponses');
  });
});

it('callers hear when a server wants to be asked again', async () => {
  const busy = await startMcpUpstream('legacy');
  await serveMcp(app, 'busy', { url: busy.url });
  busy.onMessage = ({ method }, response) => {
    if (method !== 'tools/call') return undefined;
    response.writeHead(429, { 'retry-after': '7' }).end();
    return true;
  };
  const { headers } = await openLegacy(app, 'busy');
  const { body } = await post(app, '/busy/mcp', legacyMessage('tools/call', { name: 'search' }), headers);
  expect(body.error).toMatchObject({ code: -31503, data: { retry_after_ms: 7000, maybe_executed: false } });
  await busy.stop();
});

it('a request without an id reaches no server, which might obey it', async () => {
  const obeying = await startMcpUpstream('sessions');
  await serveMcp(app, 'obeying', { url: obeying.url });
  const { headers } = await openLegacy(app, 'obeying');
  for (const method of ['tools/call', 'resources/read', 'tasks/cancel', 'logging/setLevel']) {
    const body = { jsonrpc: '2.0', method, params: { name: 'search', arguments: {} } };
    expect((await post(app, '/obeying/mcp', body, headers)).status).toBe(202);
  }
  const batch = [{ jsonrpc: '2.0', method: 'tools/call', params: { name: 'search' } }];
  const old = await openLegacy(app, 'obeying', { version: '2025-03-26' });
  expect((await post(app, '/obeying/mcp', batch, old.headers)).status).toBe(202);
  const notice = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
  expect((await post(app, '/obeying/mcp', notice, headers)).status).toBe(202);
  const methods = () => obeying.requests.map(({ body }) => body?.method);
  await eventually(async () => expect(methods()).toContain(notice.method));
  const wrong = ['tools/call', 'resources/read', 'tasks/cancel', 'logging/setLevel'];
  expect(methods().filter((method) => wrong.includes(method))).toEqual([]);
  await obeying.stop();
});

describe('a message that other readers take for another one', () => {
  const send = (text: string) => post(app, '/reader/mcp', text, { 'mcp-protocol-version': '2025-11-25' });
  let reader: McpUpstream;
  const bodies: string[] = [];
  beforeAll(async () => {
    reader = await startMcpUpstream('legacy');
    reader.onMessage = ({ id, method, ...rest }) => {
      if (method !== 'tools/call') return undefined;
      bodies.push(JSON.stringify(rest.params));
      return { jsonrpc: '2.0', id, result: { content: [] } };
    };
    await serveMcp(app, 'reader', { url: reader.url });
  });
  afterAll(() => reader.stop());

  it.each([
    ['"name": "delete", "name": "search"'],
    ['"n\\u0061me": "delete", "name": "search"'],
    ['"name": "search", "arguments": {"name": "a", "name": "b"}'],
  ])('goes on as the gateway has read it: %s', async (params) => {
    const text = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {${params}}}`;
    expect((await send(text)).body.result).toEqual({ content: [] });
    const { body } = reader.requests.filter(({ body }) => body?.method === 'tools/call').at(-1) ?? {};
    expect(body).toMatchObject({ method: 'tools/call', params: { name: 'search' } });
    expect(Number(reader.requests.at(-1)?.headers['content-length'])).toBeLessThan(text.length);
  });

  it.each(['"name": "search", "Name": "delete"', '"NAME": "search"', '"name": "search", "URI": "files://x"'])(
    'is refused where the case of its members decides: %s',
    async (params) => {
      const before = bodies.length;
      const text = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {${params}}}`;
      expect(await send(text)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
      expect((await send(text.replace('"method"', '"Method"'))).status).toBe(400);
      expect(bodies).toHaveLength(before);
    },
  );

  it('is none where arguments are called as they like', async () => {
    const given = '"name": "search", "arguments": {"Name": "x", "URI": 12345678901234567890}';
    const text = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {${given}}}`;
    expect((await send(text)).body.result).toEqual({ content: [] });
    expect(Number(reader.requests.at(-1)?.headers['content-length'])).toBe(text.length);
  });
});
