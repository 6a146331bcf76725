import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload } from 'jose';
import { uuid } from '../../../src/lib/ids.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const organisationId = uuid();
const audience = 'sluice';
const url = 'https://id.example.com';

let app: TestApp;
let tenant: Tenant;
let issuer: TestIssuer;
/** Speaks for the neighbour. */
let otherIssuer: TestIssuer;
let rotating: TestIssuer;
let unreachable: TestIssuer;
let all: TestIssuer[];

beforeAll(async () => {
  const good = { aud: audience, scope: 'gateway.completions.write', sub: 'user-1' };
  const names = [url, `${url}/other`, `${url}/rotating`, `${url}/unreachable`];
  all = await Promise.all(names.map((name) => startIssuer(name, good)));
  [issuer, otherIssuer, rotating, unreachable] = all as [TestIssuer, TestIssuer, TestIssuer, TestIssuer];
  unreachable.answer = { status: 500, body: 'secret of the issuer' };
  const neighbour = uuid();
  const settings = all.map(({ name, jwksUrl }) => ({
    issuer: name,
    jwks_url: jwksUrl,
    organisation_id: name === otherIssuer.name ? neighbour : organisationId,
    audience,
  }));
  app = await startApp({ JWT_ISSUERS: JSON.stringify(settings) });
  tenant = await app.createTenant(organisationId);
  await app.createTenant(neighbour);
});
afterEach(() => {
  issuer.answer = null;
});
afterAll(async () => {
  await app.stop();
  await Promise.all(all.map((one) => one.stop()));
});

const messages = [{ role: 'user', content: 'hello there' }];
const inWorkspace = (claims: JWTPayload = {}) => ({ workspace_slug: tenant.workspaceId, ...claims });
const tokenWith = (claims?: JWTPayload, header?: Record<string, unknown>) =>
  issuer.sign(inWorkspace(claims), header);

const chat = (token: string, { headers = {}, body = {} }: { headers?: object; body?: object } = {}) =>
  app.rest('POST', '/v1/chat/completions', {
    key: token,
    headers: { ...headers },
    body: { model: '@mock/mock-1', messages, ...body },
  });

const statusOf = async (token: string) => (await chat(token)).status;

/** The log of the request with this trace. */
async function logOf(trace: string) {
  await app.logged();
  return app.db.collection('logs').findOne({ traceId: trace });
}

