import { invalidGrant, invalidTarget } from '../problem.ts';
import { endGrant, type GrantDeps, REFRESH_MS } from './issue.ts';
import { type McpGrantDocument, mcpGrantModel } from './model.ts';
import { readRefreshToken } from './refresh-token.ts';

/** Milliseconds in which a client that got no answer may come again with the token that it has used. */
const GRACE_MS = 30_000;

export type RefreshUse = { token: string; clientId: string; resource: string | null };

/**
 * The grant of a refresh token, one generation on. The token before the latest gives the same successor again for half a
 * minute; any older one was stolen from somebody, and ends the grant. Throws an OauthProblem.
 */
export async function useRefreshToken(deps: GrantDeps, use: RefreshUse): Promise<McpGrantDocument> {
  const { db, secrets, now } = deps;
  const read = readRefreshToken(secrets, use.token);
  if (!read) throw invalidGrant();
  const at = now();
  const ofClient = { _id: read.grantId, clientId: use.clientId, expiresAt: { $gt: at } };
  const before = await mcpGrantModel(db).findOne(ofClient).lean<McpGrantDocument>();
  if (!before) throw invalidGrant();
  if (use.resource !== null && use.resource !== before.resource) throw invalidTarget();
  const rotated = await mcpGrantModel(db)
    .findOneAndUpdate(
      { ...ofClient, generation: read.generation },
      { $set: { rotatedAt: at, expiresAt: new Date(at.getTime() + REFRESH_MS) }, $inc: { generation: 1 } },
      { returnDocument: 'after' },
    )
    .lean<McpGrantDocument>();
  return rotated ?? successorOf(deps, read);
}

async function successorOf(
  deps: GrantDeps,
  { grantId, generation }: { grantId: string; generation: number },
): Promise<McpGrantDocument> {
  const grant = await mcpGrantModel(deps.db).findById(grantId).lean<McpGrantDocument>();
  if (!grant) throw invalidGrant();
  const age = deps.now().getTime() - (grant.rotatedAt?.getTime() ?? 0);
  if (grant.generation === generation + 1 && age <= GRACE_MS) return grant;
  await endGrant(deps, grantId);
  throw invalidGrant();
}
