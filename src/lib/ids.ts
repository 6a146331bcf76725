import { randomBytes, randomUUID } from 'node:crypto';

/** A time-ordered UUID (RFC 9562, version 7), so that new documents land at the end of the primary index. */
export function uuid(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // The random part of a version 4 UUID, which Node takes from a pool of random bytes.
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(15)}`;
}

const slugTail = () => randomBytes(4).toString('hex').slice(0, 6);

/** `My Config!` -> `my-config-3f9c01`: lower case, `[a-z0-9_-]`, with a random tail that keeps equal names apart. */
export function slugFrom(name: string, prefix = ''): string {
  const stem = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
  return `${prefix}${stem ? `${stem}-` : ''}${slugTail()}`;
}
