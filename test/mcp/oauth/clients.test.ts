import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Answer, startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import {
  authorizePath,
  browser,
  clientOf,
  codeFor,
  pkce,
  post,
  register,
  signedIn,
  tokensFor,
  userWithKey,
} from './support.ts';

type Json = Record<string, any>;

let app: TestApp;
let neighbour: Tenant;
/** Where documents stand that describe clients. */
let place: { server: Server; origin: string; documents: Record<string, Json>; asked: string[] };
let key: string;
let keyId: string;

beforeAll(async () => {
  place = await startPlace();
  const hosts = new URL(place.origin).host;
  app = await startApp({ TRUSTED_HOSTS: '127.0.0.1', MCP_CLIENT_HOSTS: hosts });
  neighbour = await app.createTenant();
  ({ key, keyId } = await userWithKey(app));
  await Promise.all([
    serveMcp(app, 'tools', { url: 'mock://server' }),
    serveMcp(app, 'others', { url: 'mock://server' }),
    serveMcp(app, 'tools', { url: 'mock://server', tenant: neighbour }),
  ]);
});
afterAll(async () => {
  await app.stop();
  place.server.closeAllConnections();
  place.server.close();
});

async function startPlace() {
  const documents: Record<string, Json> = {};
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const document = documents[url];
    if (url === '/moved') return void response.writeHead(302, { location: '/client.json' }).end();
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, origin, documents, asked };
}

const REDIRECT = 'http://127.0.0.1:7777/callback';

