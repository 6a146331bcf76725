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
import { createSignInAuthenticate } from '../authentication/sign-in/authenticate.ts';
import { createAccessTokenVerifier } from '../authentication/tokens/access-token.ts';
import type { Directory, SignInRecord } from '../directory/memory.ts';
import { GatewayError } from '../errors/index.ts';
import type { Knock } from '../graph/index.ts';
import { clientAddress } from '../lib/http/client-address.ts';
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
  /** Told of each use of a sign-in. */
  onSignInUse(signIn: SignInRecord): void;
  /** How the answer to a wrong credential is delayed. */
  sleep: Sleep;
  now: () => Date;
  log: Logger;
  /** Hears which API key was used. */
  onUse: (keyId: string) => void;
};

/** Who may come in, by which credentials, at which door. */
export function createAccess(given: Given) {
  const { settings, db, secrets, changes, directory, onUse, onSignInUse, sleep, now, log } = given;
  const signingKeys = createSigningKeys({ db, secrets, changes, now, log });
  const accessTokens = createAccessTokenVerifier({ directory, keys: signingKeys, now });
  const issuers = createJwtIssuers(settings.identity.jwtIssuers, {
    workspaces: directory.workspaces,
    now,
    log,
  });
  const authenticate = createAuthenticate(directory, secrets, [accessTokens, issuers.verifier], onUse);
  const bySignIn = createSignInAuthenticate({ directory, secrets, onUse: onSignInUse, now });
  const throttle = createThrottle({ log, sleep, now: () => performance.now() });
  const principalBy = (own: Authenticate, door: string) => {
    const authenticateHere = throttled(own, throttle, door);
    return async (knock: Knock): Promise<Principal> =>
      (await authenticateHere(credentialOf(knock.headers), clientAddress(knock))).principal;
  };
  /** Null for a caller without a credential. */
  const orNobody = (principalOf: (knock: Knock) => Promise<Principal>) => async (knock: Knock) =>
    credentialOf(knock.headers) ? principalOf(knock) : null;
  return {
    signingKeys,
    issuers,
    throttle,
    forInference: throttled(authenticate, throttle, 'inference'),
    forMcp: throttled(authenticate, throttle, 'mcp'),
    /** Accepts every kind of credential; null for a caller without one. */
    at: (door: string) => orNobody(principalBy(authenticate, door)),
    /** Accepts sign-ins alone; null for a caller without one. */
    atConsole: orNobody(principalBy(bySignIn, 'console')),
    forConsoleInference: throttled(bySignIn, throttle, 'console'),
    /** For calls that are made later on behalf of whoever a door has let in before, by a credential or by a sign-in. */
    onBehalf: throttled(eitherOf(authenticate, bySignIn), throttle, 'inference'),
    /** Accepts access tokens alone. */
    ofAccount: principalBy(createAccountAuthenticate(accessTokens), 'rest'),
  };
}

/** Accepts what one of two accepts; what neither does is refused in the words of the first. */
const eitherOf =
  (first: Authenticate, second: Authenticate): Authenticate =>
  async (credential) => {
    try {
      return await first(credential);
    } catch (refusal) {
      if (!isUnknown(refusal)) throw refusal;
      try {
        return await second(credential);
      } catch (error) {
        throw isUnknown(error) ? refusal : error;
      }
    }
  };

const isUnknown = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'UNAUTHENTICATED';
