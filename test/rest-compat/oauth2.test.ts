import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { dumpResources } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const encode = (text: string) => Buffer.from(text).toString('base64');
const basic = (id = app.clientId, secret = app.clientSecret) => `Basic ${encode(`${id}:${secret}`)}`;
const goodForm = () => ({ grant_type: 'client_credentials', scope: `tsg_id:${app.tsgId}` });

type Ask = {
  method?: string;
  authorization?: string | null;
  form?: Record<string, string>;
  body?: string;
  headers?: Record<string, string>;
};

async function ask({ method = 'POST', authorization = basic(), form = goodForm(), body, headers }: Ask = {}) {
  const response = await fetch(`${app.url}/oauth2/access_token`, {
    method,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization !== null && { authorization }),
      ...headers,
    },
    ...(method === 'POST' && { body: body ?? new URLSearchParams(form).toString() }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** The error of an answer, which must have the one shape that OAuth clients read. */
async function refusal(options: Ask) {
  const { status, headers, body } = await ask(options);
  expect(body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  return `${status} ${body.error}`;
}

describe('POST /oauth2/access_token', () => {
  it('answers a token for 900 seconds', async () => {
    const { status, headers, body } = await ask();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'Bearer',
        expires_in: 900,
        scope: `tsg_id:${app.tsgId}`,
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/./);
  });

  it('puts tenant and roles into the token', async () => {
    const { body } = await ask();
    expect(decodeProtectedHeader(body.access_token)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: expect.any(String),
    });
    const claims = decodeJwt(body.access_token);
    expect(claims).toEqual({
      iss: app.url,
      sub: app.clientId,
      client_id: app.clientId,
      aud: 'sluice',
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 900,
      jti: expect.any(String),
      tsg_id: app.tsgId,
      access: [{ role: 'superuser', resource: `prn:${app.tsgId}::::` }],
      secret_version: 1,
    });
    const another = decodeJwt((await ask()).body.access_token);
    expect(another.jti).not.toBe(claims.jti);
  });

  it.each<[string, () => Ask]>([
    [
      'a media type with parameters',
      () => ({ headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' } }),
    ],
    ['a scheme in another case', () => ({ authorization: basic().replace('Basic', 'bASIC') })],
    [
      'an id and a secret in percent-encoding',
      () => ({
        authorization: `Basic ${encode(`${percent(app.clientId)}:${percent(app.clientSecret)}`)}`,
      }),
    ],
    ['parameters that nobody knows', () => ({ form: { ...goodForm(), resource: 'x', audience: '' } })],
  ])('takes %s', async (_what, options) => {
    expect((await ask(options())).status).toBe(200);
  });

  const percent = (text: string) =>
    [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

  it.each<[string, string, () => Ask]>([
    ['no credentials', '401 invalid_client', () => ({ authorization: null })],
    ['an access token', '401 invalid_client', () => ({ authorization: 'Bearer eyJ.e.y' })],
    ['credentials that are not Base64', '401 invalid_client', () => ({ authorization: 'Basic a:b' })],
    ['credentials without a colon', '401 invalid_client', () => ({ authorization: `Basic ${encode('x')}` })],
    ['credentials that are not UTF-8', '401 invalid_client', () => ({ authorization: 'Basic /zr/' })],
    ['a broken percent-encoding', '401 invalid_client', () => ({ authorization: basic('%zz') })],
    ['an unknown client', '401 invalid_client', () => ({ authorization: basic('nobody') })],
    ['a client with a NUL in its id', '401 invalid_client', () => ({ authorization: basic('a%00b') })],
    ['a wrong secret', '401 invalid_client', () => ({ authorization: basic(app.clientId, 'sl-wrong') })],
    ['an empty secret', '401 invalid_client', () => ({ authorization: basic(app.clientId, '') })],
    ['a huge secret', '401 invalid_client', () => ({ authorization: basic(app.clientId, 'x'.repeat(9000)) })],
    [
      "a neighbour's secret",
      '401 invalid_client',
      () => ({ authorization: basic(app.clientId, neighbour.clientSecret) }),
    ],
    [
      'a gateway key as secret',
      '401 invalid_client',
      () => ({ authorization: basic(app.clientId, app.adminKey) }),
    ],
    ['no grant type', '400 invalid_request', () => ({ form: { scope: `tsg_id:${app.tsgId}` } })],
    ['an empty grant type', '400 invalid_request', () => ({ form: { ...goodForm(), grant_type: '' } })],
    [
      'another grant type',
      '400 unsupported_grant_type',
      () => ({ form: { ...goodForm(), grant_type: 'password' } }),
    ],
    ['no scope', '400 invalid_scope', () => ({ form: { grant_type: 'client_credentials' } })],
    ['another scope', '400 invalid_scope', () => ({ form: { ...goodForm(), scope: 'openid' } })],
    ['two scopes', '400 invalid_scope', () => ({ form: { ...goodForm(), scope: `tsg_id:${app.tsgId} x` } })],
    ['nine digits', '400 invalid_scope', () => ({ form: { ...goodForm(), scope: 'tsg_id:123456789' } })],
    [
      'a tenant that is not there',
      '400 invalid_scope',
      () => ({ form: { ...goodForm(), scope: 'tsg_id:1000000000' } }),
    ],
    [
      'a tenant out of reach',
      '400 invalid_scope',
      () => ({ form: { ...goodForm(), scope: `tsg_id:${neighbour.tsgId}` } }),
    ],
    [
      'a parameter that comes twice',
      '400 invalid_request',
      () => ({ body: `${new URLSearchParams(goodForm())}&scope=x` }),
    ],
    [
      'the secret in the body',
      '400 invalid_request',
      () => ({ form: { ...goodForm(), client_secret: 'x' } }),
    ],
    ['an empty body', '400 invalid_request', () => ({ body: '' })],
    ['JSON', '415 invalid_request', () => ({ headers: { 'content-type': 'application/json' }, body: '{}' })],
    ['a compressed body', '415 invalid_request', () => ({ headers: { 'content-encoding': 'gzip' } })],
    ['a body that is too large', '413 invalid_request', () => ({ body: `grant_type=${'x'.repeat(20_000)}` })],
  ])('refuses %s: %s', async (_what, expected, options) => {
    const before = await dumpResources(app);
    expect(await refusal(options())).toBe(expected);
    expect(await dumpResources(app)).toBe(before);
  });

  it('asks for basic authentication where that is missing or wrong', async () => {
    for (const authorization of [null, basic('nobody'), basic(app.clientId, 'wrong')]) {
      const { headers } = await ask({ authorization });
      expect(headers.get('www-authenticate')).toBe('Basic realm="sluice", charset="UTF-8"');
    }
  });

  it('tells no difference between an unknown client and a wrong secret, nor between unknown tenants and those out of reach', async () => {
    const bodyOf = async (options: Ask) => (await ask(options)).body;
    expect(await bodyOf({ authorization: basic('nobody') })).toEqual(
      await bodyOf({ authorization: basic(app.clientId, 'wrong') }),
    );
    expect(await bodyOf({ form: { ...goodForm(), scope: 'tsg_id:1000000000' } })).toEqual(
      await bodyOf({ form: { ...goodForm(), scope: `tsg_id:${neighbour.tsgId}` } }),
    );
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('does not take %s', async (method) => {
    const { status, headers } = await ask({ method });
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it('ends the connection of a body that it does not read to its end', async () => {
    const { port } = new URL(app.url);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(
          `POST /oauth2/access_token HTTP/1.1\r\nhost: x\r\nauthorization: ${basic()}\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\na`,
        ),
      );
      socket.on('data', (data) => {
        text += data;
      });
      socket.once('end', () => resolve(text));
      socket.once('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 415 [\s\S]*connection: close/i);
  });
});

describe('an OAuth client', () => {
  const discover = (secret = app.clientSecret) =>
    openid.discovery(new URL(app.url), app.clientId, undefined, openid.ClientSecretBasic(secret), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it('finds the endpoint and gets a token that opens the administration', async () => {
    const client = await discover();
    const answer = await openid.clientCredentialsGrant(client, { scope: `tsg_id:${app.tsgId}` });
    expect(answer).toMatchObject({ token_type: 'bearer', expires_in: 900 });
    const headers = { authorization: `Bearer ${answer.access_token}` };
    expect((await app.rest('GET', '/v2/configs', { key: null, headers })).status).toBe(200);
  });

  it('understands a refusal', async () => {
    const wrongSecret = openid.clientCredentialsGrant(await discover('wrong'), {
      scope: `tsg_id:${app.tsgId}`,
    });
    // It reads the challenge of a 401 rather than the body.
    await expect(wrongSecret).rejects.toMatchObject({ code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' });
    const wrongTenant = openid.clientCredentialsGrant(await discover(), { scope: 'tsg_id:1000000000' });
    await expect(wrongTenant).rejects.toMatchObject({ error: 'invalid_scope', status: 400 });
  });

  it('can check the token by itself', async () => {
    const token = await app.token();
    for (const path of ['/oauth2/jwks', '/.well-known/jwks.json']) {
      const keys = createRemoteJWKSet(new URL(app.url + path));
      const { payload } = await jwtVerify(token, keys, {
        issuer: app.url,
        audience: 'sluice',
        typ: 'at+jwt',
      });
      expect(payload.tsg_id).toBe(app.tsgId);
    }
  });
});

const metadataAt = (host: string) =>
  new Promise<{ status?: number; body: string }>((resolve, reject) => {
    const url = `${app.url}/.well-known/oauth-authorization-server`;
    const request = httpRequest(url, { headers: { host } }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, body: text });
    });
    request.once('error', reject);
    request.end();
  });

describe('the published keys and metadata', () => {
  const get = (path: string, init?: RequestInit) => fetch(app.url + path, init);

  it('have no private part, and may be kept for a minute', async () => {
    const answer = await get('/oauth2/jwks');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    const { keys } = (await answer.json()) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
  });

  it('name the address at which the request came in', async () => {
    const answer = await get('/.well-known/oauth-authorization-server');
    expect(await answer.json()).toMatchObject({
      issuer: app.url,
      token_endpoint: `${app.url}/oauth/token`,
      jwks_uri: `${app.url}/oauth2/jwks`,
      grant_types_supported: expect.arrayContaining(['client_credentials']),
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_basic']),
    });
  });

  it.each([
    ...['a.b"c', 'a.b/c', 'a@b', 'a b', '<b>', 'a..b\\', 'localhost:99999999', 'localhost@evil.example'],
    ...['evil.example', 'evil.example:80', '10.1.2.3', 'localhost.evil.example', '127.0.0.1.evil.example'],
  ])('do not repeat the Host header %s', async (host) => {
    const { status, body } = await metadataAt(host);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      issuer: app.url,
      token_endpoint: `${app.url}/oauth/token`,
    });
  });

  it.each(['localhost:9000', 'LOCALHOST', '127.0.0.2:80', '[::1]:9000'])(
    'name the loopback address %s as the caller knows it, since a container may publish another port',
    async (host) => {
      expect(JSON.parse((await metadataAt(host)).body)).toMatchObject({ issuer: `http://${host}` });
    },
  );

  it('answer HEAD and OPTIONS, and take no other method', async () => {
    const head = await get('/oauth2/jwks', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const options = await get('/oauth2/jwks', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await get('/oauth2/jwks', { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('paths below that nobody knows', () => {
  it.each([
    '/oauth2/none',
    '/.well-known/openid-configuration',
    '/v2/none',
    '/admin/v2/none',
    '/iam/v1/none',
  ])('%s answers 404 in the form of the administration', async (path) => {
    const { status, body } = await app.rest('GET', path, { key: null });
    expect({ status, body }).toEqual({
      status: 404,
      body: {
        error: { message: 'There is no such path.', type: 'not_found_error', param: null, code: 'AB08' },
      },
    });
  });
});

describe('PUBLIC_URL', () => {
  it('is the issuer, whatever Host says', async () => {
    const other = await startApp({ PUBLIC_URL: 'https://ai.example.com/' });
    try {
      const answer = await fetch(`${other.url}/.well-known/oauth-authorization-server`);
      expect(await answer.json()).toMatchObject({
        issuer: 'https://ai.example.com',
        token_endpoint: 'https://ai.example.com/oauth/token',
      });
      expect(decodeJwt(await other.token()).iss).toBe('https://ai.example.com');
    } finally {
      await other.stop();
    }
  });
});
