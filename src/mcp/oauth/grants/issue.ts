import type { Connection } from 'mongoose';
import { MCP_TOKEN_SECONDS } from '../../../auth/index.ts';
import type { Changes } from '../../../storage/changes.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import type { SigningKeys } from '../../../storage/signing-keys/index.ts';
import { narrowed } from '../scopes.ts';
import { signMcpToken } from './access-token.ts';
import { type McpGrantDocument, mcpGrantModel } from './model.ts';
import { refreshToken } from './refresh-token.ts';

export type GrantDeps = {
  db: Connection;
  secrets: Secrets;
  changes: Pick<Changes, 'publish'>;
  signingKeys: Pick<SigningKeys, 'current'>;
  now: () => Date;
};

/** Milliseconds after its last use at which a grant ends. */
export const REFRESH_MS = 30 * 24 * 3_600_000;

/** The answer of the token endpoint (RFC 6749, section 5.1). */
export type McpTokenAnswer = {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  scope: string;
  refresh_token?: string;
};

/** The tokens of a grant, with the refresh token of its generation where it has any. */
export async function tokensOf(
  { secrets, signingKeys, now }: GrantDeps,
  grant: McpGrantDocument,
  { issuer, scope }: { issuer: string; scope: string | undefined },
): Promise<McpTokenAnswer> {
  const scopes = narrowed(grant.scopes, scope);
  const { _id: grantId, clientId, resource: audience, organisationId, workspaceId } = grant;
  const subject = grant.userId ?? clientId;
  const token = await signMcpToken(
    signingKeys,
    { grantId, subject, clientId, audience, scopes, organisationId, workspaceId },
    { issuer, now: now(), seconds: MCP_TOKEN_SECONDS },
  );
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: MCP_TOKEN_SECONDS,
    scope: scopes.join(' '),
    ...(grant.generation > 0 && { refresh_token: refreshToken(secrets, grantId, grant.generation) }),
  };
}

/** Takes a grant back with all its tokens: here at once, elsewhere within a second. False where it was gone. */
export async function endGrant(
  { db, changes }: Pick<GrantDeps, 'db' | 'changes'>,
  grantId: string,
): Promise<boolean> {
  const { deletedCount } = await mcpGrantModel(db).deleteOne({ _id: grantId });
  await changes.publish('mcp_grant');
  return deletedCount > 0;
}
