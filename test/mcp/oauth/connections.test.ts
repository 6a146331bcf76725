import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../rest-compat/support.ts';
import { auditRows, dump } from '../../subgraphs/support.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { type McpIssuer, startMcpIssuer } from '../../support/mcp-issuer.ts';
import { legacyMessage, post as postMessage } from '../../support/mcp-wire.ts';
import {
  authorizePath,
  type Browser,
  browser,
  clientOf,
  mcpServer,
  pkce,
  post,
  REDIRECT,
  signedIn,
  userWithKey,
} from './support.ts';

type Json = Record<string, any>;

let issuer: McpIssuer;
let app: TestApp;
/** Another process of the same installation. */
let other: TestApp;
/** Of one who has connected as ada, and one as bob. */
let ada: { userId: string; key: string; keyId: string };
let bob: { userId: string; key: string; keyId: string };
/** Where the clock of `app` stands still, in milliseconds since the epoch; null while it goes. */
let stands: number | null = null;

beforeAll(async () => {
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  issuer = await startMcpIssuer();
  const env = { ENCRYPTION_KEY, TRUSTED_HOSTS: '127.0.0.1' };
  app = await startApp(env, undefined, () => new Date(stands ?? Date.now()));
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
  [ada, bob] = [await userWithKey(app), await userWithKey(app)];
  await mcpServer(app, 'personal', { url: issuer.url, auth_type: 'oauth_auto' });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await issuer.stop();
});
beforeEach(() => {
  Object.assign(issuer, { user: 'ada', seconds: 3600, lie: {}, delay: 0, needs: null, ttlMs: undefined });
});

const call = (
  key: string,
  { at = app, slug = 'personal', message = {} as Json, headers = {} } = {},
): Promise<Answer> =>
  at.rest('POST', `/${slug}/mcp`, {
    key,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'whoami', arguments: {} },
      ...message,
    },
    headers: {
      // An answer that takes long is no stream for whoever takes none.
      ...{ accept: 'application/json', 'mcp-protocol-version': '2025-11-25' },
      ...headers,
    },
  });

const whoami = async (key: string, given = {}) => {
  const { body } = (await call(key, given)) as { body: Json };
  return body.result?.content[0].text ?? body.error;
};

/** The address with which a call says where to sign in. */
async function linkFor(key: string, slug = 'personal'): Promise<string> {
  const { body } = (await call(key, { slug })) as { body: Json };
  expect(body.error).toMatchObject({ code: -31401, data: { type: 'oauth_required' } });
  return body.error.data.authorization_url;
}

/** Follows an issuer's answer back to the gateway. */
async function followed(at: Browser, location: URL | null) {
  const response = await fetch(location ?? '', { redirect: 'manual' });
  return at.visit(response.headers.get('location') ?? '');
}

async function connect(key: string, as: string | null, slug = 'personal') {
  const at = browser(app);
  const page = await signedIn(at, await linkFor(key, slug), key);
  expect(page.text).toContain(`Connect to ${slug}?`);
  issuer.user = as;
  const sent = await at.press(page, 'connect');
  expect(sent).toMatchObject({ status: 303 });
  expect(sent.location?.origin).toBe(issuer.origin);
  return { at, sent, back: await followed(at, sent.location) };
}

const untilRead = (key: string, name: string) => eventually(async () => expect(await whoami(key)).toBe(name));

