import { claimsToBeAccessToken } from '../auth/index.ts';
import { hasGatewayKey } from '../storage/secrets.ts';

// The match may begin only where no token can have begun before, so that a long text is read once and not once for
// each character.
const token = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** A gateway key has 46 characters; a token's shortest header, body and signature together are longer than this. */
const SHORTEST = 20;

/** Whether a gateway key or an access token stands in a text: neither is a credential for a provider. */
export function hasOwnCredential(text: string): boolean {
  if (text.length < SHORTEST) return false;
  if (hasGatewayKey(text)) return true;
  const found = token.exec(text)?.[0];
  return found !== undefined && claimsToBeAccessToken(found);
}
