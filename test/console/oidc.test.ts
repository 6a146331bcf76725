import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows, dataOf, dump, ownTime } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import {
  client,
  type LyingProvider,
  startIdentityProvider,
  startLyingProvider,
} from '../support/oidc-provider.ts';
import { freePort } from '../support/remote-process.ts';
import { addUser } from '../support/users.ts';

const organisationId = '01900000-0000-7000-8000-00000000beef';
/** What the service writes by itself. */
const beside = [
  'oidc_answers',
  'audit_logs',
  'audit_heads',
  'events',
  'revisions',
  'signing_keys',
  ...ownTime,
];

let now = Date.now();
let honest: Awaited<ReturnType<typeof startIdentityProvider>>;
let liar: LyingProvider;
/** Signs in at the honest provider, and makes users of strangers. */
let app: TestApp;
/** Signs in at the lying one, and makes nobody. */
let strict: TestApp;

const settings = (issuer: string, more: object = {}) =>
  JSON.stringify({
    ...client,
    issuer,
    organisation_id: organisationId,
    scope: 'openid email profile groups',
    allowed_domains: ['example.com'],
    ...more,
  });

beforeAll(async () => {
  const port = await freePort();
  honest = await startIdentityProvider(`http://127.0.0.1:${port}/console/sign-in/oidc/callback`);
  liar = await startLyingProvider();
  const clock = () => new Date(now);
  const more = { create_members: true, group_roles: { operators: 'admin' } };
  app = await startApp({ PORT: String(port), CONSOLE_OIDC: settings(honest.issuer, more) }, undefined, clock);
  strict = await startApp({ CONSOLE_OIDC: settings(liar.issuer) }, undefined, clock);
  for (const { createTenant } of [app, strict]) await createTenant(organisationId);
});
afterAll(async () => {
  await Promise.all([app.stop(), strict.stop()]);
  await Promise.all([honest.stop(), liar.stop()]);
});
afterEach(() => {
  liar.lie = {};
});

/** A browser that keeps the cookies of every host, and follows redirects until one leads back to the console. */
function openWanderer(service: TestApp) {
  const cookies = new Map<string, string>();
  const browser = openBrowser(service);
  async function visit(url: string): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /Max-Age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
      if (name === 'sluice') browser.cookie = `${name}=${value}`;
    }
    return response;
  }
  return {
    browser,
    cookies,
    visit,
    /** The address at which the provider sends the browser back. */
    async toProvider(): Promise<string> {
      let url = `${service.url}/console/sign-in/oidc`;
      for (let step = 0; step < 12; step++) {
        const response = await visit(url);
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
        url = new URL(location, url).href;
        if (url.includes('/oidc/callback')) return url;
      }
      throw new Error('The provider does not send the browser back.');
    },
  };
}

async function signIn(service: TestApp): Promise<{ response: Response; browser: Browser; back: string }> {
  const wanderer = openWanderer(service);
  const back = await wanderer.toProvider();
  const response = await wanderer.visit(back);
  return { response, browser: wanderer.browser, back };
}

const viewer = async (browser: Browser) =>
  dataOf(await browser.graphql('{ viewer { kind id email organisation { id } permissions } }')).viewer;
const usersWith = (service: TestApp, email: string) =>
  service.db.collection('users').find({ organisationId, email }).toArray();
const verified = (email: string, more: object = {}) => ({ sub: email, email, email_verified: true, ...more });

