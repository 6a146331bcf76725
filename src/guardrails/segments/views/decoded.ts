/** Characters of a run from which on it is decoded. */
const MIN_RUN = 16;
/** Characters of one run that are decoded. */
const MAX_RUN = 64 * 1024;
/** Codings within codings. */
const MAX_DEPTH = 2;
/** Runs of one text that are decoded. */
const MAX_RUNS = 1000;

/** What a run of a text says when it is decoded. */
export type DecodedRun = { start: number; end: number; text: string };

type Coding = { pattern: RegExp; decode: (run: string) => string | null };

const codings: readonly Coding[] = [
  { pattern: /[A-Za-z0-9+/_-]{16,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{4,})*={0,2}/g, decode: fromBase64 },
  { pattern: /(?:0x)?(?:[0-9a-fA-F]{2}[ :,-]?){8,}/g, decode: fromHex },
  { pattern: /[^\s"']*%[0-9a-fA-F]{2}[^\s"']*/g, decode: fromUrl },
  {
    pattern: /[^\s"']*(?:\\u\{?[0-9a-fA-F]{2,6}\}?|\\x[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,6};)[^\s"']*/g,
    decode: fromEscapes,
  },
];

/** All runs of a text that say something else when they are decoded, once or twice. */
export function decodedRuns(text: string, depth = MAX_DEPTH): DecodedRun[] {
  const found: DecodedRun[] = [];
  if (text.length < MIN_RUN && !/[%\\&]/.test(text)) return found;
  for (const { pattern, decode } of codings) {
    for (const match of text.matchAll(pattern)) {
      if (found.length >= MAX_RUNS) return found;
      const said = match[0].length > MAX_RUN ? null : decode(match[0]);
      if (said === null || said === match[0]) continue;
      const place = { start: match.index, end: match.index + match[0].length };
      found.push({ ...place, text: said });
      if (depth > 1)
        for (const inner of decodedRuns(said, depth - 1)) found.push({ ...place, text: inner.text });
    }
  }
  return found;
}

/** Whether what looks like bytes is a text that was coded. */
export const isTextInDisguise = (text: string): boolean => decodedRuns(text.slice(0, MAX_RUN), 1).length > 0;

/** Whether a text is bytes in base64, and says nothing when it is decoded. */
export const isBytes = (text: string): boolean => /^[\w+/=-]*$/.test(text) && !isTextInDisguise(text);

function fromBase64(run: string): string | null {
  const plain = run.replace(/\\n|[\r\n=]/g, '');
  if (plain.length < MIN_RUN) return null;
  // What stands directly in front of a run may belong to no coding, and moves all that follows.
  for (let at = 0; at < 4; at++) {
    const said = legible(Buffer.from(plain.slice(at), 'base64'));
    if (said !== null) return said;
  }
  return null;
}

function fromHex(run: string): string | null {
  const digits = run.replace(/^0x|[ :,-]/g, '');
  return digits.length < MIN_RUN ? null : legible(Buffer.from(digits, 'hex'));
}

/** The text of bytes; null for those that are none. */
function legible(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  if (text.length < 4) return null;
  let odd = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13)) odd++;
  }
  // The end of a run that was cut within a character is no reason to let it pass.
  return odd * 8 > text.length ? null : text;
}

function fromUrl(run: string): string | null {
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%([0-9a-fA-F]{2})/g, (_all, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
}

/** Within JSON, the backslash has one of its own. */
const ESCAPE = /\\+u\{?([0-9a-fA-F]{2,6})\}?|\\+x([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{2,6});|&#(\d{2,7});/g;

function fromEscapes(run: string): string {
  return run.replace(ESCAPE, (all, u?: string, x?: string, entity?: string, decimal?: string) => {
    const hex = u ?? x ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** Runs of characters that no screen shows, one for each of ASCII. */
export function tagRuns(text: string): DecodedRun[] {
  return [...text.matchAll(/[\u{E0020}-\u{E007E}]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: fromTags(match[0]),
  }));
}

function fromTags(run: string): string {
  return [...run].map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
}