/** Keeps what a client of an SDK keeps; a person signs in and says yes, where the client sends a browser. */
function provider(more: Json = {}) {
  const kept: Json = {};
  const keep = (more: Json): void => void Object.assign(kept, more);
  return {
    kept,
    get redirectUrl() {
      return REDIRECT;
    },
    clientMetadata: {
      ...{ client_name: 'an SDK', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    },
    state: () => 'a-state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: Json) => keep({ client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: Json) => keep({ tokens }),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier: string) => keep({ verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: Json) => keep({ discovery }),
    async redirectToAuthorization(url: URL) {
      const at = browser(app);
      const { location } = await at.press(await signedIn(at, url.href, key), 'allow');
      kept.answer = location?.searchParams;
    },
    ...more,
  };
}

const lines = {
  'the first line': () => ({
    client: new LegacyClient({ name: 'one', version: '1' }),
    transport: LegacyTransport,
  }),
  'the second line': () => ({
    client: new ModernClient({ name: 'two', version: '1' }),
    transport: ModernTransport,
  }),
  'the second line, in the modern era': () => ({
    client: new ModernClient({ name: 'two', version: '1' }, {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    } as never),
    transport: ModernTransport,
  }),
};

/** Connects as far as the sign-in, then signs in, and connects. */
async function connected(line: () => Json, keeper: Json) {
  const { transport: Transport } = line();
  const url = new URL(`${app.url}/tools/mcp`);
  const first = new Transport(url, { authProvider: keeper });
  await expect(line().client.connect(first)).rejects.toThrow(/[Uu]nauthorized/);
  const { answer } = keeper.kept;
  expect(answer?.get('state')).toBe('a-state');
  await (first.finishAuth.length > 0 && Transport === ModernTransport
    ? first.finishAuth(answer)
    : first.finishAuth(answer.get('code')));
  const { client } = line();
  await client.connect(new Transport(url, { authProvider: keeper }));
  return client;
}

describe.each(Object.entries(lines))("check 10: a client of the SDK's %s", (_name, line) => {
  it('goes from nothing to a call', async () => {
    const keeper = provider();
    const client = await connected(line, keeper);
    expect(keeper.kept.client).toMatchObject({ client_id: expect.stringMatching(/^mcp_/) });
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(3);
    const called = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
    expect(called.content).toEqual([{ type: 'text', text: 'hello' }]);
    await client.close();
  });
});

describe('a client that a document describes', () => {
  const describeAt = (path: string, more: Json = {}): string => {
    const client_id = `${place.origin}${path}`;
    place.documents[path] = {
      ...{ client_id, client_name: 'on the web', redirect_uris: [REDIRECT] },
      ...{ token_endpoint_auth_method: 'none', ...more },
    };
    return client_id;
  };

  it('needs no registration', async () => {
    const clientId = describeAt('/client.json');
    const before = place.asked.length;
    const first = await tokensFor(app, key, { clientId, redirectUri: REDIRECT });
    await tokensFor(app, key, { clientId, redirectUri: REDIRECT });
    expect(first).toMatchObject({ token_type: 'Bearer' });
    expect(place.asked.slice(before)).toEqual(['/client.json']);
  });

  it.each([
    ['says another id', () => describeAt('/other.json', { client_id: 'https://else.example/client.json' })],
    ['holds a secret', () => describeAt('/secret.json', { client_secret: 'x' })],
    [
      'proves itself by a secret',
      () => describeAt('/shared.json', { token_endpoint_auth_method: 'client_secret_post' }),
    ],
    ['has no such address', () => describeAt('/address.json', { redirect_uris: ['https://else.example/'] })],
    ['is not there', () => `${place.origin}/nothing.json`],
    ['has moved', () => `${place.origin}/moved`],
    ['stands at a root', () => `${place.origin}/`],
    ['stands at a written-over path', () => `${place.origin}/a/../client.json`],
    ['stands at another host', () => 'https://client.example/client.json'],
    ['stands at an address of metadata', () => 'http://169.254.169.254/latest/client.json'],
    ['stands at the gateway itself', () => `${app.url}/client.json`],
    ['has credentials', () => `http://a:b@${new URL(place.origin).host}/client.json`],
    ['has a fragment', () => `${place.origin}/client.json#x`],
    ['is too large', () => describeAt('/large.json', { padding: 'x'.repeat(70_000) })],
  ])('is not let in where it %s', async (_what, describe) => {
    const page = await browser(app).visit(
      authorizePath(app, { clientId: describe(), redirectUri: REDIRECT }),
    );
    expect(page).toMatchObject({ status: 400, location: null });
  });

  it('proves itself by a signature where it says so, and with each one once', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const clientId = describeAt('/signing.json', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] },
    });
    const signed = (claims: Json = {}, by = privateKey) =>
      new SignJWT({ iss: clientId, sub: clientId, aud: app.url, jti: Math.random().toString(), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime(claims.life ?? '60s')
        .sign(by);
    const exchange = async (assertion: string | null) => {
      const { verifier, challenge } = pkce();
      const code = await codeFor(app, key, { clientId, challenge, redirectUri: REDIRECT });
      return post(app, 'token', {
        ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT },
        client_id: clientId,
        ...(assertion !== null && {
          client_assertion: assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        }),
      });
    };
    const once = await signed();
    expect((await exchange(once)).status).toBe(200);
    const other = await generateKeyPair('ES256');
    for (const wrong of [
      once,
      null,
      await signed({ aud: 'https://other.example' }),
      await signed({ life: '1h' }),
      await signed({ sub: 'somebody' }),
      await signed({}, other.privateKey),
    ])
      expect(await exchange(wrong)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

describe('without a list of hosts', () => {
  it('no private host is asked for a document, trusted or not', async () => {
    const other = await startApp({ TRUSTED_HOSTS: '127.0.0.1', MCP_SYNC_SECONDS: '0' });
    place.documents['/private.json'] = {
      client_id: `${place.origin}/private.json`,
      redirect_uris: [REDIRECT],
    };
    const before = place.asked.length;
    for (const clientId of [
      `${place.origin}/private.json`,
      `${place.origin.replace('http:', 'https:')}/private.json`,
    ]) {
      const page = await browser(other).visit(authorizePath(other, { clientId, redirectUri: REDIRECT }));
      expect(page).toMatchObject({ status: 400, location: null });
    }
    expect(place.asked).toHaveLength(before);
    await other.stop();
  });
});

describe('the door of an MCP server', () => {
  const message = (method: string, params: Json = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const knock = (token: string, body: Json, slug = 'tools'): Promise<Answer> =>
    app.rest('POST', `/${slug}/mcp`, {
      ...{ key: null, body },
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
    });
  const echo = message('tools/call', { name: 'echo', arguments: { message: 'x' } });
  const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate');

  it('takes a token for itself, and none for another or of nobody', async () => {
    const clientId = await clientOf(app, { redirect_uris: [REDIRECT] });
    const wanted = { clientId, redirectUri: REDIRECT };
    const { access_token: token } = await tokensFor(app, key, wanted);
    expect(await knock(token, echo)).toMatchObject({
      status: 200,
      body: { result: { content: [{ text: 'x' }] } },
    });
    const elsewhere = await knock(token, echo, 'others');
    expect(elsewhere.status).toBe(401);
    expect(challengeOf(elsewhere)).toBe(
      `Bearer resource_metadata="${app.url}/.well-known/oauth-protected-resource/others/mcp", scope="mcp", error="invalid_token"`,
    );
    const { access_token: wide } = await tokensFor(app, key, { ...wanted, resource: null });
    expect((await knock(wide, echo)).status).toBe(200);
    expect((await knock(wide, echo, 'others')).status).toBe(200);
    const [head, body, signature] = token.split('.');
    for (const forged of [
      `${head}.${body}.${signature?.slice(0, -4)}AAAA`,
      `${head}.${body}.`,
      'eyJhbGciOiJub25lIn0.e30.x',
    ])
      expect((await knock(forged, echo)).status).toBe(401);
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    expect((await knock(`${none}.${body}.x`, echo)).status).toBe(401);
  });

  it('lets a token that may read read, and says what it lacks for a call', async () => {
    const clientId = await clientOf(app, { redirect_uris: [REDIRECT] });
    const { access_token: token } = await tokensFor(app, key, {
      clientId,
      redirectUri: REDIRECT,
      scope: 'mcp:read',
    });
    expect((await knock(token, message('tools/list'))).status).toBe(200);
    const refused = await knock(token, echo);
    expect(refused.status).toBe(403);
    expect(challengeOf(refused)).toContain('error="insufficient_scope", scope="mcp:write"');
  });

  it('gives a person of one tenant nothing of another, where both have a server of one name', async () => {
    const { key: foreign } = await userWithKey(app, neighbour);
    const clientId = await clientOf(app, { redirect_uris: [REDIRECT] });
    const { access_token: token } = await tokensFor(app, foreign, {
      clientId,
      redirectUri: REDIRECT,
      resource: null,
    });
    expect((await knock(token, echo)).status).toBe(200);
    expect((await knock(token, echo, 'others')).status).toBe(404);
  });

  it('is closed to a token at once when the key is gone with which somebody signed in', async () => {
    const clientId = await clientOf(app, { redirect_uris: [REDIRECT] });
    const { access_token: token } = await tokensFor(app, key, { clientId, redirectUri: REDIRECT });
    expect((await knock(token, echo)).status).toBe(200);
    await app.rest('DELETE', `/v1/api-keys/${keyId}`, { key: app.adminKey });
    await eventually(async () => expect((await knock(token, echo)).status).toBe(401));
  });
});

it('a registration needs no credential, and one that is brought means nothing', async () => {
  expect((await register(app, {})).status).toBe(201);
});
