import { hash, timingSafeEqual } from 'node:crypto';
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Secrets } from '../../../storage/secrets.ts';
import { documentOf } from '../bounded-json.ts';
import { unknownClient } from '../problem.ts';
import type { OauthClient } from './client.ts';
import { type ForeignUrls, foreignUrlProblem } from './foreign-url.ts';

/** What a client brings to prove itself. */
export type ClientProof = {
  clientId: string;
  /** With the way in which it came. */
  secret: { text: string; by: 'client_secret_basic' | 'client_secret_post' } | null;
  /** A JWT that the client has signed (RFC 7523). */
  assertion: string | null;
};

export type ProofDeps = {
  secrets: Pick<Secrets, 'hash'>;
  send: typeof fetch;
  foreign: ForeignUrls;
  /** What an assertion may name as its audience: the issuer and the token endpoint. */
  audiences: readonly string[];
  /** True the first time that it is asked for an id, until a time in milliseconds since the epoch. */
  isFirstUse(id: string, until: number): Promise<boolean>;
  now: () => Date;
};

const algorithms = ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'];
/** Seconds that an assertion may live. */
const MAX_LIFE = 300;
const TIMEOUT_MS = 5000;

/** Throws an OauthProblem unless a client has proven itself in the way that it registered for. */
export async function requireProof(client: OauthClient, proof: ClientProof, deps: ProofDeps): Promise<void> {
  const { authMethod, secretHash } = client;
  if (authMethod === 'private_key_jwt') return requireAssertion(client, proof.assertion, deps);
  if (proof.assertion !== null) throw unknownClient();
  if (authMethod === 'none') {
    if (proof.secret !== null) throw unknownClient();
    return;
  }
  // Either way of sending the secret is as safe as the other, and clients mix them up.
  if (proof.secret === null || secretHash === null) throw unknownClient();
  const given = Buffer.from(deps.secrets.hash(proof.secret.text));
  if (!timingSafeEqual(given, Buffer.from(secretHash))) throw unknownClient();
}

async function requireAssertion(
  client: OauthClient,
  assertion: string | null,
  deps: ProofDeps,
): Promise<void> {
  if (assertion === null) throw unknownClient();
  const payload = await assertedBy(client, assertion, deps);
  const now = deps.now().getTime();
  const until = Number(payload.exp) * 1000;
  if (until > now + MAX_LIFE * 1000) throw unknownClient();
  const id = hash('sha256', `${client.id} ${payload.jti}`, 'base64url');
  if (!(await deps.isFirstUse(id, until))) throw unknownClient();
}

async function assertedBy(client: OauthClient, assertion: string, deps: ProofDeps): Promise<JWTPayload> {
  try {
    const keys = createLocalJWKSet((client.jwks ?? (await fetchKeys(client.jwksUri, deps))) as never);
    const { payload } = await jwtVerify(assertion, keys, {
      algorithms,
      issuer: client.id,
      subject: client.id,
      audience: [...deps.audiences],
      requiredClaims: ['exp', 'jti'],
      currentDate: deps.now(),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw unknownClient();
    throw error;
  }
}

async function fetchKeys(
  uri: string | null,
  { send, foreign }: Pick<ProofDeps, 'send' | 'foreign'>,
): Promise<object> {
  if (uri === null || foreignUrlProblem(uri, foreign) !== null) throw unknownClient();
  try {
    const answer = await send(uri, {
      headers: { accept: 'application/jwk-set+json, application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    const found = await documentOf(answer);
    if (answer.status !== 200 || !Array.isArray(found?.keys)) throw unknownClient();
    return found;
  } catch {
    // Whatever went wrong on the way, the client has not proven itself.
    throw unknownClient();
  }
}
