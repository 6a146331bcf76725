import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { problemsOf, run } from '../checked.ts';
import { type Loopback, networkServices, startLoopback } from '../loopback.ts';

const JWT = 'default.jwt';

let issuer: Loopback;
const keys: Record<string, { privateKey: CryptoKey; jwk: object }> = {};

beforeAll(async () => {
  issuer = await startLoopback();
  for (const kid of ['one', 'two']) {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    keys[kid] = { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256' } };
  }
});
afterAll(() => issuer.stop());
beforeEach(() => {
  issuer.received.length = 0;
  issuer.answer = () => ({ body: { keys: [keys.one?.jwk] } });
});

const services = networkServices();

type Signing = { kid?: string; claims?: JWTPayload; issuedAt?: number; signedBy?: string };

function token({ kid = 'one', claims = {}, issuedAt, signedBy = kid }: Signing = {}): Promise<string> {
  const { privateKey } = keys[signedBy] ?? {};
  if (privateKey === undefined) throw new Error(`there is no key ${signedBy}`);
  const header = { alg: 'RS256', kid, tenant: 'acme' };
  return new SignJWT({ sub: 'ann', ...claims })
    .setProtectedHeader(header)
    .setIssuedAt(issuedAt)
    .sign(privateKey);
}

const check = (parameters: object, value: string | null, header = 'authorization') =>
  run(
    JWT,
    parameters,
    { call: { headers: value === null ? {} : { [header]: value } }, phase: 'input' },
    services,
  );
const local = () => ({ jwks: { keys: [keys.one?.jwk] } });
const hour = 3_600;
const now = () => Math.floor(Date.now() / 1_000);

describe(JWT, () => {
  test.each<[string, object, Signing, boolean]>([
    ['a good token', {}, {}, true],
    ['an old token', {}, { issuedAt: now() - 25 * hour }, false],
    ['an old token, where that is allowed', { maxTokenAge: '2d' }, { issuedAt: now() - 25 * hour }, true],
    ['an expired one', {}, { claims: { exp: now() - 60 } }, false],
    ['one expired within the tolerance', { clockTolerance: 120 }, { claims: { exp: now() - 60 } }, true],
    ['one that is signed by another key', {}, { signedBy: 'two' }, false],
    ['one of another algorithm', { algorithms: ['ES256'] }, {}, false],
    ['one with a claim', { requiredClaims: ['sub'] }, {}, true],
    ['one without a claim', { requiredClaims: ['sub', 'role'] }, {}, false],
    ['an exact claim', { claimValues: { sub: { values: 'ann' } } }, {}, true],
    ['another claim', { claimValues: { sub: { values: ['bob', 'cy'] } } }, {}, false],
    [
      'a list with one of them',
      { claimValues: { roles: { values: ['a', 'b'], matchType: 'contains' } } },
      { claims: { roles: ['b', 'c'] } },
      true,
    ],
    [
      'a list without all of them',
      { claimValues: { roles: { values: ['a', 'b'], matchType: 'containsAll' } } },
      { claims: { roles: ['b', 'c'] } },
      false,
    ],
    ['a pattern', { claimValues: { sub: { values: '^a+n+$', matchType: 'regex' } } }, {}, true],
    ['header and payload alike', { headerPayloadMatch: ['tenant'] }, { claims: { tenant: 'acme' } }, true],
    [
      'header and payload that differ',
      { headerPayloadMatch: ['tenant'] },
      { claims: { tenant: 'other' } },
      false,
    ],
  ])('%s', async (_what, parameters, signing, verdict) => {
    const value = `Bearer ${await token(signing)}`;
    expect((await check({ ...local(), ...parameters }, value)).verdict).toBe(verdict);
  });

  it('fails without a token, and with something else in its place', async () => {
    expect(await check(local(), null)).toEqual({
      verdict: false,
      data: { explanation: 'There is no token.' },
    });
    expect((await check(local(), 'Bearer rubbish')).verdict).toBe(false);
  });

  it('fails on an unsigned token and on one that is signed by the public key as a secret', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${encode({ alg: 'none' })}.${encode({ sub: 'ann', iat: now() })}.`;
    expect((await check(local(), unsigned)).verdict).toBe(false);
    const secret = new TextEncoder().encode(JSON.stringify(keys.one?.jwk));
    const confused = await new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .setIssuedAt()
      .sign(secret);
    expect((await check(local(), confused)).verdict).toBe(false);
  });

  it('looks in the header that it is told', async () => {
    expect(
      (await check({ ...local(), headerKey: 'X-User-Token' }, await token(), 'x-user-token')).verdict,
    ).toBe(true);
  });

  it('gives claims to the provider as headers', async () => {
    const parameters = { ...local(), extractClaims: ['sub', 'roles', 'absent'], claimPrefix: 'x-user-' };
    const { headers } = await check(parameters, await token({ claims: { roles: ['a', 'ü\r\n'] } }));
    expect(headers).toEqual({ 'x-user-sub': 'ann', 'x-user-roles': 'a,%C3%BC%0D%0A' });
  });
});

describe('keys of an issuer', () => {
  it('are fetched once, and once more for an unknown one', async () => {
    const prepared = { jwksUri: `${issuer.url}/keys`, cacheMaxAge: 0 };
    expect((await check(prepared, await token())).verdict).toBe(true);
    expect(issuer.received.map(({ path }) => path)).toEqual(['/keys']);
    issuer.received.length = 0;
    expect((await check({ jwksUri: issuer.url }, await token({ kid: 'two' }))).verdict).toBe(false);
    // The keys had just been fetched: looking again at once would find the same.
    expect(issuer.received).toHaveLength(1);
  });

  test.each<[string, object, RegExp]>([
    ['answers nothing good', { status: 500 }, /answered 500/],
    ['answers no keys', { body: { no: 'keys' } }, /no JWK set/],
  ])('make an error where the issuer %s', async (_what, answer, message) => {
    issuer.answer = () => answer;
    await expect(check({ jwksUri: issuer.url }, await token())).rejects.toThrow(message);
  });
});

describe('an issuer that is asked about tokens', () => {
  const asking = (parameters: object = {}) => ({ introspectEndpoint: `${issuer.url}/ask`, ...parameters });

  it('decides, and its claims count', async () => {
    issuer.answer = () => ({ body: { active: true, sub: 'bob' } });
    const parameters = asking({ claimValues: { sub: { values: 'bob' } } });
    expect((await check(parameters, 'Bearer opaque')).verdict).toBe(true);
    expect(issuer.received[0]).toMatchObject({ method: 'POST', path: '/ask', body: 'token=opaque' });
    issuer.answer = () => ({ body: { active: false } });
    expect((await check(asking(), 'opaque')).verdict).toBe(false);
  });

  it('is asked in JSON where it wants that', async () => {
    issuer.answer = () => ({ body: { active: true } });
    await check(asking({ introspectContentType: 'application/json' }), 'opaque');
    expect(issuer.received[0]?.body).toBe('{"token":"opaque"}');
  });

  it('decides besides the signature', async () => {
    issuer.answer = () => ({ body: { active: false } });
    expect((await check({ ...local(), ...asking() }, await token())).verdict).toBe(false);
    issuer.answer = () => ({ body: { active: true } });
    expect((await check({ ...local(), ...asking() }, await token())).verdict).toBe(true);
    expect((await check({ ...local(), ...asking() }, await token({ signedBy: 'two' }))).verdict).toBe(false);
  });

  it('makes an error with an answer that says nothing', async () => {
    issuer.answer = () => ({ body: {} });
    await expect(check(asking(), 'opaque')).rejects.toThrow('whether the token is active');
  });
});

test.each<[object, RegExp]>([
  [{}, /^jwksUri: one of/],
  [{ jwksUri: 'ldap://a' }, /^jwksUri: /],
  [{ jwks: { keys: [] } }, /^jwks\.keys: /],
  [{ jwksUri: 'https://a.example', algorithms: ['HS256'] }, /^algorithms\.0: /],
  [{ jwksUri: 'https://a.example', algorithms: ['none'] }, /^algorithms\.0: /],
  [{ jwksUri: 'https://a.example', maxTokenAge: 'soon' }, /^maxTokenAge: /],
  [{ jwksUri: 'https://a.example', claimPrefix: 'X:' }, /^claimPrefix: /],
  [
    { jwksUri: 'https://a.example', claimValues: { a: { values: '(', matchType: 'regex' } } },
    /^claimValues\.a\.values: /,
  ],
])('the check of tokens refuses %j', (parameters, problem) => {
  expect(problemsOf(JWT, parameters)).toEqual([expect.stringMatching(problem)]);
});
