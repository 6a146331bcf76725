import { type AccessTokenClaims, signAccessToken } from '../../src/auth/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createChanges } from '../../src/storage/changes.ts';
import type { Secrets } from '../../src/storage/secrets.ts';
import { createSigningKeys } from '../../src/storage/signing-keys/index.ts';
import type { TestApp } from './app.ts';

/** A token that the app's own key signed at another time, so that a test need not wait for its end. */
export async function forgedToken(
  app: TestApp,
  secrets: Secrets,
  issuedAt: Date,
  claims: Partial<AccessTokenClaims> = {},
): Promise<string> {
  const log = createLogger('silent');
  const keys = createSigningKeys({
    db: app.db,
    secrets,
    changes: createChanges(app.db, log),
    now: () => new Date(),
    log,
  });
  await keys.start();
  keys.stop();
  return signAccessToken(keys.current(), {
    clientId: app.clientId,
    tsgId: app.tsgId,
    secretVersion: 1,
    ...claims,
    issuer: app.url,
    tokenId: 'forged',
    access: [],
    issuedAt,
  });
}
