import type { Secrets } from '../../storage/secrets.ts';

/** What an address says with which somebody connects to a server. */
export type ConnectLink = {
  organisationId: string;
  serverId: string;
  userId: string;
  /** Scopes to ask for, where the server has said that it wants more; null leaves them to what is published. */
  scope: string | null;
};

/** Milliseconds that an address is good for. */
const LIFE_MS = 600_000;
const OWNER = 'mcp connect link';
const MAX_LENGTH = 2048;

/** An address that leads a user, and nobody else, to the sign-in of a server. */
export function connectUrl(
  secrets: Pick<Secrets, 'encrypt'>,
  base: string,
  link: ConnectLink,
  now: number,
): string {
  const sealed = secrets.encrypt(JSON.stringify({ ...link, until: now + LIFE_MS }), OWNER);
  return `${base}/oauth/authorize?connect=${sealed}`;
}

/** Null for a text that was not made here, or too long ago. */
export function readConnectLink(
  secrets: Pick<Secrets, 'decrypt'>,
  sealed: string,
  now: number,
): ConnectLink | null {
  if (sealed.length > MAX_LENGTH) return null;
  try {
    const { until, ...link } = JSON.parse(secrets.decrypt(sealed, OWNER)) as ConnectLink & { until: number };
    return until > now ? link : null;
  } catch {
    // A text that does not open was changed, or comes from an installation with another key.
    return null;
  }
}
