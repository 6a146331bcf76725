import { randomBytes, randomUUID } from 'node:crypto';

const MAX_COUNT = 0xfff;

let lastTime = 0;
let count = 0;

/**
 * A time-ordered UUID (RFC 9562, version 7), so that new documents land at the end of the primary index. Within a
 * millisecond the 12 bits behind the time count, so that ids of one process sort in the order they were made.
 */
export function uuid(): string {
  const now = Date.now();
  if (now > lastTime) {
    lastTime = now;
    count = 0;
  } else if (++count > MAX_COUNT) {
    lastTime++;
    count = 0;
  }
  const time = lastTime.toString(16).padStart(12, '0');
  const counter = count.toString(16).padStart(3, '0');
  // The random part of a version 4 UUID, which Node takes from a pool of random bytes.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}${randomUUID().slice(18)}`;
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
