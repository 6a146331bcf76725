import { hash } from 'node:crypto';
import type { CryptoKey } from 'jose';
import {
  ACCESS_TOKEN_TYPE,
  tokenExpired,
  tokenInvalid,
  type VerifiedToken,
  verifyAccessToken,
} from '../../auth/index.ts';
import type { AccountRecord, Directory, KeyRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import type { SigningKeys } from '../../storage/signing-keys/index.ts';
import { principalOf, workspaceOf } from './service-account.ts';
import { headerOfToken, type TokenVerifier, whenKnown } from './verifier.ts';

/** The most tokens that are remembered after a check of their signature: a request does not pay for that twice. */
const KEPT = 20_000;

/** The ids of this installation's signing keys are thumbprints. */
const keyIdForm = /^[\w-]{43}$/;

type Kept = VerifiedToken & { keyId: string };

/**
 * Judges the tokens of the token endpoint: their signature and age once, the permissions of the account with each
 * request.
 */
export function createAccessTokenVerifier(options: {
  directory: Pick<Directory, 'accounts' | 'workspaces'>;
  keys: Pick<SigningKeys, 'find'>;
  now: () => Date;
}): TokenVerifier {
  const { directory, keys, now } = options;
  const verified = grownCache<Kept>(KEPT);

  async function judge(token: string, digest: string, keyId: string, key: CryptoKey): Promise<Kept> {
    const kept = { ...(await verifyAccessToken(token, key, now())), keyId };
    verified.set(digest, kept);
    return kept;
  }

  function claimsOf(token: string): Kept | Promise<Kept> {
    const digest = hash('sha256', token, 'base64');
    const kept = verified.get(digest);
    const keyId = kept?.keyId ?? headerOfToken(token)?.keyId ?? '';
    if (!keyIdForm.test(keyId)) throw tokenInvalid();
    return whenKnown(keys.find(keyId), (key) => {
      // This is also the answer to a token that was valid until its key was revoked.
      if (!key) throw tokenInvalid();
      if (!kept) return judge(token, digest, keyId, key);
      if (kept.expiresAt <= now().getTime()) throw tokenExpired();
      return kept;
    });
  }

  function recordOf(claims: Kept, account: AccountRecord | null, asked: string | null) {
    if (!account || account.secretVersion !== claims.secretVersion) throw accountChanged();
    return whenKnown(
      workspaceOf(account, asked, directory.workspaces),
      (workspace): KeyRecord => ({
        principal: principalOf(account, workspace),
        expiresAt: claims.expiresAt,
        defaultConfig: null,
        allowConfigOverride: true,
        savedConfigsOnly: workspace?.savedConfigsOnly ?? false,
        logMode: workspace?.logMode ?? null,
        limits: [],
      }),
    );
  }

  return {
    type: ACCESS_TOKEN_TYPE,
    verify: (token, { workspace }) =>
      whenKnown(claimsOf(token), (claims) =>
        whenKnown(directory.accounts.get(`${claims.clientId}/${claims.tsgId}`), (account) =>
          recordOf(claims, account, workspace),
        ),
      ),
  };
}

/** One message for every change that can have happened since the token was issued. */
const accountChanged = () =>
  new GatewayError('UNAUTHENTICATED', {
    message: "The token's service account is gone, has a new secret, or has no role in the tenant any more.",
  });
