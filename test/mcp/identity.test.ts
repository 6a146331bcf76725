import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { bodyOf } from '../rest-compat/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { callModern, legacyMessage, openLegacy, post } from '../support/mcp-wire.ts';
import { startProvider } from '../support/provider.ts';
import { makeReference, vaultInput } from '../support/secret-managers/references.ts';
import { vaultServer } from '../support/secret-managers/vault.ts';
import { post as postForm, userWithKey } from './oauth/support.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;

let app: TestApp;
let issuer: TestIssuer;
let ahead = 0;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  const env = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...{ TRUSTED_HOSTS: '127.0.0.1', SECRET_REFRESH_SECONDS: '1' },
  };
  app = await startApp(env, undefined, () => new Date(Date.now() + ahead));
  issuer = await startIssuer('https://issuer.example', { sub: 'ada', aud: 'tools', groups: ['a', 'b'] });
});
afterAll(async () => {
  await Promise.all([app.stop(), issuer.stop(), ...upstreams.map(({ stop }) => stop())]);
});

let count = 0;
async function start(configurations: Json, more: Json = {}, era: 'modern' | 'sessions' = 'modern') {
  const upstream = await startMcpUpstream(era);
  upstreams.push(upstream);
  upstream.tools = [tool('say')];
  upstream.onMessage = ({ id, method }) =>
    method === 'tools/call' ? { jsonrpc: '2.0', id, result: { content: [] } } : undefined;
  const slug = `server-${++count}`;
  const { integrationId } = await serveMcp(app, slug, { url: upstream.url, configurations, ...more });
  upstream.requests.length = 0;
  const sent = () =>
    upstream.requests.filter(({ body }) => body?.method === 'tools/call').map(({ headers }) => headers);
  return { upstream, slug, sent, integrationId };
}

const rules = (more: Json = {}) => ({ jwksUri: issuer.jwksUrl, headerKey: 'X-Person', ...more });
const call = (slug: string, token: string | null, headers: Record<string, string> = {}) =>
  callModern(app, slug, 'say', {}, { ...(token !== null && { 'x-person': token }), ...headers });

type Asked = { authorization: string | undefined; body: string };

