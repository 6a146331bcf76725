import { decodeJwt } from 'jose';
import { endGrant, type McpGrantDocument, mcpGrantModel, readRefreshToken } from './grants/index.ts';
import { type McpTokenRequest, requireClient, type TokenDeps } from './token.ts';

export type Revocation = Pick<McpTokenRequest, 'proof' | 'issuer'> & { token: string };

/**
 * Ends the grant behind a token of a client (RFC 7009). Null where there is none, which is no error. Throws an OauthProblem
 * for a client that has not proven itself.
 */
export async function endByToken(
  deps: TokenDeps,
  { token, ...request }: Revocation,
): Promise<McpGrantDocument | null> {
  await requireClient(deps, request);
  const grantId = readRefreshToken(deps.secrets, token)?.grantId ?? (await grantOfAccess(deps, token));
  if (grantId === null) return null;
  const { clientId } = request.proof;
  const grant = await mcpGrantModel(deps.db).findOne({ _id: grantId, clientId }).lean<McpGrantDocument>();
  return grant && (await endGrant(deps, grantId)) ? grant : null;
}

/** The grant of an access token that is valid now. */
async function grantOfAccess({ tokens }: TokenDeps, token: string): Promise<string | null> {
  try {
    const { aud } = decodeJwt(token);
    return (await tokens.verify(token, typeof aud === 'string' ? [aud] : [])).grantId;
  } catch {
    // A token that means nothing is one that nobody can use: that is what the client wanted.
    return null;
  }
}
