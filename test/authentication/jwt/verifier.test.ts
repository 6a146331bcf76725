import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { initialStates } from '../../../src/auth/index.ts';
import { createVerifier } from '../../../src/authentication/jwt/verifier.ts';
import type { TokenVerifier } from '../../../src/authentication/tokens/verifier.ts';
import type { WorkspaceRecord } from '../../../src/directory/memory.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const workspace = {
  id: 'w1',
  slug: 'main',
  logMode: null,
  metadata: { team: 'red' },
  savedConfigsOnly: false,
  switches: initialStates,
};

let issuer: TestIssuer;
let clock: number;
/** What the issuer publishes. */
let key: KeyObject | null;
let known: WorkspaceRecord | null;
let verifier: TokenVerifier;

beforeAll(async () => {
  issuer = await startIssuer('https://id.example.com', { workspace_slug: 'main' });
});
afterAll(() => issuer.stop());

beforeEach(() => {
  clock = 1_800_000_000_000;
  key = createPublicKey({ key: { ...issuer.publicKey() }, format: 'jwk' });
  known = workspace;
  const keys = { get: () => key, refresh: async () => undefined };
  const { name, jwksUrl } = issuer;
  verifier = createVerifier([{ issuer: name, jwksUrl, organisationId: 'o1', audience: null, keys }], {
    workspaces: { get: (id) => (id === 'o1/main' ? known : null) },
    now: () => new Date(clock),
  });
});

const anywhere = { workspace: null };
const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

test('a token is checked once, and at once from then on', async () => {
  const token = await issuer.sign({ exp: seconds(clock) + 60 });
  const first = await verifier.verify(token, anywhere);
  expect(verifier.verify(token, anywhere)).toBe(first);
});

test('a token that was good is refused when its issuer withdraws the key, and proven anew with another', async () => {
  const token = await issuer.sign({ exp: seconds(clock) + 60 });
  const unpublished = expect.objectContaining({ code: 'UNAUTHENTICATED' });
  await verifier.verify(token, anywhere);
  key = null;
  await expect(verifier.verify(token, anywhere)).rejects.toEqual(unpublished);
  key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  await expect(verifier.verify(token, anywhere)).rejects.toEqual(unpublished);
  key = createPublicKey({ key: { ...issuer.publicKey() }, format: 'jwk' });
  await expect(verifier.verify(token, anywhere)).resolves.toMatchObject({ principal: { workspaceId: 'w1' } });
});

test('a token that was good is refused from the second on in which it expires', async () => {
  const token = await issuer.sign({ exp: seconds(clock) + 60 });
  await verifier.verify(token, anywhere);
  clock += 59_999;
  expect(verifier.verify(token, anywhere)).toMatchObject({ principal: { workspaceId: 'w1' } });
  clock += 1;
  const expired = { code: 'UNAUTHENTICATED', message: 'The JWT has expired.' };
  expect(() => verifier.verify(token, anywhere)).toThrow(expect.objectContaining(expired));
});

test('an issuer whose clock is five seconds ahead is forgiven, and for no token that has expired', async () => {
  const exp = seconds(clock) + 60;
  const ahead = await issuer.sign({ exp, nbf: seconds(clock) + 5 });
  await expect(verifier.verify(ahead, anywhere)).resolves.toBeDefined();
  const tooFar = await issuer.sign({ exp, nbf: seconds(clock) + 6 });
  await expect(verifier.verify(tooFar, anywhere)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  const expired = await issuer.sign({ exp: seconds(clock) - 1 });
  await expect(verifier.verify(expired, anywhere)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('an archived workspace closes a token that was good', async () => {
  const token = await issuer.sign({ exp: seconds(clock) + 60 });
  await verifier.verify(token, anywhere);
  known = { ...workspace, metadata: { team: 'blue' } };
  expect(verifier.verify(token, anywhere)).toMatchObject({ principal: { metadata: { team: 'blue' } } });
  known = null;
  expect(() => verifier.verify(token, anywhere)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
});
