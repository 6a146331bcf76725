import { randomBytes } from 'node:crypto';

/** A time-ordered UUID (RFC 9562, version 7), so that new documents land at the end of the primary index. */
export function uuid(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
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
