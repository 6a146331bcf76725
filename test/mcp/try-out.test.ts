import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import { dump } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type McpEra, type McpUpstream, startMcpUpstream } from '../support/mcp-upstream.ts';

let app: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp({ MCP_SYNC_SECONDS: '0' });
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

async function start(era: McpEra): Promise<McpUpstream> {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  return upstream;
}

const call = (method: string, path: string, body?: unknown) =>
  app.rest(method, `/v1/mcp-integrations${path}`, { key: app.adminKey, body });

async function integrationOf(url: string, more: object = {}): Promise<string> {
  return bodyOf(await call('POST', '', { name: 'x', url, auth_type: 'none', transport: 'http', ...more })).id;
}

const test = async (integration: string) => bodyOf(await call('POST', `/${integration}/test`));
const failure = (error: string, status_code: number | null) => ({
  success: false,
  status_code,
  error,
  server_name: '',
});

describe('a test of an MCP integration', () => {
  it.each([
    ['of today', 'modern', false],
    ['of today that streams', 'modern', true],
    ['of yesterday', 'legacy', false],
    ['of yesterday that streams', 'legacy', true],
    ['with sessions', 'sessions', false],
  ] as const)('succeeds at a server %s', async (_what, era, streams) => {
    const upstream = await start(era);
    upstream.streams = streams;
    expect(await test(await integrationOf(upstream.url))).toEqual({
      ...{ success: true, status_code: 200, response_time_ms: expect.any(Number), url: upstream.url },
      ...{ server_name: 'scripted', error: null },
    });
    const asked = upstream.requests.map(({ method, body }) => body?.method ?? method);
    const legacy = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'];
    const wanted = { modern: ['server/discover', 'tools/list'], legacy, sessions: [...legacy, 'DELETE'] };
    expect(asked.filter((name) => name !== 'DELETE' || era === 'sessions')).toEqual(wanted[era]);
    const last = upstream.requests.find(({ body }) => body?.method === 'tools/list');
    expect(last?.headers).toMatchObject(
      era === 'modern'
        ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
        : { 'mcp-protocol-version': '2025-11-25' },
    );
  });

  it('succeeds at a server of 2024-11-05, and says that one needs its transport', async () => {
    const upstream = await start('sse');
    expect(await test(await integrationOf(upstream.url, { transport: 'sse' }))).toMatchObject({
      ...{ success: true, server_name: 'scripted' },
    });
    expect(await test(await integrationOf(upstream.url))).toMatchObject(
      failure('not an MCP server of streamable HTTP: transport must be sse', 405),
    );
  });

  it('sends the headers of the integration, and no secret to anybody else', async () => {
    const upstream = await start('modern');
    upstream.authorization = 'Bearer planted-token-5e1f77';
    const headers = { Authorization: upstream.authorization };
    const more = {
      auth_type: 'headers',
      configurations: { headers, passthrough_headers: { 'X-Team': 'search' } },
    };
    expect(await test(await integrationOf(upstream.url, more))).toMatchObject({ success: true });
    expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'x-team': 'search' });
    expect(await dump(app)).not.toContain('planted-token-5e1f77');
    const without = await test(await integrationOf(upstream.url));
    expect(without).toMatchObject(failure('unauthorized (sign-in or credentials needed)', 401));
    expect(JSON.stringify(without)).not.toContain('what an upstream says');
  });

  it('gets a token by client credentials, from what the server says of its issuer', async () => {
    const upstream = await start('modern');
    const { origin } = new URL(upstream.url);
    upstream.authorization = 'Bearer issued-token';
    upstream.token = { access_token: 'issued-token', token_type: 'Bearer', expires_in: 3600 };
    upstream.documents = {
      '/.well-known/oauth-protected-resource/mcp': {
        resource: upstream.url,
        authorization_servers: [origin],
      },
      '/.well-known/oauth-authorization-server': { issuer: origin, token_endpoint: `${origin}/token` },
    };
    const client = { client_id: 'the client', client_secret: 'planted-secret-88c2' };
    const oauth = (more: object = {}) => ({
      auth_type: 'oauth_client_credentials',
      configurations: { oauth_metadata: { ...client, scope: 'read', ...more } },
    });
    const integration = await integrationOf(upstream.url, oauth());
    expect(await test(integration)).toMatchObject({ success: true });
    const asked = upstream.requests.find(({ path }) => path === '/token');
    expect(Object.fromEntries(new URLSearchParams(asked?.body?.text))).toEqual({
      ...{ grant_type: 'client_credentials', resource: upstream.url, scope: 'read' },
    });
    expect(asked?.headers.authorization).toBe(
      `Basic ${Buffer.from('the%20client:planted-secret-88c2').toString('base64')}`,
    );
    expect(await test(integration)).toMatchObject({ success: true });
    expect(upstream.requests.filter(({ path }) => path === '/token')).toHaveLength(1);
    // A token that was taken back is asked for anew.
    upstream.authorization = 'Bearer second-token';
    upstream.token = { access_token: 'second-token' };
    expect(await test(integration)).toMatchObject({ success: true });
    upstream.documents['/.well-known/oauth-authorization-server'] = { issuer: 'https://other.example' };
    expect(await test(await integrationOf(upstream.url, oauth()))).toMatchObject(
      failure('no access token: the metadata of the issuer names another issuer', null),
    );
    upstream.token = { error: 'invalid_client' };
    const direct = oauth({
      token_endpoint: `${origin}/token`,
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(await test(await integrationOf(upstream.url, direct))).toMatchObject(
      failure('no access token: the token endpoint answered no bearer token', 200),
    );
    const posted = new URLSearchParams(upstream.requests.at(-1)?.body?.text);
    expect(posted.get('client_secret')).toBe(client.client_secret);
    expect(await dump(app)).not.toContain('planted-secret-88c2');
  });

  it.each([
    [500, 'HTTP 500'],
    [302, 'HTTP 302'],
    [429, 'HTTP 429'],
    [403, 'unauthorized (sign-in or credentials needed)'],
    [200, 'not an MCP server'],
  ])('says what went wrong: HTTP %i is "%s"', async (status, error) => {
    const upstream = await start('modern');
    upstream.status = status;
    upstream.statusBody = 'the secret of another service';
    const tried = await test(await integrationOf(upstream.url));
    expect(tried).toMatchObject(failure(error, status));
    expect(JSON.stringify(tried)).not.toContain('secret of another');
  });

  it('says that nobody is there, that TLS fails, and that an address is not allowed', async () => {
    expect(await test(await integrationOf('http://127.0.0.1:8/mcp'))).toMatchObject(
      failure('cannot connect', null),
    );
    // A socket of which nobody reads never closes.
    const plain = createServer((socket) => void socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { port: number };
    const tls = await test(await integrationOf(`https://127.0.0.1:${port}/mcp`));
    expect(tls).toMatchObject(failure('TLS failed', null));
    plain.close();
    const id = await integrationOf('http://127.0.0.1:8/mcp');
    // As if a name had come to lead there after it was saved.
    const metadata = { $set: { url: 'http://169.254.169.254/mcp' } };
    await app.db.collection<any>('mcp_integrations').updateOne({ _id: id }, metadata);
    expect(await test(id)).toMatchObject(failure('address not allowed', null));
  });

  it('never reaches the gateway itself', async () => {
    expect(await test(await integrationOf(`${app.url}/v1/mcp`))).toMatchObject({ success: false });
  });
});
