import * as openid from 'openid-client';
import { GatewayError } from '../../errors/index.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ConsoleOidc } from '../../settings/identity/console-oidc.ts';

/** What a sign-in at the provider begins with and must end with. */
export type Flow = {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  /** The query of `/oauth/authorize` to which the sign-in leads back; null for one at the console. */
  authorize: string | null;
};

/** What the provider says of a person. */
export type Claims = Record<string, unknown> & { sub: string };

export type OidcProvider = {
  /** The address at the provider to which a browser is sent, and what its answer must fit. */
  begin(redirectUri: string, authorize: string | null): Promise<{ address: URL; flow: Flow }>;
  /** The claims behind the provider's answer; throws UNAUTHENTICATED for one that does not fit the flow. */
  finish(query: string, flow: Flow): Promise<Claims>;
};

/** Seconds that a request to the provider may take. */
const TIMEOUT_SECONDS = 10;
/** Milliseconds for which the provider's metadata is kept. */
const METADATA_LIFE_MS = 3_600_000;

/** Authorisation code with PKCE and nonce; the signature of ID tokens is checked, whatever way they came. */
export function createOidcProvider(
  { issuer, clientId, clientSecret, scope }: ConsoleOidc,
  { now, log }: { now: () => Date; log: Logger },
): OidcProvider {
  let known: { found: Promise<openid.Configuration>; at: number } | null = null;

  function discover(): Promise<openid.Configuration> {
    const at = now().getTime();
    if (known && at - known.at < METADATA_LIFE_MS) return known.found;
    const found = openid.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === null ? openid.None() : openid.ClientSecretBasic(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        // The operator has named the address: one with http is within a network of theirs.
        execute: [
          openid.enableNonRepudiationChecks,
          ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    known = { found, at };
    found.catch(() => {
      known = null;
    });
    return found;
  }

  /** Tells an answer that is wrong from a provider that does not answer. */
  async function judged<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const isRefusal = cause instanceof openid.AuthorizationResponseError || isWrongAnswer(cause);
      // The reason is the library's own words, or an error code of OAuth: what the provider sent stays out of the log.
      log.warn({ issuer, reason: reasonOf(cause) }, 'A sign-in at the identity provider failed.');
      throw isRefusal ? wrongAnswer(cause) : unavailable(cause);
    }
  }

  return {
    begin: (redirectUri, authorize) =>
      judged(async () => {
        const configuration = await discover();
        const flow = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          verifier: openid.randomPKCECodeVerifier(),
          redirectUri,
          authorize,
        };
        const address = openid.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        });
        return { address, flow };
      }),
    finish: (query, { state, nonce, verifier, redirectUri }) =>
      judged(async () => {
        const configuration = await discover();
        const tokens = await openid.authorizationCodeGrant(
          configuration,
          new URL(`${redirectUri}?${query}`),
          { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
        );
        const claims = tokens.claims() as Claims;
        if (claims.email !== undefined) return claims;
        // Many providers tell the address at the userinfo endpoint alone.
        const told = await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return { ...told, ...claims };
      }),
  };
}

/** A provider that refuses with a 4xx, and an answer that breaks a rule; network failures and a 5xx are neither. */
function isWrongAnswer(error: unknown): boolean {
  if (error instanceof openid.ResponseBodyError || error instanceof openid.WWWAuthenticateChallengeError)
    return error.status < 500;
  if (!(error instanceof openid.ClientError)) return false;
  const { code } = error;
  return code !== 'OAUTH_TIMEOUT' && code !== 'OAUTH_ABORT' && !code?.startsWith('OAUTH_RESPONSE_IS_NOT');
}

function reasonOf(error: unknown): string {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
    return error.error.slice(0, 100);
  return error instanceof Error ? error.message : 'unknown';
}

const wrongAnswer = (cause: unknown) =>
  new GatewayError('UNAUTHENTICATED', {
    message: 'The identity provider has not signed you in, or its answer is not valid. Sign in again.',
    cause,
  });

const unavailable = (cause: unknown) =>
  new GatewayError('ISSUER_UNAVAILABLE', { message: 'The identity provider does not answer.', cause });
