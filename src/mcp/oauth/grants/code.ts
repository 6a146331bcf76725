import { hash, timingSafeEqual } from 'node:crypto';
import { uuid } from '../../../lib/ids.ts';
import { invalidGrant } from '../problem.ts';
import type { McpScope } from '../scopes.ts';
import { endGrant, type GrantDeps, REFRESH_MS } from './issue.ts';
import { type GrantHolder, type McpGrantDocument, mcpGrantModel } from './model.ts';

/** What somebody has agreed to. */
export type Consented = {
  organisationId: string;
  workspaceId: string;
  userId: string;
  holder: GrantHolder;
  clientId: string;
  clientName: string | null;
  redirectUri: string;
  resource: string;
  scopes: McpScope[];
  codeChallenge: string;
};

/** Milliseconds in which a code must be used. */
const CODE_MS = 60_000;

/** A grant that comes into effect once its code is used, and the code, which stands nowhere else. */
export async function makeGrant(
  { db, secrets, now }: Pick<GrantDeps, 'db' | 'secrets' | 'now'>,
  consented: Consented,
): Promise<{ grantId: string; code: string }> {
  const createdAt = now();
  const [grantId, code] = [uuid(), secrets.generateKey()];
  await mcpGrantModel(db).create({
    ...consented,
    _id: grantId,
    codeHash: secrets.hash(code),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + CODE_MS),
  });
  return { grantId, code };
}

export type CodeUse = {
  code: string;
  verifier: string;
  redirectUri: string | undefined;
  clientId: string;
  /** Null where the client names none. */
  resource: string | null;
};

/**
 * The grant behind a code, which counts once: whoever brings it a second time ends what came of it. A code whose client does
 * not prove to be the one that asked is used up too. Throws an OauthProblem.
 */
export async function useCode(deps: GrantDeps, use: CodeUse): Promise<McpGrantDocument> {
  const { db, secrets, now } = deps;
  const at = now();
  const ofCode = { codeHash: secrets.hash(use.code), clientId: use.clientId };
  const grant = await mcpGrantModel(db)
    .findOneAndUpdate(
      { ...ofCode, codeUsedAt: null, expiresAt: { $gt: at } },
      {
        $set: {
          codeUsedAt: at,
          generation: 1,
          rotatedAt: at,
          expiresAt: new Date(at.getTime() + REFRESH_MS),
        },
      },
      { returnDocument: 'after' },
    )
    .lean<McpGrantDocument>();
  if (!grant) {
    const used = await mcpGrantModel(db)
      .findOne({ ...ofCode, codeUsedAt: { $ne: null } }, { _id: 1 })
      .lean();
    if (used) await endGrant(deps, used._id);
    throw invalidGrant();
  }
  const isSame =
    grant.redirectUri === use.redirectUri &&
    (use.resource === null || use.resource === grant.resource) &&
    fits(use.verifier, grant.codeChallenge ?? '');
  if (isSame) return grant;
  await endGrant(deps, grant._id);
  throw invalidGrant();
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

function fits(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const [given, wanted] = [Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
