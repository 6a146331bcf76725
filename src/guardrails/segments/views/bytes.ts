/** Characters of base64 or hex from which on they are decoded. */
const MIN_RUN = 16;
/** Characters in a row that are a text although what stands around them is none. */
const MIN_STRETCH = 8;

/** What a run of base64 says, in either alphabet and however many lines it has; null for bytes that say nothing. */
export const fromBase64 = (run: string): string | null => {
  const bytes = bytesOfBase64(run);
  return bytes === null ? null : (legibleBase64(run) ?? stretches(bytes));
};

/** The same where all of it is a text. */
export function legibleBase64(run: string): string | null {
  if (bytesOfBase64(run) === null) return null;
  const plain = withoutLines(run);
  // What stands directly in front of a run may belong to no coding, and moves all that follows.
  for (let at = 0; at < 4; at++) {
    const said = legible(Buffer.from(plain.slice(at), 'base64'));
    if (said !== null) return said;
  }
  return null;
}

const withoutLines = (run: string): string => run.replace(/\\n|[\r\n=]/g, '');

function bytesOfBase64(run: string): Buffer | null {
  const plain = withoutLines(run);
  return plain.length < MIN_RUN ? null : Buffer.from(plain, 'base64');
}

/** The same for what says itself that it is base64. */
export function fromDataUrl(run: string): string | null {
  const bytes = Buffer.from(run, 'base64');
  return legible(bytes) ?? stretches(bytes);
}

export function fromHex(run: string): string | null {
  const bytes = bytesOfHex(run);
  return bytes === null ? null : (legible(bytes) ?? stretches(bytes));
}

export function legibleHex(run: string): string | null {
  const bytes = bytesOfHex(run);
  return bytes === null ? null : legible(bytes);
}

function bytesOfHex(run: string): Buffer | null {
  const digits = run.replace(/0x|[^0-9a-fA-F]/g, '');
  return digits.length < MIN_RUN ? null : Buffer.from(digits, 'hex');
}

/** The text of bytes, in UTF-8 or UTF-16; null for those that are none. */
export function legible(bytes: Buffer): string | null {
  return saidIn(bytes.toString('utf8')) ?? fromWide(bytes);
}

const isOdd = (code: number): boolean =>
  code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13);

function saidIn(text: string): string | null {
  if (text.length < 4) return null;
  let odd = 0;
  for (let at = 0; at < text.length; at++) if (isOdd(text.charCodeAt(at))) odd++;
  // The end of a run that was cut within a character is no reason to let it pass.
  return odd * 8 > text.length ? null : text;
}

/** UTF-16: every other byte of what has letters of Latin is zero. */
function fromWide(bytes: Buffer): string | null {
  const zeros = [0, 0];
  const length = Math.min(bytes.length, 512);
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [first = 0, second = 0] = zeros;
  if (Math.max(first, second) * 3 < length || Math.min(first, second) * 8 > length) return null;
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  return saidIn((first > second ? Buffer.from(even).swap16() : even).toString('utf16le'));
}

/** What can be read among bytes that are no text as a whole; null for nothing. */
function stretches(bytes: Buffer): string | null {
  const found = bytes.toString('latin1').match(new RegExp(`[\\t\\n\\r -~]{${MIN_STRETCH},}`, 'g'));
  return found === null ? null : found.join('\n');
}