describe('a JWT of a configured issuer', () => {
  test('lets its caller chat, whichever header it is in', async () => {
    const token = await tokenWith();
    const own = await chat(token);
    expect([own.status, (own.body as any).choices[0].message.content]).toEqual([200, 'hello there']);
    const bearer = await app.rest('POST', '/v1/chat/completions', {
      key: null,
      headers: { authorization: `Bearer ${token}` },
      body: { model: '@mock/mock-1', messages },
    });
    expect(bearer.status).toBe(200);
  });

  test('makes no key in the name of whom its subject claims to be', async () => {
    const token = await tokenWith({
      sub: uuid(),
      scope: 'workspace_user_api_keys.create workspace_user_api_keys.read logs.list',
    });
    const body = { name: 'of a JWT', scopes: ['logs.list'] };
    const created = await app.rest('POST', '/v1/api-keys/workspace/user', { key: token, body });
    const { id } = created.body as { id: string };
    const shown = await app.rest('GET', `/v1/api-keys/${id}`, { key: token });
    expect(shown).toMatchObject({ status: 200, body: { id, user_id: null } });
  });

  test('lets its caller stream', async () => {
    const { status, body } = await chat(await tokenWith(), { body: { stream: true } });
    expect([status, body]).toEqual([200, expect.stringMatching(/"content":"there"[\s\S]*data: \[DONE\]/)]);
  });

  test.each([
    ['gateway_workspace', () => ({ workspace_slug: undefined, gateway_workspace: tenant.workspaceId })],
    ['its organisation as organisation_id', () => ({ organisation_id: organisationId })],
    ['its organisation as gateway_oid', () => ({ gateway_oid: organisationId })],
    ['scopes as a list', () => ({ scope: undefined, scopes: ['gateway.completions.write'] })],
    ['scopes without a prefix', () => ({ scope: 'models.list completions.write' })],
    ['several audiences', () => ({ aud: ['other', audience] })],
    ['limits that are empty', () => ({ usage_limits: {}, rate_limits: null })],
  ])('may name %s', async (_what, claims) => {
    expect(await statusOf(await tokenWith(claims()))).toBe(200);
  });

  test('is held to a rate that it claims, also when another token claims the same', async () => {
    const claims = { sub: uuid(), rate_limits: [{ type: 'requests', unit: 'rpw', value: 2 }] };
    const [one, other] = [await tokenWith(claims), await tokenWith({ ...claims, uid: 'other' })];
    expect([await statusOf(one), await statusOf(other), await statusOf(one)]).toEqual([200, 200, 429]);
    expect(await statusOf(await tokenWith({ ...claims, sub: uuid() }))).toBe(200);
  });

  test('is held to a budget that it claims', async () => {
    const answer = await chat(await tokenWith({ usage_limits: { type: 'tokens', credit_limit: 0 } }));
    expect([answer.status, (answer.body as any).limit.level]).toEqual([412, 'token']);
  });

  test('names its workspace by slug as well', async () => {
    const workspaces = app.db.collection<{ _id: string; slug: string }>('workspaces');
    const workspace = await workspaces.findOne({ _id: tenant.workspaceId });
    expect(await statusOf(await tokenWith({ workspace_slug: workspace?.slug }))).toBe(200);
  });

  test.each([
    ['email_id', { email_id: 'ada@example.com', sub: 's', uid: 'u' }, 'ada@example.com'],
    ['sub', { sub: 's', uid: 'u' }, 's'],
    ['uid', { sub: undefined, uid: 'u' }, 'u'],
  ])('is logged with its user: %s', async (_claim, claims, user) => {
    const trace = uuid();
    await chat(await tokenWith(claims), { headers: { 'x-gateway-trace-id': trace } });
    expect(await logOf(trace)).toMatchObject({
      organisationId,
      workspaceId: tenant.workspaceId,
      userId: user,
      metadata: { _user: user },
    });
  });

  test('brings metadata, under that of its workspace and over that of the request', async () => {
    const { id } = (
      await app.rest('POST', '/v1/admin/workspaces', {
        key: tenant.adminKey,
        body: { name: 'Labelled', defaults: { metadata: { place: 'workspace' } } },
      })
    ).body as { id: string };
    const trace = uuid();
    const metadata = { place: 'token', team: 'token' };
    await chat(await tokenWith({ workspace_slug: id, defaults: { metadata } }), {
      headers: {
        'x-gateway-trace-id': trace,
        'x-gateway-metadata': JSON.stringify({ place: 'request', team: 'request', call: 'request' }),
        'x-gateway-provider': 'mock',
      },
      body: { model: 'mock-1' },
    });
    expect((await logOf(trace))?.metadata).toEqual({
      place: 'workspace',
      team: 'token',
      call: 'request',
      _user: 'user-1',
    });
  });

  test('brings a config, which it may forbid to replace', async () => {
    const config = { provider: '@mock', override_params: { model: 'mock-1' } };
    const made = await app.rest('POST', '/v1/configs', {
      key: tenant.workspaceKey,
      body: { name: 'Of the token', config },
    });
    const { id } = (made.body as { data: { id: string } }).data;
    const { slug } = ((await app.rest('GET', `/v1/configs/${id}`, { key: tenant.workspaceKey })).body as any)
      .data;
    const free = await tokenWith({ defaults: { config_id: slug } });
    const trace = uuid();
    const headers = { 'x-gateway-trace-id': trace };
    expect((await chat(free, { headers, body: { model: 'none' } })).status).toBe(200);
    expect((await logOf(trace))?.configSlug).toBe(slug);
    const fixed = await tokenWith({ defaults: { config_id: slug, allow_config_override: false } });
    const elsewhere = await tokenWith({ defaults: { config_id: 'pc-of-somebody-else' } });
    expect((await chat(elsewhere)).status).toBe(200);
    const replaced = { headers: { 'x-gateway-config': JSON.stringify(config) } };
    expect((await chat(free, replaced)).status).toBe(200);
    expect(await chat(fixed, replaced)).toMatchObject({
      status: 400,
      body: { error: { code: 'config_override_forbidden' } },
    });
  });
});

