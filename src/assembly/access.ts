import type { Connection } from 'mongoose';
import { createThrottle, type Principal, type Sleep } from '../auth/index.ts';
import {
  type Authenticate,
  createAccountAuthenticate,
  createAuthenticate,
  credentialOf,
  throttled,
} from '../authentication/authenticate.ts';
import { createJwtIssuers } from '../authentication/jwt/index.ts';
import { createAccessTokenVerifier } from '../authentication/tokens/access-token.ts';
import type { Directory } from '../directory/memory.ts';
import type { Knock } from '../graph/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { Settings } from '../settings/index.ts';
import type { Changes } from '../storage/changes.ts';
import type { Secrets } from '../storage/secrets.ts';
import { createSigningKeys } from '../storage/signing-keys/index.ts';

type Given = {
  settings: Settings;
  db: Connection;
  secrets: Secrets;
  changes: Changes;
  directory: Directory;
  /** How the answer to a wrong credential is delayed. */
  sleep: Sleep;
  now: () => Date;
  log: Logger;
};

/** Who may come in, by which credentials, at which door. */
export function createAccess({ settings, db, secrets, changes, directory, sleep, now, log }: Given) {
  const signingKeys = createSigningKeys({ db, secrets, changes, now, log });
  const accessTokens = createAccessTokenVerifier({ directory, keys: signingKeys, now });
  const issuers = createJwtIssuers(settings.identity.jwtIssuers, {
    workspaces: directory.workspaces,
    now,
    log,
  });
  const authenticate = createAuthenticate(directory, secrets, [accessTokens, issuers.verifier]);
  const throttle = createThrottle({ log, sleep, now: () => performance.now() });
  const principalBy = (own: Authenticate, door: string) => {
    const authenticateHere = throttled(own, throttle, door);
    return async ({ headers, socket }: Knock): Promise<Principal> =>
      (await authenticateHere(credentialOf(headers), socket?.remoteAddress)).principal;
  };
  return {
    signingKeys,
    issuers,
    throttle,
    forInference: throttled(authenticate, throttle, 'inference'),
    /** Accepts every kind of credential; null for a caller without one. */
    at(door: string) {
      const principalOf = principalBy(authenticate, door);
      return async (knock: Knock): Promise<Principal | null> =>
        credentialOf(knock.headers) ? principalOf(knock) : null;
    },
    /** Accepts access tokens alone. */
    ofAccount: principalBy(createAccountAuthenticate(accessTokens), 'rest'),
  };
}