/** An issuer that is asked for the tokens that begin with `opaque-1`, the only good ones; `asked` is what it was asked. */
async function startIntrospection(): Promise<{
  introspectEndpoint: string;
  asked: Asked[];
  stop(): Promise<void>;
}> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      asked.push({ authorization: request.headers.authorization, body });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ active: body.includes('opaque-1'), sub: 'ada', aud: 'tools' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    introspectEndpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`,
    asked,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('a server that asks for the token of a person', () => {
  it('is closed without one that its issuer has signed, and says why', async () => {
    const { slug, sent } = await start({
      jwt_validation: rules({
        requiredClaims: ['sub', 'team'],
        claimValues: { groups: { values: ['b'], matchType: 'contains' } },
      }),
    });
    const past = Math.floor(Date.now() / 1000) - 60;
    const refusals: [string | null, string][] = [
      [null, 'Missing token: send it as X-Person'],
      ['no.token', 'Token is not valid'],
      [await issuer.sign({ exp: past, team: 'x' }), 'Token is expired'],
      [await issuer.sign(), 'Missing required claims: team'],
      [await issuer.sign({ team: 'x', groups: ['c'] }), 'Claim has another value: groups'],
    ];
    for (const [token, message] of refusals) {
      const { status, body, headers } = await call(slug, token);
      expect({ status, body }).toMatchObject({ status: 401, body: { error: { code: -31401, message } } });
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    expect(sent()).toHaveLength(0);
    const good = await issuer.sign({ team: 'x' });
    expect((await call(slug, `Bearer ${good}`)).status).toBe(200);
    expect(sent()).toHaveLength(1);
    expect((await call(slug, good, { 'x-gateway-api-key': 'sk-none' })).status).toBe(401);
    const all = async (headers: Record<string, string>) =>
      (await post(app, `/mcp?servers=${slug}`, legacyMessage('tools/list'), headers)).body.result.tools;
    expect(await all({})).toEqual([]);
    expect(await all({ 'x-person': good })).toHaveLength(1);
    await app.logged();
    const rows = JSON.stringify(await app.db.collection('logs').find({ endpoint: 'mcp' }).toArray());
    expect(rows).not.toContain(good);
  });

  it('has it judged by the issuer, at which the gateway proves itself', async () => {
    const { introspectEndpoint, asked, stop } = await startIntrospection();
    try {
      const { slug } = await start({
        jwt_validation: {
          ...{ introspectEndpoint, headerKey: 'X-Person', introspectContentType: 'application/json' },
          ...{ introspectClientId: 'sluice', introspectClientSecret: 'a secret' },
        },
      });
      expect((await call(slug, 'opaque-1')).status).toBe(200);
      expect((await call(slug, 'opaque-2')).body.error.message).toBe('Token is not valid');
      expect(asked[0]).toEqual({
        authorization: `Basic ${Buffer.from('sluice:a%20secret').toString('base64')}`,
        body: '{"token":"opaque-1"}',
      });
    } finally {
      await stop();
    }
    const { slug } = await start({ jwt_validation: rules({ jwksUri: 'http://127.0.0.1:9/keys' }) });
    const { status, body } = await call(slug, await issuer.sign());
    expect({ status, message: body.error.message }).toEqual({
      status: 401,
      message: 'The token could not be judged: its issuer does not answer',
    });
  });

  it('asks the issuer once a call, where the server is told who calls as well', async () => {
    const { introspectEndpoint, asked, stop } = await startIntrospection();
    const { slug, sent } = await start({
      jwt_validation: {
        introspectEndpoint,
        headerKey: 'X-Person',
        introspectContentType: 'application/json',
      },
      user_identity_forwarding: { method: 'claims_header' },
    });
    // A proof counts for a second, which a busy machine may let pass within one call.
    await eventually(async () => {
      asked.length = 0;
      expect((await call(slug, 'opaque-1')).status).toBe(200);
      expect(asked).toHaveLength(1);
    });
    const claims = sent().map((headers) => JSON.parse(String(headers['x-user-claims'])));
    expect(claims[0]).toMatchObject({ sub: 'ada' });
    await stop();
  });

  it('remembers what the issuer said, with a secret of a manager too, until the secret is another', async () => {
    const { introspectEndpoint, asked, stop } = await startIntrospection();
    const manager = await startProvider();
    const vault = vaultServer();
    manager.play(vault.script);
    const rotate = (key: string) => vault.secrets.set('secret/openai', { key });
    rotate('first');
    const reference = await makeReference(
      app,
      vaultInput(manager.url.replace('/v1', ''), { secretKey: 'key', slug: 'issuer' }),
    );
    const { slug } = await start(
      {
        jwt_validation: {
          ...{ introspectEndpoint, headerKey: 'X-Person', introspectContentType: 'application/json' },
          ...{ introspectClientId: 'sluice', introspectCacheMaxAge: 600 },
        },
      },
      {
        secret_mappings: [
          {
            target_field: 'configurations.jwt_validation.introspectClientSecret',
            secret_reference_id: reference.id,
          },
        ],
      },
    );
    const secretsSent = () =>
      asked.map(({ authorization = '' }) => atob(authorization.replace('Basic ', '')).replace('sluice:', ''));
    for (const _call of [1, 2, 3]) expect((await call(slug, 'opaque-1')).status).toBe(200);
    expect(secretsSent()).toEqual(['first']);
    const { userId } = await userWithKey(app);
    const body = { user_access: [{ user_id: userId, enabled: false }] };
    const change = app.rest('PUT', `/v1/mcp-servers/${slug}/user-access`, { key: app.adminKey, body });
    expect((await change).status).toBe(200);
    expect((await call(slug, 'opaque-1')).status).toBe(200);
    expect(secretsSent()).toEqual(['first']);
    rotate('second');
    await eventually(async () => {
      expect((await call(slug, 'opaque-1')).status).toBe(200);
      expect(secretsSent()).toEqual(['first', 'second']);
    });
    await Promise.all([stop(), manager.stop()]);
  });
});

describe('a server that is told who calls', () => {
  it('gets claims in a header that no caller can write', async () => {
    const { slug, sent } = await start({
      forward_headers: { mode: 'all-except', headers: [] },
      user_identity_forwarding: { method: 'claims_header', header_name: 'X-Who' },
    });
    const { userId, key } = await userWithKey(app);
    const spoofed = { 'x-who': '{"sub":"root"}', 'x-user-claims': '{"sub":"root"}', 'x-other': 'yes' };
    await call(slug, null, { ...spoofed, 'x-gateway-api-key': key });
    const [headers] = sent();
    expect(JSON.parse(String(headers?.['x-who']))).toMatchObject({
      ...{ sub: userId, user_id: userId, workspace_id: app.workspaceId, organisation_id: app.organisationId },
      email: expect.stringContaining('@'),
      scope: 'mcp.invoke',
    });
    expect(headers).toMatchObject({ 'x-other': 'yes' });
    expect(headers?.['x-user-claims']).toBeUndefined();
    await call(slug, null, spoofed);
    expect(JSON.parse(String(sent()[1]?.['x-who'])).user_id).toBeUndefined();
  });

  it('gets a JWT of the gateway, in sessions too, with claims of the token of the person and those that are wanted', async () => {
    const { slug, sent, upstream } = await start(
      {
        jwt_validation: rules(),
        user_identity_forwarding: {
          ...{
            method: 'jwt_header',
            include_claims: ['sub', 'groups', 'workspace_id'],
            jwt_expiry_seconds: 60,
          },
        },
      },
      {},
      'sessions',
    );
    const token = await issuer.sign({ workspace_id: 'a lie' });
    const { headers } = await openLegacy(app, slug, { headers: { 'x-person': token } });
    const say = legacyMessage('tools/call', { name: 'say', arguments: {} });
    expect((await post(app, `/${slug}/mcp`, say, headers)).body.result).toEqual({ content: [] });
    const jwts = [...sent(), ...upstream.requests.map((request) => request.headers)].map(
      (each) => each['x-user-jwt'],
    );
    expect(new Set(jwts).size).toBe(1);
    const keys = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(String(jwts[0]), keys, { issuer: app.url, audience: upstream.url });
    expect(payload).toMatchObject({ sub: 'ada', groups: ['a', 'b'], workspace_id: app.workspaceId });
    expect(payload.email).toBeUndefined();
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
    expect(JSON.stringify(upstream.requests)).not.toContain(token);
  });

  it('gets the token itself only where it was made for the server', async () => {
    const forwarding = { user_identity_forwarding: { method: 'bearer' } };
    const refused = await app.rest('POST', '/v1/mcp-integrations', {
      key: app.adminKey,
      body: {
        ...{ name: 'x', url: 'https://mcp.example/mcp', auth_type: 'none', transport: 'http' },
        configurations: { ...forwarding, jwt_validation: rules() },
      },
    });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'AB01' } } });
    const claimValues = { aud: { values: 'tools', matchType: 'exact' } };
    const { slug, sent } = await start({ ...forwarding, jwt_validation: rules({ claimValues }) });
    const token = await issuer.sign();
    await call(slug, token);
    await call(slug, await issuer.sign({ aud: 'another' }));
    expect(sent().map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`]);
    expect(JSON.stringify(sent())).not.toContain(app.workspaceKey);
  });

  it('may not be told in a header that the gateway sets itself', async () => {
    const { integrationId } = await start({});
    const user_identity_forwarding = { method: 'claims_header', header_name: 'Mcp-Session-Id' };
    const answer = await app.rest('PUT', `/v1/mcp-integrations/${integrationId}`, {
      key: app.adminKey,
      body: { configurations: { user_identity_forwarding } },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { param: 'configurations.user_identity_forwarding.header_name' } },
    });
  });
});