type Broken = [string, () => Promise<string>, RegExp];

/** A whole token with a signature of our own making, for what the library refuses to sign. */
function handmade(header: object, claims: JWTPayload, signature: (input: string) => Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 600;
  const input = `${part(header)}.${part({ iss: url, aud: audience, exp, scope: 'completions.write', ...claims })}`;
  return `${input}.${signature(input).toString('base64url')}`;
}

const in600 = () => Math.floor(Date.now() / 1000) + 600;
const strange = /not valid|not known|RS256|does not publish|no kid/;

describe('a JWT is refused as no credential', () => {
  const broken: Broken[] = [
    ['of another type', () => tokenWith({}, { typ: 'secevent+jwt' }), strange],
    ['without a type', () => tokenWith({}, { typ: undefined }), strange],
    ['that says it is an access token', () => tokenWith({}, { typ: 'at+jwt' }), strange],
    ['without a kid', () => tokenWith({}, { kid: undefined }), /no kid/],
    ['with a kid that is not published', () => tokenWith({}, { kid: 'key-99' }), /does not publish/],
    ['with a path as kid', () => tokenWith({}, { kid: '../../../../dev/null' }), /does not publish/],
    ['with the kid of a member of objects', () => tokenWith({}, { kid: '__proto__' }), /does not publish/],
    ['without an expiry', () => tokenWith({ exp: undefined }), /claim exp/],
    ['with an expiry that is no number', () => tokenWith({ exp: 'never' as never }), /claim exp/],
    ['that has expired', () => tokenWith({ exp: in600() - 700 }), /expired/],
    ['of the future', () => tokenWith({ nbf: in600() }), /claim nbf/],
    ['without an issuer', () => tokenWith({ iss: undefined }), /issuer/],
    ['of an issuer that nobody configured', () => tokenWith({ iss: `${url}/` }), /issuer/],
    ['for somebody else', () => tokenWith({ aud: 'other' }), /claim aud/],
    ['for nobody', () => tokenWith({ aud: undefined }), /claim aud/],
    ['signed by another issuer', () => otherIssuer.sign(inWorkspace({ iss: url })), strange],
    [
      'with other claims than were signed',
      async () => {
        const [header, , signature] = (await tokenWith()).split('.');
        const [, claims] = (await tokenWith({ sub: 'somebody-else' })).split('.');
        return `${header}.${claims}.${signature}`;
      },
      strange,
    ],
    ['without a signature', async () => `${(await tokenWith()).replace(/[^.]+$/, '')}`, strange],
    [
      'that needs none',
      async () => handmade({ alg: 'none', typ: 'JWT', kid: 'key-1' }, inWorkspace(), () => Buffer.alloc(0)),
      strange,
    ],
    [
      'signed with no algorithm over a signature',
      async () => handmade({ alg: 'none', typ: 'JWT', kid: 'key-1' }, inWorkspace(), () => Buffer.alloc(256)),
      strange,
    ],
    [
      'signed with the public key as a shared secret',
      async () => {
        const pem = createPublicKey({ key: { ...issuer.publicKey() }, format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        });
        return handmade({ alg: 'HS256', typ: 'JWT', kid: 'key-1' }, inWorkspace(), (input) =>
          createHmac('sha256', pem).update(input).digest(),
        );
      },
      strange,
    ],
    [
      'signed with ES256',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
        issuer.publish({ ...(await exportJWK(publicKey)), kid: 'elliptic' });
        return issuer.sign(inWorkspace(), { alg: 'ES256', kid: 'elliptic' }, privateKey);
      },
      strange,
    ],
    [
      'signed with RS512',
      async () => {
        const { privateKey } = await generateKeyPair('RS512');
        return issuer.sign(inWorkspace(), { alg: 'RS512' }, privateKey);
      },
      strange,
    ],
    [
      'that brings its own key',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
        const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1' };
        return issuer.sign(inWorkspace(), { jwk }, privateKey);
      },
      strange,
    ],
    ['that is longer than a token may be', () => tokenWith({ padding: 'x'.repeat(9000) }), strange],
    ['that is no token', async () => 'eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl', strange],
    [
      'whose claims are no JSON',
      async () =>
        handmade({ alg: 'RS256', typ: 'JWT', kid: 'key-1' }, {}, () => Buffer.alloc(256)).replace(
          /\.[^.]+\./,
          '.eyJ7.',
        ),
      strange,
    ],
  ];

  test.each(broken)('%s', async (_what, make, message) => {
    const answer = await chat(await make());
    expect([answer.status, (answer.body as any).error]).toEqual([
      401,
      {
        message: expect.stringMatching(message),
        type: 'authentication_error',
        param: null,
        code: 'invalid_api_key',
      },
    ]);
  });

  test('and the addresses in its header are never asked', async () => {
    const attacker = await startIssuer('attacker');
    try {
      const header = { jku: attacker.jwksUrl, x5u: attacker.jwksUrl, kid: 'key-1' };
      const token = await attacker.sign(inWorkspace({ iss: url, aud: audience }), header);
      expect(await statusOf(token)).toBe(401);
      expect(attacker.requests).toBe(0);
    } finally {
      await attacker.stop();
    }
  });

  test('signed with a key of 1024 bits, though its issuer publishes it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    otherIssuer.publish({ ...(publicKey.export({ format: 'jwk' }) as object), kty: 'RSA', kid: 'short' });
    const header = { alg: 'RS256', typ: 'JWT', kid: 'short' };
    const token = handmade(header, { ...inWorkspace(), iss: otherIssuer.name }, (input) =>
      signBytes('sha256', Buffer.from(input), privateKey),
    );
    expect(await statusOf(token)).toBe(401);
  });
});

