import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Something that a provider issues for a while, such as an access token. */
export type Expiring<T> = { value: T; expiresAt: number };

export type ExpiringCache<T> = {
  (secret: string, issue: () => Promise<Expiring<T>>): Promise<T>;
  /** For what turned out to be good no more. */
  forget(secret: string): void;
};

const ENTRIES = 1000;
/** Milliseconds before its end at which a new one is fetched. */
const EARLY = 300_000;

/**
 * Remembers what was issued for a secret until shortly before it expires; whoever asks at the same time waits for the same
 * answer. Secrets are remembered by their hash.
 */
export function expiringCache<T>(): ExpiringCache<T> {
  const issued = new LRUCache<string, Promise<Expiring<T>>>({ max: ENTRIES });
  const current = async (key: string) => {
    const known = await issued.get(key);
    return known && known.expiresAt - EARLY > Date.now() ? known : null;
  };
  const remembered = async (secret: string, issue: () => Promise<Expiring<T>>): Promise<T> => {
    const key = hashOf(secret);
    const pending = issued.get(key);
    const known = await current(key);
    if (known) return known.value;
    // Somebody else may have asked for a new one while this waited.
    const latest = issued.get(key);
    if (latest && latest !== pending) return (await latest).value;
    const next = issue();
    issued.set(key, next);
    next.catch(() => {
      if (issued.get(key) === next) issued.delete(key);
    });
    return (await next).value;
  };
  const forget = (secret: string) => void issued.delete(hashOf(secret));
  return Object.assign(remembered, { forget });
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64');
