import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, linkFor, openBrowser, signedIn } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { addUser } from '../support/users.ts';
import { startWorld } from '../support/world.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp({ CORS_ORIGINS: '*' });
  browser = await signedIn(app, (await addUser(app, { inWorkspace: 'admin' }))._id);
});
afterAll(() => app.stop());

const query = '{ viewer { kind } }';

describe('the cookie', () => {
  const cookieOf = async (env: Record<string, string>) => {
    const other = await startApp(env);
    try {
      const link = await linkFor(other, (await addUser(other))._id);
      const answer = await openBrowser(other).send('POST', '/sign-in', { link });
      return answer.headers.getSetCookie();
    } finally {
      await other.stop();
    }
  };

  it('is for no script, no other site and no other path', async () => {
    const { headers } = await openBrowser(app).send('POST', '/sign-in', { key: app.workspaceKey });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^sluice=sl-[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=604800$/,
      ),
    ]);
  });

  it('travels with TLS alone where the service has it, below the path of the service', async () => {
    expect(await cookieOf({ PUBLIC_URL: 'https://ai.example.com/team/ai/' })).toEqual([
      expect.stringMatching(
        /^__Secure-sluice=sl-[\w-]{43}; Path=\/team\/ai\/console; HttpOnly; SameSite=Strict; Secure; Max-Age=604800$/,
      ),
    ]);
  });

  it.each(['/graphql', '/v1/models', '/v1/configs', '/v2/configs', '/explorer/'])(
    'is read at no other door: %s',
    async (path) => {
      const { status } = await app.rest('GET', path, { key: null, headers: { cookie: browser.cookie } });
      const bare = await app.rest('GET', path, { key: null });
      expect(status).toBe(bare.status);
    },
  );

  it('is no key at another door', async () => {
    const secret = browser.cookie.split('=')[1] ?? '';
    expect((await app.graphql(query, {}, secret)).status).toBe(401);
    expect((await app.rest('GET', '/v1/models', { key: secret })).status).toBe(401);
  });

  it('goes to no provider', async () => {
    const world = await startWorld();
    try {
      const inside = await signedIn(world.app, (await addUser(world.app, { inWorkspace: 'admin' }))._id);
      const headers = {
        'x-gateway-provider': `@${world.slug}`,
        authorization: 'Bearer sk-own-0123456789abcdef',
      };
      await inside.send('POST', '/v1/proxy/anything', {}, headers);
      const [request] = world.provider.requests;
      expect(request?.url).toBe('/v1/anything');
      expect(JSON.stringify(request?.headers)).not.toContain(inside.cookie.split('=')[1]);
      expect(request?.headers).not.toHaveProperty('cookie');
    } finally {
      await world.stop();
    }
  });
});

describe('the console takes requests of its own pages alone', () => {
  const origin = () => new URL(app.url).origin;
  const body = JSON.stringify({ query });
  const send = (path: string, headers: Record<string, string>, method = 'POST', sent: string | null = body) =>
    fetch(`${app.url}/console${path}`, {
      method,
      headers: { cookie: browser.cookie, ...headers },
      body: sent,
    });
  const json = { 'content-type': 'application/json' };

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['of the address bar', { 'sec-fetch-site': 'none' }],
    ['of another origin', { origin: 'http://evil.example' }],
    ['of a page without an origin', { origin: 'null' }],
    ['that does not say', {}],
    ['of another site with our origin', { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1' }],
  ])('and refuses a POST %s', async (_what, headers) => {
    for (const path of ['/graphql', '/graphql/stream', '/sign-in', '/v1/chat/completions']) {
      const response = await send(path, { ...json, ...(headers as Record<string, string>) });
      const { error } = (await response.json()) as any;
      expect([path, response.status, error.code]).toEqual([path, 403, 'AB03']);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('which an old browser, or one over plain HTTP, names by their origin', async () => {
    expect((await send('/graphql', { ...json, origin: origin() })).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('and no form: %s', async (type) => {
    const response = await send('/graphql', { 'content-type': type, 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(415);
  });

  it('and no GET that another page makes', async () => {
    const get = (headers: Record<string, string>) => send('/v1/models', headers, 'GET', null);
    const statuses = [
      await get({ 'sec-fetch-site': 'cross-site' }),
      await get({ origin: 'http://evil.example' }),
      await get({ 'sec-fetch-site': 'same-origin' }),
      await get({}),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 200, 200]);
  });

  it('and answers no preflight', async () => {
    const response = await send(
      '/graphql',
      { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
      'OPTIONS',
      null,
    );
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

describe('behind the cookie', () => {
  it('there is the graph, which takes POST alone', async () => {
    expect(dataOf(await browser.graphql(query))).toEqual({ viewer: { kind: 'user' } });
    const { status, headers } = await browser.send('GET', '/graphql?query={viewer{kind}}');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect((await openBrowser(app).graphql(query)).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('there is a stream, which ends with the sign-in', async () => {
    const user = await addUser(app, { inWorkspace: 'admin' });
    const inside = await signedIn(app, user._id);
    const response = await fetch(`${app.url}/console/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'sec-fetch-site': 'same-origin',
        cookie: inside.cookie,
      },
      body: JSON.stringify({ query: 'subscription { logAdded { id } }' }),
    });
    expect(response.status).toBe(200);
    await inside.send('DELETE', '/sign-in');
    const startedAt = Date.now();
    await expect(response.text().then((text) => text)).resolves.toContain('UNAUTHENTICATED');
    expect(Date.now() - startedAt).toBeLessThan(3000);
  });

  it('there is inference, and nothing of the administration', async () => {
    expect((await browser.send('GET', '/v1/models')).status).toBe(200);
    for (const path of ['/v1/configs', '/v1/api-keys', '/v1/confgis']) {
      const { status, body } = await browser.send('POST', path, { name: 'x' });
      expect([path, status, body.error.code]).toEqual([path, 404, 'AB08']);
    }
    expect((await openBrowser(app).send('GET', '/v1/models')).status).toBe(401);
  });

  it('a run that is begun here calls its model as who is signed in', async () => {
    const asked = async (document: string, variables: object) => {
      const { data, errors } = await browser.graphql(document, variables, app.workspaceId);
      expect(errors).toBeUndefined();
      return data;
    };
    const { createAssistant } = await asked(
      'mutation ($input: CreateAssistantInput!) { createAssistant(input: $input) { id } }',
      { input: { model: '@mock/mock-1' } },
    );
    const { createThreadAndRun: run } = await asked(
      'mutation ($input: CreateThreadAndRunInput!) { createThreadAndRun(input: $input) { id threadId } }',
      {
        input: {
          assistantId: createAssistant.id,
          thread: { messages: [{ role: 'user', content: 'Hello' }] },
        },
      },
    );
    const document =
      'query ($id: ID!, $thread: ID!) { run(id: $id, threadId: $thread) { status lastError { message } } }';
    await eventually(async () => {
      const { run: now } = await asked(document, { id: run.id, thread: run.threadId });
      expect(now).toEqual({ status: 'completed', lastError: null });
    });
  });

  it('there is nothing else', async () => {
    expect((await browser.send('GET', '/nothing')).status).toBe(404);
    expect((await browser.send('PUT', '/sign-in', {})).status).toBe(405);
  });
});
