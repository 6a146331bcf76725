import { randomUUID } from 'node:crypto';
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { ACCESS_TOKEN_TYPE, tokenExpired, tokenInvalid } from '../../../auth/index.ts';
import type { SigningKeys } from '../../../storage/signing-keys/index.ts';

type PublicKey = NonNullable<Awaited<ReturnType<SigningKeys['find']>>>;

/** What an access token for MCP servers says. */
export type McpTokenClaims = {
  grantId: string;
  /** The user, or the key that stands for nobody. */
  subject: string;
  clientId: string;
  /** What it is for, as a URL. */
  audience: string;
  scopes: readonly string[];
  organisationId: string;
  workspaceId: string;
};

/** A JWT (RFC 9068) that lives for some seconds. */
export function signMcpToken(
  keys: Pick<SigningKeys, 'current'>,
  claims: McpTokenClaims,
  { issuer, now, seconds }: { issuer: string; now: Date; seconds: number },
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const key = keys.current();
  return new SignJWT({
    client_id: claims.clientId,
    scope: claims.scopes.join(' '),
    organisation_id: claims.organisationId,
    workspace_id: claims.workspaceId,
    grant_id: claims.grantId,
  })
    .setProtectedHeader({ alg: 'ES256', typ: ACCESS_TOKEN_TYPE, kid: key.id })
    .setIssuer(issuer)
    .setSubject(claims.subject)
    .setAudience(claims.audience)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + seconds)
    .sign(key.privateKey);
}

/** Claims of a token that was signed here; times in milliseconds since the epoch. */
export type ProvenClaims = McpTokenClaims & { tokenId: string; issuedAt: number; expiresAt: number };

/** Throws UNAUTHENTICATED for a token that the key did not sign, that has expired, or that is for no MCP server. */
export async function proveMcpToken(token: string, key: PublicKey, now: Date): Promise<ProvenClaims> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['ES256'],
      typ: ACCESS_TOKEN_TYPE,
      requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'grant_id', 'client_id', 'scope', 'workspace_id'],
      currentDate: now,
    });
    const { aud, scope } = payload;
    if (typeof aud !== 'string' || typeof scope !== 'string') throw tokenInvalid();
    return {
      grantId: String(payload.grant_id),
      subject: String(payload.sub),
      clientId: String(payload.client_id),
      audience: aud,
      scopes: scope.split(' '),
      organisationId: String(payload.organisation_id),
      workspaceId: String(payload.workspace_id),
      tokenId: String(payload.jti),
      issuedAt: Number(payload.iat) * 1000,
      expiresAt: Number(payload.exp) * 1000,
    };
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw tokenExpired();
    throw cause instanceof errors.JOSEError ? tokenInvalid(cause) : cause;
  }
}

/** Whether a JWT says that it is for MCP servers; nothing of it is proven. */
export function isMcpToken(token: string): boolean {
  try {
    const { grant_id: grantId } = decodeJwt(token);
    return typeof grantId === 'string';
  } catch {
    // What cannot be read is left to whoever judges other tokens.
    return false;
  }
}
