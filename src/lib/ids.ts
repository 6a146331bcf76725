import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const MAX_COUNT = 0xfff;

let lastTime = 0;
/** The time part of the latest id: it changes once a millisecond, ids are made many times in one. */
let prefix = '';
let count = 0;

/**
 * A time-ordered UUID (RFC 9562, version 7), so that new documents land at the end of the primary index. Within a
 * millisecond the 12 bits behind the time count, so that ids of one process sort in the order they were made.
 */
export function uuid(): string {
  const now = Date.now();
  if (now > lastTime) startAt(now);
  else if (++count > MAX_COUNT) startAt(lastTime + 1);
  // Behind the counter, the random part of a version 4 UUID, which Node takes from a pool of random bytes.
  return prefix + (0x7000 + count).toString(16) + randomUUID().slice(18);
}

function startAt(time: number): void {
  const hex = time.toString(16).padStart(12, '0');
  lastTime = time;
  prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-`;
  count = 0;
}

/** A tenant's id: ten random digits, the first of them not 0 (service.md, "Service account"). */
export const tsgId = (): string => String(randomInt(1_000_000_000, 10_000_000_000));

const slugTail = () => randomBytes(4).toString('hex').slice(0, 6);

// With prefix and tail at most 50 characters, the tightest bound that a resource has for its slug.
const MAX_STEM = 40;

/** `My Config!` -> `my-config-3f9c01`: lower case, `[a-z0-9_-]`, with a random tail that keeps equal names apart. */
export function slugFrom(name: string, prefix = ''): string {
  const stem = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_STEM)
    .replace(/-+$/, '');
  return `${prefix}${stem ? `${stem}-` : ''}${slugTail()}`;
}
