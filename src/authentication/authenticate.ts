import type { IncomingHttpHeaders } from 'node:http';
import type { Throttle } from '../auth/index.ts';
import type { Directory, KeyRecord } from '../directory/memory.ts';
import { catalogue, GatewayError } from '../errors/index.ts';
import { headerOf } from '../lib/http/headers.ts';
import { isGatewayKey, type Secrets } from '../storage/secrets.ts';
import { hasOwnCredential } from './own-credentials.ts';
import { headerOfToken, isToken, type TokenVerifier } from './tokens/verifier.ts';

export type Credential = {
  secret: string;
  /** The secret has the form of a JWT, which no gateway key has. */
  isToken: boolean;
  /** The id or slug in `x-gateway-workspace-id`: the workspace in which a token is to be used. */
  workspace: string | null;
  /** The `Authorization` header when the gateway key came in another one: then it belongs to the provider. */
  providerAuthorization: string | null;
};

const MAX_SECRET_LENGTH = 512;
const MAX_TOKEN_LENGTH = 8192;

/**
 * Finds a caller's gateway key or token: in `x-gateway-api-key`, else in `Authorization: Bearer`, else in `x-api-
 * key`, where Anthropic's SDKs put a key. The last two may hold a credential of a provider. So `x-api-key` counts
 * only when its value looks like a credential of this gateway and the bearer does not. Null when there is no such
 * credential.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential | null {
  const own = headerOf(headers, 'x-gateway-api-key')?.trim();
  const { authorization } = headers;
  if (own) return credential(headers, own, ofProvider(authorization, own));
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  const other = headerOf(headers, 'x-api-key');
  if (other !== undefined && !(bearer && isOfGateway(bearer))) {
    const key = other.trim();
    if (isOfGateway(key)) return credential(headers, key, ofProvider(authorization, key));
  }
  return bearer ? credential(headers, bearer, null) : null;
}

const isOfGateway = (text: string): boolean => isGatewayKey(text) || isToken(text);

/**
 * Some SDKs always send a key as bearer, even one from before a rotation. A key of this gateway is never a
 * provider's.
 */
const ofProvider = (authorization: string | undefined, own: string): string | null =>
  authorization === undefined || authorization.includes(own) || hasOwnCredential(authorization)
    ? null
    : authorization;

function credential(
  headers: IncomingHttpHeaders,
  secret: string,
  providerAuthorization: string | null,
): Credential {
  const workspace = headerOf(headers, 'x-gateway-workspace-id')?.trim() || null;
  return { secret, isToken: isToken(secret), workspace, providerAuthorization };
}

export type Authenticate = (credential: Credential | null) => KeyRecord | Promise<KeyRecord>;

/** Looks a gateway key up by its keyed hash, or has a token judged; throws UNAUTHENTICATED for what is not valid. */
export function createAuthenticate(
  directory: Pick<Directory, 'keys'>,
  secrets: Secrets,
  verifiers: TokenVerifier[],
  /** Hears which key was used, at each request. */
  onUse: (keyId: string) => void,
): Authenticate {
  const judge = createJudge(verifiers);
  const used = (found: KeyRecord | null): KeyRecord => {
    const key = usable(found);
    onUse(key.principal.id);
    return key;
  };
  return (credential) => {
    if (!credential) {
      throw new GatewayError('UNAUTHENTICATED', {
        message:
          'No API key of the gateway given: send it as x-gateway-api-key, Authorization: Bearer or x-api-key.',
      });
    }
    if (credential.isToken) return judge(credential);
    if (credential.secret.length > MAX_SECRET_LENGTH) throw new GatewayError('UNAUTHENTICATED');
    const found = directory.keys.get(secrets.hash(credential.secret));
    return found instanceof Promise ? found.then(used) : used(found);
  };
}

/** Hands a token to the verifier of its kind. */
function createJudge(verifiers: TokenVerifier[]) {
  const byType = new Map(verifiers.map((verifier) => [verifier.type, verifier]));
  return ({ secret, workspace }: Credential): KeyRecord | Promise<KeyRecord> => {
    const verifier = secret.length > MAX_TOKEN_LENGTH ? null : byType.get(headerOfToken(secret)?.type ?? '');
    if (!verifier) throw new GatewayError('UNAUTHENTICATED', { message: 'The token is not valid here.' });
    return verifier.verify(secret, { workspace });
  };
}

/** The key, unless it does not exist or has expired: then throws UNAUTHENTICATED. */
export function usable(key: KeyRecord | null): KeyRecord {
  if (!key) throw new GatewayError('UNAUTHENTICATED', { message: 'The API key is not valid.' });
  if (key.expiresAt !== null && key.expiresAt <= Date.now()) {
    throw new GatewayError('UNAUTHENTICATED', { message: 'The API key has expired.' });
  }
  return key;
}

/** The same check at a front door; `address` is undefined when nobody waits for an answer. */
export type DoorAuthenticate = (
  credential: Credential | null,
  address: string | undefined,
) => KeyRecord | Promise<KeyRecord>;

/** Delays answers to wrong credentials; a valid credential costs nothing more. */
export function throttled(authenticate: Authenticate, throttle: Throttle, door: string): DoorAuthenticate {
  const refuse = async (error: unknown, credential: Credential | null, address: string | undefined) => {
    // A request without a credential is no guess.
    if (!credential || address === undefined) throw error;
    return throttle.refuse(error, { door, address });
  };
  return (credential, address) => {
    try {
      const found = authenticate(credential);
      if (!(found instanceof Promise)) return found;
      return found.catch((error: unknown) => refuse(error, credential, address));
    } catch (error) {
      return refuse(error, credential, address);
    }
  };
}

/**
 * Authenticates callers of the paths that take access tokens alone. Throws INVALID_AUTHORISATION for any other
 * credential, and for none.
 */
export function createAccountAuthenticate(accessTokens: TokenVerifier) {
  const judge = createJudge([accessTokens]);
  return async (credential: Credential | null): Promise<KeyRecord> => {
    if (!credential) throw invalidAuthorisation('Send an access token as Authorization: Bearer.');
    if (!credential.isToken)
      throw invalidAuthorisation('This path takes access tokens, and no gateway keys.');
    try {
      return await judge(credential);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'UNAUTHENTICATED') throw error;
      throw invalidAuthorisation(error.message, error.cause);
    }
  };
}

const invalidAuthorisation = (reason: string, cause?: unknown): GatewayError =>
  new GatewayError('INVALID_AUTHORISATION', {
    message: `${catalogue.INVALID_AUTHORISATION.message} ${reason}`,
    cause,
  });