describe('check 11: each user signs in', () => {
  it('where nobody has, a test says that this is sound, and a service key that it needs a user', async () => {
    const tried = bodyOf(await app.rest('POST', '/v1/mcp-servers/personal/test', { key: app.adminKey }));
    expect(tried).toMatchObject({ success: true, status_code: 401, error: 'sign-in required' });
    expect(await whoami(app.workspaceKey)).toMatchObject({ code: -31401, data: { type: 'user_required' } });
    const initialize = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };
    expect((await call(ada.key, { message: initialize })).body).toMatchObject({
      error: { code: -31401, data: { type: 'oauth_required' } },
    });
  });

  it('and sees what is theirs', async () => {
    const { back } = await connect(ada.key, 'ada');
    expect(back).toMatchObject({ status: 200, text: expect.stringContaining('You are connected') });
    await untilRead(ada.key, 'ada');
    await connect(bob.key, 'bob');
    await untilRead(bob.key, 'bob');
    expect([await whoami(ada.key, { at: other }), await whoami(bob.key, { at: other })]).toEqual([
      'ada',
      'bob',
    ]);
    const first = issuer.grants.find((grant) => grant.get('grant_type') === 'authorization_code');
    expect(first?.get('resource')).toBe(issuer.url);
    // One registration serves both.
    expect(issuer.registrations).toEqual([
      expect.objectContaining({
        redirect_uris: [`${app.url}/oauth/upstream-callback`],
        application_type: 'web',
      }),
    ]);
    const stored = await dump(app);
    for (const secret of [...issuer.tokens.keys(), ...issuer.refreshTokens.keys()])
      expect(stored).not.toContain(secret);
    const rows = await auditRows(app, { resourceType: 'mcp_connection', action: 'create' });
    expect(rows.map(({ userId }) => userId)).toEqual([ada.userId, bob.userId]);
  });

  it('and is listed nothing that others have, whoever was read last', async () => {
    const listed = async (key: string, { method = 'resources/list', slug = 'personal', at = app } = {}) => {
      const headers = { 'x-gateway-api-key': key, accept: 'application/json, text/event-stream' };
      const [path, message] = [slug === '' ? '/mcp' : `/${slug}/mcp`, legacyMessage(method)];
      const { body } = await postMessage(at, path, message, headers);
      const { resources, tools } = body.result;
      return (resources ?? tools).map(({ uri, name }: Json) => uri ?? name);
    };
    const known = async () => {
      const rows = await app.db.collection('mcp_capabilities').find({ type: 'resource' }).toArray();
      return new Set(rows.map(({ key }) => key));
    };
    await eventually(async () => expect(await known()).toEqual(new Set(['files://ada', 'files://bob'])));
    const stranger = await userWithKey(app);
    for (const at of [app, other])
      await eventually(async () => {
        expect(await listed(ada.key, { at })).toEqual(['files://ada']);
        expect(await listed(bob.key, { at })).toEqual(['files://bob']);
      });
    expect(await listed(ada.key, { slug: '' })).toEqual(['files://ada']);
    for (const key of [stranger.key, app.workspaceKey]) {
      expect(await listed(key)).toEqual([]);
      expect(await listed(key, { slug: '' })).toEqual([]);
      expect(await listed(key, { method: 'tools/list' })).toEqual(['whoami']);
    }
    // What a list says is kept for a while, for one user.
    const asked = issuer.asked.length;
    await Promise.all(Array.from({ length: 10 }, () => listed(ada.key)));
    expect(issuer.asked.slice(asked).filter((each) => each === 'resources/list ada')).toEqual([]);
  });

  it('until one is revoked, which leaves the other', async () => {
    const [token] = [...issuer.refreshTokens].find(([, user]) => user === 'bob') ?? [];
    const path = `/v1/mcp-servers/personal/connections?user_id=${bob.userId}`;
    const revoked = await app.rest('DELETE', path, { key: app.adminKey });
    expect(revoked.status).toBe(200);
    expect(issuer.revoked).toContain(token);
    await linkFor(bob.key);
    await eventually(async () =>
      expect(await whoami(bob.key, { at: other })).toMatchObject({ code: -31401 }),
    );
    expect(await whoami(ada.key)).toBe('ada');
    await connect(bob.key, 'bob');
    await untilRead(bob.key, 'bob');
  });
});