describe('check 10: a token of the gateway', () => {
  it('is refused at the door once it has expired, within open sessions too', async () => {
    const { slug } = await start({}, {}, 'sessions');
    const made = bodyOf(
      await app.rest('POST', '/v1/api-keys/workspace/service', {
        key: app.adminKey,
        body: { name: 'program', workspace_id: app.workspaceId, scopes: ['mcp.invoke'] },
      }),
    );
    const { body } = await postForm(app, 'token', {
      ...{ grant_type: 'client_credentials', client_id: made.id, client_secret: made.key, scope: 'mcp' },
    });
    const authorization = `Bearer ${body.access_token}`;
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${app.url}/${slug}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify(legacyMessage('tools/list')),
      });
      return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' };
    };
    const opened = await fetch(`${app.url}/${slug}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization },
      body: JSON.stringify(
        legacyMessage('initialize', {
          ...{ protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
        }),
      ),
    });
    const session = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    expect(await ask(session)).toMatchObject({ status: 200 });
    ahead = 3_601_000;
    try {
      for (const headers of [{ authorization }, session]) {
        const { status, challenge } = await ask(headers);
        expect(status).toBe(401);
        expect(challenge).toContain('error="invalid_token"');
        expect(challenge).toContain(`/.well-known/oauth-protected-resource/${slug}/mcp`);
      }
    } finally {
      ahead = 0;
    }
  });
});
