import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../errors/index.ts';
import type { Secrets } from '../storage/secrets.ts';
import { headerOf } from './call.ts';
import type { Directory, KeyRecord } from './directory.ts';

export type Credential = {
  secret: string;
  /** `Authorization` when the gateway key came in its own header, so that it is the provider's. */
  providerAuthorization: string | null;
};

const MAX_SECRET_LENGTH = 512;

/**
 * Where a caller's gateway key stands: `x-gateway-api-key` or, when that is absent, `Authorization: Bearer`
 * (spec/data-plane.md, section 1.1). Null when there is none.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential | null {
  const own = headerOf(headers, 'x-gateway-api-key')?.trim();
  const { authorization } = headers;
  // Some SDKs always send their key as bearer: the gateway key in both places is not a provider's credential.
  if (own)
    return {
      secret: own,
      providerAuthorization: authorization?.includes(own) ? null : (authorization ?? null),
    };
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  return bearer ? { secret: bearer, providerAuthorization: null } : null;
}

export type Authenticate = (credential: Credential | null) => KeyRecord | Promise<KeyRecord>;

/** Looks a gateway key up by its keyed hash; throws UNAUTHENTICATED for one that is missing, unknown or expired. */
export function createAuthenticate(directory: Directory, secrets: Secrets): Authenticate {
  return (credential) => {
    if (!credential) {
      throw new GatewayError('UNAUTHENTICATED', {
        message: 'No API key given: send it as x-gateway-api-key or as Authorization: Bearer.',
      });
    }
    if (credential.secret.length > MAX_SECRET_LENGTH) throw new GatewayError('UNAUTHENTICATED');
    const found = directory.keys.get(secrets.hash(credential.secret));
    return found instanceof Promise ? found.then(usable) : usable(found);
  };
}

function usable(key: KeyRecord | null): KeyRecord {
  if (!key) throw new GatewayError('UNAUTHENTICATED', { message: 'The API key is not valid.' });
  if (key.expiresAt !== null && key.expiresAt <= Date.now()) {
    throw new GatewayError('UNAUTHENTICATED', { message: 'The API key has expired.' });
  }
  return key;
}