describe('what a list says to a user', () => {
  let cyd: typeof ada;
  beforeAll(async () => {
    cyd = await userWithKey(app);
    await connect(cyd.key, 'cyd');
    // The catalogue is read with the token of whoever has connected last, and asks for others' lists no more.
    const dee = await userWithKey(app);
    await connect(dee.key, 'dee');
    await eventually(async () => {
      const { body } = await call(dee.key, { message: { method: 'resources/list', params: {} } });
      expect((body as Json).result.resources).toMatchObject([{ uri: 'files://dee' }]);
    });
  });
  afterAll(() => {
    stands = null;
  });

  /** How often the server is asked for the resources of one user by a list. */
  async function askedBy(): Promise<number> {
    const before = issuer.asked.length;
    await call(cyd.key, { message: { method: 'resources/list', params: {} } });
    return issuer.asked.slice(before).filter((each) => each === 'resources/list cyd').length;
  }

  it.each<[unknown, number]>([
    [undefined, 60],
    [0, 1],
    [20_000, 20],
    [900_000, 300],
    ['soon', 60],
    [-1, 60],
  ])('is kept, where the server says %s, for %i s', async (ttlMs, seconds) => {
    issuer.ttlMs = ttlMs;
    const began = (stands ?? Date.now()) + 300_000;
    stands = began;
    expect(await askedBy()).toBe(1);
    stands = began + seconds * 1000 - 1;
    expect(await askedBy()).toBe(0);
    stands = began + seconds * 1000;
    expect(await askedBy()).toBe(1);
  });
});

describe('check 12: a token that is over', () => {
  it('is refreshed once, however many calls over two processes need it', async () => {
    const before = issuer.grants.length;
    // The server takes none of its tokens any more.
    for (const [token, user] of issuer.tokens) if (user === 'ada') issuer.tokens.delete(token);
    issuer.delay = 100;
    const calls = Array.from({ length: 50 }, (_, at) => whoami(ada.key, { at: at % 2 ? other : app }));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, () => 'ada'));
    expect(issuer.grants.slice(before).map((grant) => grant.get('grant_type'))).toEqual(['refresh_token']);
    expect(await whoami(bob.key)).toBe('bob');
  });

  it('is refreshed once before it ends by itself, too', async () => {
    issuer.seconds = 30;
    for (const [token, user] of issuer.tokens) if (user === 'ada') issuer.tokens.delete(token);
    await whoami(ada.key);
    issuer.seconds = 3600;
    const before = issuer.grants.length;
    const calls = Array.from({ length: 50 }, (_, at) => whoami(ada.key, { at: at % 2 ? other : app }));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, () => 'ada'));
    expect(issuer.grants.length - before).toBe(1);
    // The log says which calls had to wait for it.
    await app.logged();
    expect(await whoami(ada.key)).toBe('ada');
    const waited = async () => {
      await app.logged();
      const rows = await app.db
        .collection('logs')
        .find({ userId: ada.userId })
        .sort({ createdAt: 1 })
        .toArray();
      return rows.map(({ mcp }) => JSON.parse(String(mcp)).tokenRefreshed as boolean);
    };
    await eventually(async () => expect((await waited()).at(-1)).toBe(false));
    expect(await waited()).toContain(true);
  });

  it('stays with its refresh token while the issuer is in trouble, and goes when it takes that no more', async () => {
    for (const [token, user] of issuer.tokens) if (user === 'ada') issuer.tokens.delete(token);
    issuer.lie = { refresh: { status: 503, body: {} } };
    expect(await whoami(ada.key)).toMatchObject({ code: -31502 });
    issuer.lie = {};
    expect(await whoami(ada.key)).toBe('ada');
    for (const [token, user] of issuer.tokens) if (user === 'ada') issuer.tokens.delete(token);
    issuer.lie = { refresh: { status: 400, body: { error: 'invalid_grant' } } };
    await linkFor(ada.key);
    expect(await whoami(bob.key)).toBe('bob');
    issuer.lie = {};
    await connect(ada.key, 'ada');
    await untilRead(ada.key, 'ada');
  });
});

