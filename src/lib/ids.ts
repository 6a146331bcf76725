import { randomBytes, randomFillSync, randomInt } from 'node:crypto';

const MAX_COUNT = 0xfff;
const HEX = Buffer.from('0123456789abcdef', 'latin1');

let lastTime = 0;
let count = 0;
/** The latest id, kept as one text: an id that is joined from pieces takes ten times its size until it is used. */
const text = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1');
const random = Buffer.alloc(4096);
let unused = random.length;

/**
 * A time-ordered UUID (RFC 9562, version 7), so that new documents land at the end of the primary index. Within a
 * millisecond the 12 bits behind the time count, so that ids of one process sort in the order they were made.
 */
export function uuid(): string {
  const now = Date.now();
  if (now > lastTime) startAt(now);
  else if (++count > MAX_COUNT) startAt(lastTime + 1);
  text[15] = digit(count >> 8);
  text[16] = digit(count >> 4);
  text[17] = digit(count);
  // Two bits of the variant, and 62 random ones.
  writeByte(19, 0x80 | (randomByte() & 0x3f));
  writeByte(21, randomByte());
  for (let place = 24; place < 36; place += 2) writeByte(place, randomByte());
  return text.toString('latin1');
}

function startAt(time: number): void {
  lastTime = time;
  count = 0;
  const hex = time.toString(16).padStart(12, '0');
  text.write(hex.slice(0, 8), 0, 'latin1');
  text.write(hex.slice(8), 9, 'latin1');
}

const digit = (value: number): number => HEX[value & 15] ?? 0;

function writeByte(place: number, value: number): void {
  text[place] = digit(value >> 4);
  text[place + 1] = digit(value);
}

/** So many random bytes, as good as the system's: it takes as long for a few as for the thousands that are fetched at a time. */
export function takeRandomBytes(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) bytes[at] = randomByte();
  return bytes;
}

function randomByte(): number {
  if (unused === random.length) {
    randomFillSync(random);
    unused = 0;
  }
  return random[unused++] ?? 0;
}

/** A tenant's id: ten random digits, the first of them not 0. */
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
