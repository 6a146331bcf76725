import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { Agent } from 'undici';
import { fetchKeys } from '../../../src/authentication/jwt/fetch-keys.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

let issuer: TestIssuer;
const agent = new Agent();
const never = new AbortController().signal;

beforeAll(async () => {
  issuer = await startIssuer('https://id.example.com');
});
afterEach(() => {
  issuer.answer = null;
});
afterAll(async () => {
  await agent.destroy();
  await issuer.stop();
});

const fetched = async () => [...(await fetchKeys(issuer.jwksUrl, agent, never)).keys()];

test('keys for RS256 are taken; other kinds, other uses and broken ones are left out', async () => {
  const good = issuer.publicKey();
  const ec = await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey);
  issuer.publish({ ...ec, kid: 'elliptic' });
  issuer.publish({ ...good, kid: 'encrypts', use: 'enc' });
  issuer.publish({ ...good, kid: 'other-algorithm', alg: 'RS512' });
  issuer.publish({ kty: 'oct', k: 'c2VjcmV0', kid: 'shared-secret' });
  issuer.publish({ ...good, kid: 'broken', n: '' });
  issuer.publish({ kty: 'RSA', n: good.n ?? '', e: 'AQAB', kid: 'bare' });
  issuer.publish({ ...good, kid: undefined });
  // 1024 bits.
  issuer.publish({ kty: 'RSA', n: (good.n ?? '').slice(0, 171), e: 'AQAB', kid: 'short' });
  expect(await fetched()).toEqual(['key-1', 'bare']);
});

describe('an answer is no JWKS', () => {
  test.each([
    ['with another status', { status: 500, body: '{"keys": []}' }, /status 500/],
    [
      'with a redirect',
      { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } },
      /status 302/,
    ],
    ['when it is not JSON', { status: 200, body: '<html>' }, /JSON/],
    ['without keys', { status: 200, body: '{}' }, /keys/],
    ['when it is too large', { status: 200, body: ' '.repeat(300_000) }, /larger than/],
    ['with too many keys', { status: 200, body: JSON.stringify({ keys: Array(101).fill({}) }) }, /100/],
  ])('%s', async (_how, answer, reason) => {
    issuer.answer = answer;
    await expect(fetched()).rejects.toThrow(reason);
  });
});