describe('a sign-in at a certified provider', () => {
  it('is that of the user with the verified address', async () => {
    const user = await addUser(app, { organisationId, email: 'ada@example.com', role: 'owner' });
    await honest.knows(verified('Ada@Example.com'));
    const { response, browser } = await signIn(app);
    expect([response.status, response.headers.get('location')]).toEqual([303, '../../']);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^sluice=sl-[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=604800$/,
      ),
      'sluice-oidc=; Path=/console/sign-in/oidc; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    expect(await viewer(browser)).toMatchObject({
      kind: 'user',
      id: user._id,
      email: 'ada@example.com',
      organisation: { id: organisationId },
    });
    expect(await usersWith(app, 'ada@example.com')).toMatchObject([{ role: 'owner' }]);
    const { signIns } = dataOf(
      await browser.graphql(`{ signIns(userId: "${user._id}") { data { method } } }`),
    );
    expect(signIns.data).toEqual([{ method: 'oidc' }]);
  });

  it('makes a member of a stranger, and gives and takes roles by group', async () => {
    await honest.knows(
      verified('grace@example.com', {
        given_name: 'Grace',
        family_name: 'Hopper',
        groups: ['all'],
      }),
    );
    const { browser } = await signIn(app);
    expect(await usersWith(app, 'grace@example.com')).toMatchObject([
      { firstName: 'Grace', lastName: 'Hopper', role: 'member' },
    ]);
    expect((await viewer(browser)).permissions).toEqual([]);
    await honest.knows(verified('grace@example.com', { groups: ['all', 'operators'] }));
    const { browser: asAdmin } = await signIn(app);
    expect((await viewer(asAdmin)).permissions).toContain('organisation_users.update');
    await honest.knows(verified('grace@example.com', { groups: [] }));
    await signIn(app);
    expect((await viewer(asAdmin)).permissions).toEqual([]);
    const [user] = await usersWith(app, 'grace@example.com');
    const rows = await auditRows(app, { resourceType: 'user', targetId: user?._id });
    expect(rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['create', 'success'],
      ['update', 'success'],
      ['update', 'success'],
    ]);
  });

  it.each([
    [
      'an address that is not verified',
      { email: 'eve@example.com', email_verified: false },
      /has not verified/,
    ],
    [
      'an address of another domain',
      { email: 'eve@evil.example', email_verified: true },
      /evil\.example do not sign in/,
    ],
    [
      'an address that ends like ours',
      { email: 'eve@notexample.com', email_verified: true },
      /notexample\.com do not/,
    ],
    [
      'two addresses',
      { email: 'eve@evil.example,ada@example.com', email_verified: true },
      /told no e-mail|do not sign/,
    ],
    ['no address', {}, /told no e-mail/],
  ])('is refused with %s', async (_what, claims, message) => {
    await honest.knows({ sub: 'eve', ...claims });
    const before = await app.db.collection('users').countDocuments({ organisationId });
    const { response } = await signIn(app);
    expect(response.status).toBe(403);
    expect(await response.text()).toMatch(message);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await app.db.collection('users').countDocuments({ organisationId })).toBe(before);
  });

  it('counts once: neither the code nor the state is taken again', async () => {
    await honest.knows(verified('ada@example.com'));
    const wanderer = openWanderer(app);
    const back = await wanderer.toProvider();
    const kept = new Map(wanderer.cookies);
    const answers = await Promise.all([wanderer.visit(back), wanderer.visit(back), wanderer.visit(back)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
    wanderer.cookies.clear();
    for (const [name, value] of kept) wanderer.cookies.set(name, value);
    const replayed = await wanderer.visit(back);
    expect([replayed.status, await replayed.text()]).toEqual([
      401,
      expect.stringContaining('was used before'),
    ]);
    // A fresh flow with the old code.
    const again = openWanderer(app);
    const fresh = new URL(await again.toProvider());
    fresh.searchParams.set('code', new URL(back).searchParams.get('code') ?? '');
    expect((await again.visit(fresh.href)).status).toBe(401);
  });

  it('is refused in another browser, with another state, without a code, and late', async () => {
    await honest.knows(verified('ada@example.com'));
    const back = new URL(await openWanderer(app).toProvider());
    expect((await openWanderer(app).visit(back.href)).status).toBe(401);
    for (const change of ['state', 'code', 'iss']) {
      const wanderer = openWanderer(app);
      const address = new URL(await wanderer.toProvider());
      address.searchParams.set(change, 'x');
      expect([change, (await wanderer.visit(address.href)).status]).toEqual([change, 401]);
    }
    for (const query of ['', '?error=access_denied&error_description=sl-planted', '?state=x']) {
      const wanderer = openWanderer(app);
      const address = await wanderer.toProvider();
      const response = await wanderer.visit(address.replace(/\?.*/, query));
      expect([query, response.status, await response.text()]).toEqual([
        query,
        401,
        expect.not.stringContaining('planted'),
      ]);
    }
    const slow = openWanderer(app);
    const address = await slow.toProvider();
    now += 600_000;
    expect((await slow.visit(address)).status).toBe(401);
    const refusals = { resourceType: 'sign_in', outcome: 'refused', responseStatusCode: 401, organisationId };
    const rows = await eventually(async () => {
      const found = await auditRows(app, refusals);
      expect(found.length).toBeGreaterThan(3);
      return found;
    });
    for (const row of rows) expect(row).toMatchObject({ requestBody: '{"method":"oidc"}', queryParams: '' });
  });

  it('is offered by the console, and takes GET alone', async () => {
    expect((await openBrowser(app).send('GET', '/sign-in')).body).toEqual({
      object: 'sign-in-methods',
      oidc: true,
      owner_exists: false,
    });
    const posted = await openBrowser(app).send('POST', '/sign-in/oidc', {});
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('leaves code, state and secrets in no sink', async () => {
    await honest.knows(verified('ada@example.com'));
    const { back, browser } = await signIn(app);
    const stored = await dump(app);
    const { searchParams } = new URL(back);
    for (const secret of [
      searchParams.get('code'),
      searchParams.get('state'),
      client.client_secret,
      browser.cookie.split('=')[1],
    ]) {
      expect(secret).toBeTruthy();
      expect(stored).not.toContain(secret);
    }
  });
});

describe('an answer of a provider', () => {
  beforeAll(async () => {
    await addUser(strict, { organisationId, email: 'ada@example.com', role: 'admin' });
    liar.person = verified('ada@example.com');
  });

  it('is taken when it is right, with PKCE', async () => {
    expect((await signIn(strict)).response.status).toBe(303);
    expect(liar.tokenRequests.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
  });

  it.each([
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['another nonce', { claims: { nonce: 'replayed' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['an end in the past', { claims: { exp: 1 } }],
    ['no subject', { claims: { sub: undefined } }],
    ['a signature of another key', { signedByAnother: true }],
    ['a refusal', { token: { status: 400, body: { error: 'invalid_grant' } } }],
    ['no ID token', { token: { status: 200, body: { access_token: 'x', token_type: 'Bearer' } } }],
  ])('is refused with %s', async (_what, lie) => {
    liar.lie = lie;
    const before = await dump(strict, beside);
    const { response } = await signIn(strict);
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
    expect(await dump(strict, beside)).toBe(before);
  });

  it('about a stranger makes nobody where the settings do not say so', async () => {
    const before = await dump(strict, beside);
    liar.lie = { claims: verified('stranger@example.com') };
    const { response } = await signIn(strict);
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('Ask for an invite'),
    ]);
    expect(await dump(strict, beside)).toBe(before);
  });

  it('about a deactivated user signs nobody in', async () => {
    await addUser(strict, { organisationId, email: 'gone@example.com', status: 'inactive' });
    const before = await dump(strict, beside);
    liar.lie = { claims: verified('gone@example.com') };
    const { response } = await signIn(strict);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('deactivated')]);
    expect(await dump(strict, beside)).toBe(before);
  });

  it('that is verified in words alone is not verified', async () => {
    liar.lie = { claims: { email_verified: 'true' } };
    expect((await signIn(strict)).response.status).toBe(403);
  });

  it('that does not come is no fault of the person', async () => {
    liar.lie = { token: { status: 503, body: {} } };
    expect((await signIn(strict)).response.status).toBe(503);
  });
});

describe('without an identity provider', () => {
  it('there is no such way in', async () => {
    const plain = await startApp();
    try {
      expect((await openBrowser(plain).send('GET', '/sign-in')).body.oidc).toBe(false);
      expect((await openBrowser(plain).send('GET', '/sign-in/oidc')).status).toBe(404);
    } finally {
      await plain.stop();
    }
  });

  it('a sign-in at one that cannot be reached is answered 503', async () => {
    const lost = await startApp({ CONSOLE_OIDC: settings('http://127.0.0.1:9') });
    try {
      expect((await openBrowser(lost).send('GET', '/sign-in/oidc')).status).toBe(503);
    } finally {
      await lost.stop();
    }
  });
});