describe('a genuine JWT is forbidden', () => {
  const forbidden: [string, () => JWTPayload, RegExp][] = [
    ['that names another organisation', () => ({ organisation_id: app.organisationId }), /organisation/],
    ['that names another one as gateway_oid', () => ({ gateway_oid: app.organisationId }), /organisation/],
    [
      'that names two',
      () => ({ organisation_id: organisationId, gateway_oid: app.organisationId }),
      /organisation/,
    ],
    ['without a workspace', () => ({ workspace_slug: undefined }), /workspace_slug/],
    ['of an unknown workspace', () => ({ workspace_slug: 'nowhere' }), /workspace/],
    ["of a neighbour's workspace", () => ({ workspace_slug: app.workspaceId }), /workspace/],
    ['without a scope', () => ({ scope: undefined }), /completions\.write/],
    ['with another scope', () => ({ scope: 'logs.list' }), /completions\.write/],
    ['with a claim of another shape', () => ({ workspace_slug: ['a'] }), /workspace_slug/],
    ['with defaults of another shape', () => ({ defaults: { metadata: 'a' } }), /defaults\.metadata/],
    [
      'with a usage limit of nothing known',
      () => ({ usage_limits: { credit_limit: 'much' } }),
      /usage_limits/,
    ],
    [
      'with two periods of a usage limit',
      () => ({ usage_limits: { credit_limit: 1, periodic_reset: 'weekly', periodic_reset_days: 3 } }),
      /usage_limits/,
    ],
    [
      'with a rate limit in an unknown unit',
      () => ({ rate_limits: [{ type: 'requests', unit: 'rpc', value: 1 }] }),
      /rate_limits/,
    ],
  ];

  test.each(forbidden)('%s', async (_what, claims, message) => {
    const answer = await chat(await tokenWith(claims()));
    expect([answer.status, (answer.body as any).error]).toMatchObject([
      403,
      { message: expect.stringMatching(message), type: 'permission_error', code: 'forbidden' },
    ]);
  });

  test('of an archived workspace, also when it was good before, and its subscriptions end', async () => {
    const made = await app.rest('POST', '/v1/admin/workspaces', {
      key: tenant.adminKey,
      body: { name: 'Short-lived' },
    });
    const { id } = made.body as { id: string };
    const token = await tokenWith({ workspace_slug: id, scope: 'configs.list logs.list' });
    const list = () => app.rest('GET', '/v1/configs', { key: token });
    expect((await list()).status).toBe(200);
    const stream = await fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': token, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'subscription { logAdded { id } }' }),
    });
    expect(stream.status).toBe(200);
    const deletion = { key: tenant.adminKey };
    expect((await app.rest('DELETE', `/v1/admin/workspaces/${id}`, deletion)).status).toBe(200);
    expect((await list()).status).toBe(403);
    expect(await stream.text()).toContain('FORBIDDEN');
  });

  test("of the neighbour's issuer, for our workspace", async () => {
    expect(await statusOf(await otherIssuer.sign(inWorkspace()))).toBe(403);
  });
});

