import { type CryptoKey, decodeJwt, decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { GatewayError } from '../errors/index.ts';

/** Seconds for which an access token is valid. */
export const ACCESS_TOKEN_SECONDS = 900;
/** The same for a token with which a client calls MCP servers. */
export const MCP_TOKEN_SECONDS = 3600;

/** What the header of an access token says it is (RFC 9068); JWTs of other issuers say `JWT`. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

const AUDIENCE = 'sluice';

/** People and clients may read these; what a token may do is looked up anew with each request. */
export type HeldRole = { role: string; resource: string };

export type AccessTokenClaims = {
  clientId: string;
  tsgId: string;
  /** Version of the account's secret that the token was asked for with. */
  secretVersion: number;
};

type Key = { id: string; privateKey: CryptoKey };
type Content = AccessTokenClaims & { issuer: string; tokenId: string; access: HeldRole[]; issuedAt: Date };

/** A JWT that lives for 900 seconds. */
export function signAccessToken(key: Key, content: Content): Promise<string> {
  const { clientId, tsgId, secretVersion, access, issuer, tokenId } = content;
  const issuedAt = Math.floor(content.issuedAt.getTime() / 1000);
  return new SignJWT({ client_id: clientId, tsg_id: tsgId, access, secret_version: secretVersion })
    .setProtectedHeader({ alg: 'ES256', typ: ACCESS_TOKEN_TYPE, kid: key.id })
    .setIssuer(issuer)
    .setSubject(clientId)
    .setAudience(AUDIENCE)
    .setJti(tokenId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(key.privateKey);
}

/** An access token that was signed here; `expiresAt` in milliseconds since the epoch. */
export type VerifiedToken = AccessTokenClaims & { expiresAt: number };

/**
 * Throws UNAUTHENTICATED for a token that the key did not sign, or that has expired. The issuer is not compared: it
 * is the address at which the client asked for the token, and the key belongs to this installation alone.
 */
export async function verifyAccessToken(
  token: string,
  publicKey: CryptoKey,
  now: Date,
): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: ['ES256'],
      typ: ACCESS_TOKEN_TYPE,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'tsg_id', 'secret_version'],
      currentDate: now,
    });
    return {
      clientId: String(payload.sub),
      tsgId: String(payload.tsg_id),
      secretVersion: Number(payload.secret_version),
      expiresAt: Number(payload.exp) * 1000,
    };
  } catch (cause) {
    throw cause instanceof errors.JWTExpired ? tokenExpired() : tokenInvalid(cause);
  }
}

/** The claims of a JWT, none of them proven. */
export function claimsToBeAccessToken(token: string): boolean {
  try {
    if (decodeProtectedHeader(token).typ !== ACCESS_TOKEN_TYPE) return false;
    const claims = decodeJwt(token);
    // A token for MCP servers names the grant that it comes from.
    return claims.aud === AUDIENCE || typeof claims.grant_id === 'string';
  } catch {
    // A text that is no JWT is no access token.
    return false;
  }
}

export const tokenExpired = (): GatewayError =>
  new GatewayError('UNAUTHENTICATED', { message: 'The access token has expired.' });

export const tokenInvalid = (cause?: unknown): GatewayError =>
  new GatewayError('UNAUTHENTICATED', { message: 'The access token is not valid.', cause });
