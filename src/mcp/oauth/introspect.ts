import { decodeJwt } from 'jose';
import type { Principal } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { McpTokenVerifier } from './grants/index.ts';

/** What a token means to whoever asks (RFC 7662); `{active: false}` for a token of another tenant as for none. */
export type Introspection = (token: string, asker: Principal) => Promise<JsonObject>;

const INACTIVE: JsonObject = { active: false };

export async function introspect(
  tokens: McpTokenVerifier,
  token: string,
  asker: Principal,
): Promise<JsonObject> {
  const found = await bearerOf(tokens, token);
  if (!found) return INACTIVE;
  const { claims, bearer } = found;
  const { principal } = bearer.record;
  const isOwn =
    principal.organisationId === asker.organisationId &&
    (asker.workspaceId === null || asker.workspaceId === principal.workspaceId);
  if (!isOwn) return INACTIVE;
  return {
    active: true,
    token_type: 'Bearer',
    scope: bearer.scopes.join(' '),
    client_id: bearer.clientId,
    username: principal.name,
    ...{
      sub: claims.sub,
      aud: claims.aud,
      iss: claims.iss,
      exp: claims.exp,
      iat: claims.iat,
      jti: claims.jti,
    },
    organisation_id: principal.organisationId,
    workspace_id: principal.workspaceId,
  };
}

async function bearerOf(tokens: McpTokenVerifier, token: string) {
  try {
    const claims = decodeJwt(token);
    if (typeof claims.aud !== 'string') return null;
    return { claims, bearer: await tokens.verify(token, [claims.aud]) };
  } catch (error) {
    // What is no token of ours, or no valid one, is told as such; a database that does not answer is not.
    if (error instanceof GatewayError && error.entry.status >= 500) throw error;
    return null;
  }
}
