import type { Secrets } from '../../storage/secrets.ts';

/** What stands on a page in the form of a text that nobody can write or change but this installation. */
export type SealedRequest = {
  /** The query with which the client sent the browser here. */
  query: string;
  /** The sign-in for which the page was made; null for a page that asks people to sign in. */
  signInId: string | null;
};

/** Milliseconds in which somebody must decide. */
const LIFE_MS = 600_000;
const OWNER = 'mcp authorization page';
/** Characters of the longest text that is looked at; the query has a bound of its own. */
const MAX_LENGTH = 12_000;

export function seal(secrets: Secrets, request: SealedRequest, now: Date): string {
  return secrets.encrypt(JSON.stringify({ ...request, until: now.getTime() + LIFE_MS }), OWNER);
}

/** Null for a text that was not sealed here, or too long ago. */
export function unseal(secrets: Secrets, text: string, now: Date): SealedRequest | null {
  if (text.length > MAX_LENGTH) return null;
  try {
    const { until, ...request } = JSON.parse(secrets.decrypt(text, OWNER)) as SealedRequest & {
      until: number;
    };
    return until > now.getTime() ? request : null;
  } catch {
    // A text that does not open was changed, or comes from an installation with another key.
    return null;
  }
}
