import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { auditRows, dump } from '../../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import {
  authorizePath,
  browser,
  clientOf,
  codeFor,
  introspected,
  mcpServer,
  pkce,
  post,
  REDIRECT,
  register,
  signedIn,
  tokensFor,
  untilInactive,
  userWithKey,
} from './support.ts';

let app: TestApp;
let neighbour: Tenant;
let key: string;
let userId: string;
let clientId: string;
/** For a page that shows itself also to somebody who has agreed before. */
const asksAnew = { prompt: 'consent' };

beforeAll(async () => {
  app = await startApp({ TRUSTED_PROXIES: '127.0.0.1', MCP_SYNC_SECONDS: '0' });
  neighbour = await app.createTenant();
  ({ key, userId } = await userWithKey(app));
  await mcpServer(app, 'tools');
  clientId = await clientOf(app);
});
afterAll(() => app.stop());

const get = async (path: string) =>
  (await app.rest('GET', path, { key: null })) as { status: number; body: any };

describe('metadata', () => {
  it('name one issuer, which is the address that they stand at', async () => {
    const { body } = await get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: app.url,
      authorization_endpoint: `${app.url}/oauth/authorize`,
      token_endpoint: `${app.url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it.each(['', '/mcp', '/tools/mcp', '/no-such-server/mcp', '/workspace/tools/mcp'])(
    'of a resource follow from its path alone: %s',
    async (path) => {
      expect(await get(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
        status: 200,
        body: {
          resource: `${app.url}${path}`,
          authorization_servers: [app.url],
          scopes_supported: ['mcp'],
          bearer_methods_supported: ['header'],
        },
      });
    },
  );

  it.each(['/tools', '/a/b/c/mcp', '/../mcp', '/a%2Fb/mcp', '/x y/mcp'])(
    'are not there for %s',
    async (path) => {
      expect((await get(`/.well-known/oauth-protected-resource${encodeURI(path)}`)).status).toBe(404);
    },
  );
});

describe('a client', () => {
  it('gets tokens for a person, and with them what that person may do', async () => {
    const { verifier, challenge } = pkce();
    const at = browser(app);
    const page = await signedIn(at, authorizePath(app, { clientId, challenge }), key);
    expect(page.text).toContain('A client');
    expect(page.text).toContain('client.example');
    expect(page.text).toContain('the MCP server tools');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://client.example",
    );
    const { location } = await at.press(page, 'allow');
    expect(location?.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(location?.searchParams.get('state')).toBe('the state');
    expect(location?.searchParams.get('iss')).toBe(app.url);
    const { status, body, headers } = await post(app, 'token', {
      ...{ grant_type: 'authorization_code', code: location?.searchParams.get('code') ?? '' },
      ...{ code_verifier: verifier, client_id: clientId, redirect_uri: REDIRECT },
      resource: `${app.url}/tools/mcp`,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        ...{ token_type: 'Bearer', expires_in: 3600, scope: 'mcp' },
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(decodeProtectedHeader(body.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({
      ...{ iss: app.url, aud: `${app.url}/tools/mcp`, sub: userId, client_id: clientId, scope: 'mcp' },
      ...{ organisation_id: app.organisationId, workspace_id: app.workspaceId, jti: expect.any(String) },
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(3600);
    expect(await introspected(app, body.access_token, app.adminKey)).toMatchObject({
      ...{ active: true, sub: userId, client_id: clientId, scope: 'mcp' },
    });
    const [row] = await auditRows(app, { resourceType: 'mcp_grant', action: 'create' });
    expect(row).toMatchObject({ organisationId: app.organisationId, userId, targetName: 'A client' });
    const stored = await dump(app);
    for (const secret of [body.access_token, body.refresh_token, location?.searchParams.get('code')])
      expect(stored).not.toContain(secret);
  });

  it('is answered with an error where the person says no, or the request is wrong', async () => {
    const at = browser(app);
    const page = await signedIn(at, authorizePath(app, { clientId, more: asksAnew }), key);
    const denied = await at.press(page, 'deny');
    expect(Object.fromEntries(denied.location?.searchParams ?? [])).toMatchObject({
      ...{ error: 'access_denied', state: 'the state', iss: app.url },
    });
    const answers = async (more: Record<string, string>, wanted = {}) => {
      const { location, status } = await at.visit(authorizePath(app, { clientId, more, ...wanted }));
      return `${status} ${location?.origin} ${location?.searchParams.get('error')} ${location?.searchParams.get('iss')}`;
    };
    const refused = (error: string) => `303 https://client.example ${error} ${app.url}`;
    expect(await answers({ response_type: 'token' })).toBe(refused('unsupported_response_type'));
    expect(await answers({ code_challenge_method: 'plain' })).toBe(refused('invalid_request'));
    expect(await answers({ code_challenge: '' })).toBe(refused('invalid_request'));
    expect(await answers({ scope: 'payments' })).toBe(refused('invalid_scope'));
    expect(await answers({ request_uri: 'https://elsewhere.example/' })).toBe(
      refused('request_not_supported'),
    );
    for (const resource of ['https://other.example/mcp', `${app.url}/v1/chat`, `${app.url}/tools/mcp#x`])
      expect(await answers({}, { resource })).toBe(refused('invalid_target'));
  });

  it('leads nobody to its address before somebody has signed in', async () => {
    const page = await browser(app).visit(authorizePath(app, { clientId, more: { response_type: 'token' } }));
    expect(page).toMatchObject({ status: 400, location: null });
    expect(page.text).toContain('response_type must be code');
  });

  it.each([
    ['is not known', () => authorizePath(app, { clientId: 'nobody' })],
    [
      'names an address of somebody else',
      () => authorizePath(app, { clientId, redirectUri: 'https://evil.example/' }),
    ],
    ['names more than its address', () => authorizePath(app, { clientId, redirectUri: `${REDIRECT}/more` })],
    [
      'names its address in capitals',
      () => authorizePath(app, { clientId, redirectUri: REDIRECT.toUpperCase() }),
    ],
    [
      'names two addresses',
      () => `${authorizePath(app, { clientId })}&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
    ],
  ])('that %s leads nobody anywhere', async (_what, path) => {
    const page = await browser(app).visit(path());
    expect(page.status).toBe(400);
    expect(page.location).toBeNull();
    expect(page.text).not.toContain('evil.example');
  });

  it('on the own machine may listen at any port, and people are warned of it', async () => {
    const local = await clientOf(app, { redirect_uris: ['http://127.0.0.1:1234/done'] });
    const wanted = { clientId: local, redirectUri: 'http://127.0.0.1:5678/done' };
    const page = await signedIn(browser(app), authorizePath(app, wanted), key);
    expect(page.text).toContain('your own machine');
    const other = await browser(app).visit(
      authorizePath(app, { ...wanted, redirectUri: 'http://127.0.0.1:5678/other' }),
    );
    expect(other.status).toBe(400);
  });
});

describe('a page', () => {
  it('shows what a client calls itself as text', async () => {
    const named = await clientOf(app, { client_name: '<script>alert(1)</script>"\u202e' });
    const page = await browser(app).visit(authorizePath(app, { clientId: named }));
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;');
    expect(page.text).not.toContain('<script');
    expect(page.text).not.toContain('\u202e');
  });

  it('counts for the person alone for whom it was made, and for no page of another origin', async () => {
    const mine = browser(app);
    const page = await signedIn(mine, authorizePath(app, { clientId, more: asksAnew }), key);
    const other = browser(app);
    const { key: otherKey } = await userWithKey(app);
    const theirs = await signedIn(other, authorizePath(app, { clientId }), otherKey);
    expect((await other.press(page, 'allow')).status).toBe(403);
    expect((await browser(app).press(page, 'allow')).status).toBe(403);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      expect((await mine.press(page, 'allow', {}, headers)).status).toBe(403);
    expect((await mine.press({ ...page, text: theirs.text }, 'allow')).status).toBe(403);
    const forged = page.text.replace(/(?<=name="request" value="v1\.)./, (first) =>
      first === '_' ? '-' : '_',
    );
    expect((await mine.press({ ...page, text: forged }, 'allow')).status).toBe(403);
    expect((await mine.press(page, 'maybe')).status).toBe(400);
    expect((await mine.press(page, 'allow')).status).toBe(303);
  });

  it('is asked again for every client, whatever was allowed before', async () => {
    const at = browser(app);
    await at.press(await signedIn(at, authorizePath(app, { clientId }), key), 'allow');
    const second = await clientOf(app, { redirect_uris: ['https://second.example/'] });
    const page = await at.visit(
      authorizePath(app, { clientId: second, redirectUri: 'https://second.example/' }),
    );
    expect(page).toMatchObject({ status: 200, location: null });
    expect(page.text).toContain('second.example');
  });

  it('forgets somebody who is somebody else', async () => {
    const at = browser(app);
    const page = await signedIn(at, authorizePath(app, { clientId, more: asksAnew }), key);
    const out = await at.press(page, 'sign_out');
    expect(out.status).toBe(303);
    expect(at.cookies.size).toBe(0);
    expect((await at.visit(out.location?.href ?? '')).text).toContain('API key of yours');
  });

  it.each([
    ['a service key', async () => app.workspaceKey],
    ['a key without mcp.invoke', async () => (await userWithKey(app, app, ['logs.view'])).key],
    ['a key that is none', async () => 'sl-nothing'],
  ])('does not take %s for a person', async (_what, keyOf) => {
    const at = browser(app);
    const page = await at.visit(authorizePath(app, { clientId }));
    const again = await at.press(page, 'sign_in', { key: await keyOf() });
    expect(again.status).toBe(200);
    expect(again.text).toContain('role="alert"');
    expect(at.cookies.size).toBe(0);
  });

  it('lets nobody of another tenant near a server', async () => {
    const { key: foreign } = await userWithKey(app, neighbour);
    const page = await signedIn(browser(app), authorizePath(app, { clientId }), foreign);
    expect(page.text).toContain('may not use this MCP server');
    expect(page.text).not.toContain('value="allow"');
  });

  it('lets nobody near a server who was refused there', async () => {
    const { key: refused, userId: user_id } = await userWithKey(app);
    await app.rest('PUT', '/v1/mcp-servers/tools/user-access', {
      ...{ key: app.adminKey, body: { user_access: [{ user_id, enabled: false }] } },
    });
    const page = await signedIn(browser(app), authorizePath(app, { clientId }), refused);
    expect(page.text).toContain('may not use this MCP server');
  });
});

describe('a code', () => {
  const exchange = (code: string, verifier: string, more: Record<string, string> = {}) =>
    post(app, 'token', {
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier },
      ...{ client_id: clientId, redirect_uri: REDIRECT, ...more },
    });

  it('counts once: who brings it again ends what came of it', async () => {
    const { verifier, challenge } = pkce();
    const code = await codeFor(app, key, { clientId, challenge });
    const answers = await Promise.all([
      exchange(code, verifier),
      exchange(code, verifier),
      exchange(code, verifier),
    ]);
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body } of given) await untilInactive(app, body.access_token, app.adminKey);
    expect(await exchange(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const single = pkce();
    const other = await codeFor(app, key, { clientId, challenge: single.challenge });
    const { body } = await exchange(other, single.verifier);
    expect((await exchange(other, single.verifier)).status).toBe(400);
    expect(await introspected(app, body.access_token, app.adminKey)).toEqual({ active: false });
    const refreshed = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: clientId };
    expect(await post(app, 'token', refreshed)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it.each([
    ['another verifier', () => ({ code_verifier: pkce().verifier })],
    ['a short verifier', () => ({ code_verifier: 'short' })],
    ['another address', () => ({ redirect_uri: 'https://client.example/other' })],
    ['another resource', () => ({ resource: `${app.url}/other/mcp` })],
  ])('is lost to %s', async (_what, more) => {
    const { verifier, challenge } = pkce();
    const code = await codeFor(app, key, { clientId, challenge });
    expect(await exchange(code, verifier, more())).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect((await exchange(code, verifier)).status).toBe(400);
  });

  it('is of no use to another client, nor without a verifier', async () => {
    const { verifier, challenge } = pkce();
    const code = await codeFor(app, key, { clientId, challenge });
    const other = await clientOf(app);
    expect(await exchange(code, verifier, { client_id: other })).toMatchObject({
      body: { error: 'invalid_grant' },
    });
    expect(await exchange(code, '')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect((await exchange(code, verifier)).status).toBe(200);
  });
});

describe('a refresh token', () => {
  const refresh = (token: string, more: Record<string, string> = {}) =>
    post(app, 'token', { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...more });

  it('changes with each use, gives the same successor for a while, and ends everything when it is old', async () => {
    const first = await tokensFor(app, key, { clientId });
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const again = await refresh(first.refresh_token);
    expect(again.body.refresh_token).toBe(second.body.refresh_token);
    const at = await Promise.all([refresh(second.body.refresh_token), refresh(second.body.refresh_token)]);
    expect(at.map(({ status }) => status)).toEqual([200, 200]);
    expect(at[0]?.body.refresh_token).toBe(at[1]?.body.refresh_token);
    expect(await refresh(first.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await refresh(at[0]?.body.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await introspected(app, at[0]?.body.access_token, app.adminKey)).toEqual({ active: false });
  });

  it('is of no use to others, for more than was granted, or when it was made up', async () => {
    const { refresh_token: token } = await tokensFor(app, key, { clientId, scope: 'mcp:read' });
    expect(await refresh(token, { scope: 'mcp' })).toMatchObject({ body: { error: 'invalid_scope' } });
    expect(await refresh(token, { client_id: await clientOf(app) })).toMatchObject({
      body: { error: 'invalid_grant' },
    });
    expect(await refresh(token, { resource: `${app.url}/other/mcp` })).toMatchObject({
      body: { error: 'invalid_target' },
    });
    for (const wrong of [`${token}x`, token.replace(/\.\d+\./, '.9.'), 'x', token.slice(0, -1)])
      expect(await refresh(wrong)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('tokens', () => {
  it('end with what they stand on: the key, the user, the grant', async () => {
    const gone = await userWithKey(app);
    const { access_token: token, refresh_token } = await tokensFor(app, gone.key, { clientId });
    expect(await introspected(app, token, app.adminKey)).toMatchObject({ active: true, sub: gone.userId });
    expect((await app.rest('DELETE', `/v1/api-keys/${gone.keyId}`, { key: app.adminKey })).status).toBe(200);
    expect(await introspected(app, token, app.adminKey)).toEqual({ active: false });
    const form = { grant_type: 'refresh_token', refresh_token, client_id: clientId };
    expect(await post(app, 'token', form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('are taken back by their client, and by nobody else', async () => {
    const { access_token: token, refresh_token } = await tokensFor(app, key, { clientId });
    const other = await clientOf(app);
    expect((await post(app, 'revoke', { token: refresh_token, client_id: other })).status).toBe(200);
    expect(await introspected(app, token, app.adminKey)).toMatchObject({ active: true });
    expect(await post(app, 'revoke', { token, client_id: clientId })).toMatchObject({
      status: 200,
      body: {},
    });
    expect(await introspected(app, token, app.adminKey)).toEqual({ active: false });
    expect((await post(app, 'revoke', { token: 'nothing', client_id: clientId })).status).toBe(200);
    expect(await post(app, 'revoke', { client_id: clientId })).toMatchObject({
      body: { error: 'invalid_request' },
    });
    expect(await auditRows(app, { resourceType: 'mcp_grant', action: 'end' })).not.toEqual([]);
  });

  it('mean nothing to another tenant, and nothing at the doors of models', async () => {
    const { access_token: token } = await tokensFor(app, key, { clientId });
    expect(await introspected(app, token, neighbour.adminKey)).toEqual({ active: false });
    expect(await introspected(app, 'eyJ.eyJ.x', app.adminKey)).toEqual({ active: false });
    expect((await post(app, 'introspect', { token })).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await app.rest('GET', '/v1/models', { key: null, headers })).status).toBe(401);
    const account = await app.token();
    expect(await introspected(app, account, app.adminKey)).toEqual({ active: false });
  });

  it('are for all of the gateway where a client names no resource', async () => {
    const { access_token: token } = await tokensFor(app, key, { clientId, resource: null });
    expect(decodeJwt(token).aud).toBe(app.url);
  });
});

describe('a service key of a workspace', () => {
  const ask = (id: string, secret: string, more: Record<string, string> = {}) =>
    post(
      app,
      'token',
      { grant_type: 'client_credentials', resource: `${app.url}/tools/mcp`, ...more },
      { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    );

  it('is a client by itself', async () => {
    const made = await app.rest('POST', '/v1/api-keys/workspace/service', {
      key: app.adminKey,
      body: { name: 'a program', scopes: ['mcp.invoke'], workspace_id: app.workspaceId },
    });
    const { id, key: secret } = made.body as { id: string; key: string };
    const { status, body } = await ask(id, secret, { scope: 'mcp:read' });
    expect({ status, body }).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'mcp:read' },
    });
    expect(await introspected(app, body.access_token, app.adminKey)).toMatchObject({ active: true, sub: id });
    expect(await ask('another', secret)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await ask(id, 'wrong')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const person = await userWithKey(app);
    expect(await ask(person.keyId, person.key)).toMatchObject({ body: { error: 'unauthorized_client' } });
    await app.rest('DELETE', `/v1/api-keys/${id}`, { key: app.adminKey });
    expect(await introspected(app, body.access_token, app.adminKey)).toEqual({ active: false });
  });

  it('shares the path with service accounts', async () => {
    const form = { scope: `tsg_id:${app.tsgId}` };
    const { status, body } = await ask(app.clientId, app.clientSecret, form);
    expect({ status, body }).toMatchObject({ status: 200, body: { expires_in: 900, scope: form.scope } });
  });
});

describe('a registration', () => {
  it('gives a secret to a client that wants one, and asks for it', async () => {
    const { body, status } = await register(app, { token_endpoint_auth_method: 'client_secret_post' });
    expect(status).toBe(201);
    expect(await dump(app)).not.toContain(body.client_secret);
    const { verifier, challenge } = pkce();
    const code = await codeFor(app, key, { clientId: body.client_id, challenge });
    const form = {
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT },
      client_id: body.client_id,
    };
    expect(await post(app, 'token', form)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await post(app, 'token', { ...form, client_secret: 'wrong' })).toMatchObject({ status: 401 });
    expect((await post(app, 'token', { ...form, client_secret: body.client_secret })).status).toBe(200);
  });

  it.each([
    ['no address', {}, { redirect_uris: [] }],
    [
      'eleven addresses',
      {},
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://a.example/${at}`) },
    ],
    ['a script', {}, { redirect_uris: ['javascript:alert(1)'] }],
    ['data', {}, { redirect_uris: ['data:text/html,x'] }],
    ['a file', {}, { redirect_uris: ['file:///etc/passwd'] }],
    ['a scheme that nobody knows', {}, { redirect_uris: ['evil://x'] }],
    ['http', {}, { redirect_uris: ['http://client.example/'] }],
    ['a fragment', {}, { redirect_uris: ['https://client.example/#x'] }],
    ['credentials', {}, { redirect_uris: ['https://a:b@client.example/'] }],
    ['a line break', {}, { redirect_uris: ['https://client.example/\r\nx: y'] }],
    ['a long address', {}, { redirect_uris: [`https://client.example/${'x'.repeat(2048)}`] }],
  ])('with %s is refused', async (_what, _more, metadata) => {
    expect(await register(app, metadata, '192.0.2.9')).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: expect.stringContaining('redirect_uris') },
    });
  });

  it.each([
    ['another way of proof', { token_endpoint_auth_method: 'tls_client_auth' }],
    ['no code', { grant_types: ['implicit'] }],
    ['a long name', { client_name: 'x'.repeat(256) }],
    ['no keys to a signature', { token_endpoint_auth_method: 'private_key_jwt' }],
  ])('with %s is refused', async (_what, metadata) => {
    expect(await register(app, metadata, '192.0.2.9')).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
  });

  it('takes the schemes of known programs', async () => {
    const redirect_uris = ['cursor://anysphere.cursor-retrieval/oauth/callback', 'http://localhost:3000/x'];
    expect((await register(app, { redirect_uris }, '192.0.2.10')).status).toBe(201);
  });

  it('is taken twenty times an hour from one address', async () => {
    const from = '192.0.2.77';
    const answers = [];
    for (let count = 0; count < 21; count++) answers.push(await register(app, {}, from));
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    const last = answers.at(-1);
    expect(last).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await register(app, {}, '192.0.2.78')).status).toBe(201);
  });
});