describe('a server that wants more than a person has allowed', () => {
  const refusal = { code: -31502, data: { server: 'personal', maybe_executed: false } };

  it('has them asked for all of it, and is used with what they allow then', async () => {
    expect(await whoami(ada.key)).toBe('ada');
    for (const [needs, asked] of [
      ['notes:write', 'notes:write'],
      ['notes:share', 'notes:write notes:share'],
    ] as const) {
      issuer.needs = needs;
      const { error } = ((await call(ada.key)) as { body: Json }).body;
      expect(error.message).toMatch(/^The MCP server personal wants more than you have allowed: sign in/);
      await connect(ada.key, 'ada');
      expect(issuer.scopes.at(-1)).toBe(asked);
      expect(await whoami(ada.key)).toBe('ada');
    }
  });

  it('is not asked for again what the person was asked for before, also after a refresh', async () => {
    issuer.needs = 'admin';
    await connect(ada.key, 'ada');
    // The issuer has let the gateway in, and the server does not think that enough.
    issuer.scopes.push(null);
    expect(await whoami(ada.key)).toMatchObject(refusal);
    issuer.tokens.clear();
    expect(await whoami(ada.key)).toMatchObject(refusal);
  });

  it('is not asked for what it does not name, or names in no words of scopes', async () => {
    for (const needs of ['', 'a\\b', 'x'.repeat(600)]) {
      issuer.needs = needs;
      expect(await whoami(ada.key)).toMatchObject(refusal);
    }
  });
});

describe('a client', () => {
  it('is let in by one trip of the browser through both consents', async () => {
    const person = await userWithKey(app);
    const clientId = await clientOf(app);
    const { verifier, challenge } = pkce();
    const at = browser(app);
    const resource = `${app.url}/personal/mcp`;
    const page = await signedIn(at, authorizePath(app, { clientId, challenge, resource }), person.key);
    issuer.user = 'eve';
    const sent = await at.press(page, 'allow');
    expect(sent.location?.origin).toBe(issuer.origin);
    const { location } = await followed(at, sent.location);
    expect(location?.origin).toBe(new URL(REDIRECT).origin);
    expect(location?.searchParams.get('state')).toBe('the state');
    const { body } = await post(app, 'token', {
      ...{ grant_type: 'authorization_code', code: location?.searchParams.get('code') ?? '' },
      ...{ code_verifier: verifier, client_id: clientId, redirect_uri: REDIRECT },
    });
    const headers = { authorization: `Bearer ${body.access_token}`, 'x-gateway-api-key': '' };
    expect(await whoami('', { headers })).toBe('eve');
    // Check 34: the server remembers the person, and the gateway asks for the next client all the same.
    const second = await clientOf(app, { redirect_uris: ['https://second.example/'] });
    const wanted = { clientId: second, resource, redirectUri: 'https://second.example/' };
    const again = await at.visit(authorizePath(app, wanted));
    expect(again).toMatchObject({ status: 200, location: null });
    expect(again.text).toContain('second.example');
  });

  it('hears of it where the person says no at the server', async () => {
    const person = await userWithKey(app);
    const at = browser(app);
    const wanted = { clientId: await clientOf(app), resource: `${app.url}/personal/mcp` };
    const page = await signedIn(at, authorizePath(app, wanted), person.key);
    issuer.user = null;
    const { location } = await followed(at, (await at.press(page, 'allow')).location);
    expect(location?.searchParams.get('error')).toBe('access_denied');
    expect(location?.searchParams.get('code')).toBeNull();
  });

  it('that opens addresses is asked to in the way of its era', async () => {
    const person = await userWithKey(app);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
    };
    const params = { name: 'whoami', arguments: {}, _meta: meta };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
    };
    const modern = (await call(person.key, { message: { params }, headers })).body as Json;
    expect(modern.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        sluice_sign_in: {
          method: 'elicitation/create',
          params: { mode: 'url', url: expect.stringContaining('connect=') },
        },
      },
    });
    const initialize = {
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: { url: {} } },
        clientInfo: { name: 'x', version: '1' },
      },
    };
    const session = (await call(person.key, { message: initialize })).headers.get('mcp-session-id') ?? '';
    const legacy = (await call(person.key, { headers: { 'mcp-session-id': session } })).body as Json;
    expect(legacy.error).toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', url: expect.stringContaining('connect=') }] },
    });
    await connect(person.key, 'fay');
    const answered = { ...params, inputResponses: { sluice_sign_in: { action: 'accept' } } };
    const done = (await call(person.key, { message: { params: answered }, headers })).body as Json;
    expect(done.result.content).toEqual([{ type: 'text', text: 'fay' }]);
  });
});