describe('the keys of an issuer', () => {
  test('are fetched at the start, and again for a new one', async () => {
    expect(await statusOf(await rotating.sign(inWorkspace()))).toBe(200);
    expect(rotating.requests).toBe(1);
    await rotating.rotate();
    expect(await statusOf(await rotating.sign(inWorkspace()))).toBe(200);
    expect(rotating.requests).toBe(2);
  });

  test('serve on while it is down', async () => {
    issuer.answer = { status: 503, body: '' };
    expect(await statusOf(await tokenWith({ sub: 'first seen now' }))).toBe(200);
  });

  test('that never came make its tokens wait, and say nothing about it', async () => {
    const answer = await chat(await unreachable.sign(inWorkspace()));
    expect(answer.headers.get('retry-after')).toBe('5');
    expect([answer.status, (answer.body as any).error]).toEqual([
      503,
      {
        message: "The keys of the token's issuer cannot be fetched.",
        type: 'api_error',
        param: null,
        code: 'issuer_unavailable',
      },
    ]);
  });
});

describe('administration', () => {
  test('takes a JWT like a workspace key, with the scopes it claims', async () => {
    const token = await tokenWith({ scope: 'configs.list' });
    expect((await app.rest('GET', '/v1/configs', { key: token })).status).toBe(200);
    expect((await app.rest('GET', '/v1/providers', { key: token })).status).toBe(403);
    const { data } = await app.graphql('{ configs { data { id } } }', {}, token);
    expect(data.configs.data).toEqual(expect.any(Array));
  });

  test('grants no scope that a workspace key could not hold', async () => {
    const scope = 'organisation_users.list workspaces.create iam.tenant';
    const token = await tokenWith({ scope });
    const answer = await app.rest('POST', '/v1/admin/workspaces', { key: token, body: { name: 'Mine' } });
    expect(answer.status).toBe(403);
  });

  test.each(['/v2/configs', '/admin/v2/integrations', '/iam/v1/access_policies'])(
    'does not take one at %s',
    async (path) => {
      const token = await tokenWith({ scope: 'configs.list organisation_integrations.list' });
      const answer = await app.rest('GET', path, {
        key: null,
        headers: { authorization: `Bearer ${token}` },
      });
      expect([answer.status, (answer.body as any).error.code]).toEqual([401, 'AB05']);
    },
  );
});
