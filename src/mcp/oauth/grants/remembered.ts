import type { Connection } from 'mongoose';
import { reachOf } from '../scopes.ts';
import type { Consented } from './code.ts';
import { type McpGrantDocument, mcpGrantModel } from './model.ts';

/** What somebody would be asked to agree to. */
export type Agreement = Omit<Consented, 'clientName' | 'codeChallenge'>;

/** Grants that are looked at, the newest first. */
const MAX_LOOKED_AT = 50;

/**
 * Whether somebody has agreed to the same before, or to more, and it still holds: what was agreed to on the word of a key counts for
 * that key alone, since whoever had stolen another one might have agreed. Only a client with an https address is known to be the one
 * that was agreed to: any program can listen on the own machine, or take a scheme (RFC 8252, section 8.6).
 */
export async function hasAgreed(db: Connection, asked: Agreement, now: Date): Promise<boolean> {
  const { organisationId, workspaceId, userId, clientId, redirectUri, resource, holder } = asked;
  if (!redirectUri.startsWith('https://')) return false;
  const found = await mcpGrantModel(db)
    .find(
      {
        ...{ organisationId, userId, clientId, workspaceId, redirectUri, resource },
        ...{ codeUsedAt: { $ne: null }, expiresAt: { $gt: now } },
      },
      { holder: 1, scopes: 1 },
    )
    .sort({ createdAt: -1 })
    .limit(MAX_LOOKED_AT)
    .lean<Pick<McpGrantDocument, 'holder' | 'scopes'>[]>();
  const wanted = reachOf(asked.scopes);
  return found.some((grant) => isSame(grant.holder, holder) && covers(reachOf(grant.scopes), wanted));
}

type Reach = ReturnType<typeof reachOf>;

const covers = (has: Reach, wants: Reach): boolean =>
  (has.mayRead || !wants.mayRead) && (has.mayCall || !wants.mayCall);

const isSame = (one: Agreement['holder'], other: Agreement['holder']): boolean =>
  one.kind === 'key'
    ? other.kind === 'key' && one.secretHash === other.secretHash
    : other.kind === 'user' && one.userId === other.userId;