describe('an answer of an issuer', () => {
  let eve: { userId: string; key: string };
  beforeAll(async () => {
    eve = await userWithKey(app);
  });

  it('counts once, in the browser that was sent, and for the user whose call asked', async () => {
    const link = await linkFor(eve.key);
    const stranger = await signedIn(browser(app), link, bob.key);
    expect(stranger.text).toContain('for another user');
    expect(stranger.text).not.toContain('value="connect"');
    const at = browser(app);
    const sent = await at.press(await signedIn(at, link, eve.key), 'connect');
    const response = await fetch(sent.location ?? '', { redirect: 'manual' });
    const back = response.headers.get('location') ?? '';
    // Somebody else is sent the answer, so that they would act for whoever began.
    const victim = browser(app);
    await signedIn(victim, await linkFor(eve.key), eve.key);
    expect((await victim.visit(back)).status).toBe(403);
    expect((await at.visit(back)).status).toBe(403);
    const { back: good, sent: again } = await connect(eve.key, 'eve');
    expect(good.status).toBe(200);
    const state = again.location?.searchParams.get('state');
    const replayed = `upstream-callback?code=x&iss=${issuer.origin}&state=${state}`;
    expect((await at.visit(replayed)).status).toBe(403);
    expect((await at.visit('upstream-callback?code=x&state=made-up')).status).toBe(403);
    expect((await at.visit('upstream-callback')).status).toBe(403);
  });

  it.each([
    ['is of another issuer', { iss: 'https://evil.example' }],
    ['says of nobody that it is', { iss: null }],
  ])('is refused where it %s', async (_what, lie) => {
    const person = await userWithKey(app);
    issuer.lie = lie;
    const before = issuer.grants.length;
    const { back } = await connect(person.key, 'ada');
    expect(back.status).toBe(502);
    expect(issuer.grants).toHaveLength(before);
    await linkFor(person.key);
  });

  it.each([
    ['no PKCE', { code_challenge_methods_supported: ['plain'] }],
    ['another issuer', { issuer: 'https://evil.example' }],
    ['no endpoints', { token_endpoint: 'javascript:x' }],
    ['a token endpoint at an address of metadata', { registration_endpoint: 'http://169.254.169.254/' }],
  ])('is not asked for where its metadata name %s', async (_what, metadata) => {
    const key = (await userWithKey(app)).key;
    // Nobody has registered there, so that everything is asked anew.
    await mcpServer(app, `bad-${randomBytes(4).toString('hex')}`, {
      url: issuer.url,
      auth_type: 'oauth_auto',
    });
    const { data } = bodyOf(await app.rest('GET', '/v1/mcp-servers', { key: app.adminKey })) as Json;
    const slug = data.find(({ slug }: Json) => slug.startsWith('bad-')).slug;
    issuer.lie = { metadata };
    const at = browser(app);
    const page = await signedIn(at, await linkFor(key, slug), key);
    const refused = await at.press(page, 'connect');
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(refused.location).toBeNull();
    expect(refused.text).not.toContain('169.254');
  });
});

it('a change of the server, or of its issuer, ends all connections', async () => {
  expect(await whoami(bob.key)).toBe('bob');
  const body = { configurations: { oauth_metadata: { scope: 'more' } } };
  expect((await app.rest('PUT', '/v1/mcp-integrations/personal', { key: app.adminKey, body })).status).toBe(
    200,
  );
  expect(await app.db.collection('mcp_connections').countDocuments({})).toBe(0);
  await eventually(async () => expect(await whoami(bob.key, { at: other })).toMatchObject({ code: -31401 }));
});

it('the gateway describes itself to issuers that ask', async () => {
  const { data } = bodyOf(await app.rest('GET', '/v1/mcp-integrations', { key: app.adminKey })) as Json;
  const { id } = data.find(({ slug }: Json) => slug === 'personal');
  const path = `/oauth/client/${id}.json`;
  expect(bodyOf(await app.rest('GET', path, { key: null }))).toMatchObject({
    client_id: `${app.url}${path}`,
    redirect_uris: [`${app.url}/oauth/upstream-callback`],
    token_endpoint_auth_method: 'none',
  });
  expect((await app.rest('GET', `/oauth/client/${app.workspaceId}.json`, { key: null })).status).toBe(404);
});
