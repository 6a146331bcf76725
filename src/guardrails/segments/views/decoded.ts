import { fromBase64, fromDataUrl, fromHex, legibleBase64, legibleHex } from './bytes.ts';
import { type NormalisedText, writtenSpan } from './normalised.ts';
import { around, atLeast, matching, runsOf, type TextRun, together } from './runs.ts';

/** Characters of what may be bytes that are looked at to see whether they are a text. */
const MAX_LOOKED_AT = 64 * 1024;
/** Characters of a run from which on it is decoded. */
const MIN_RUN = 16;
/** Codings within codings. */
const MAX_DEPTH = 2;
/** Runs of one text and coding that are decoded one by one: all that stands behind them is decoded together. */
const MAX_RUNS = 1000;

/**
 * What a run of a text says when it is decoded. `starts`: where each of its characters, and its end, is written, from the
 * beginning of the text; null where only the whole run can be replaced.
 */
export type DecodedRun = { start: number; end: number; text: string; starts: Uint32Array | null };

/** Where a stretch of what a run says is written. */
export const spanOfRun = ({ start, end, starts }: DecodedRun, from: number, to: number): TextRun =>
  starts === null ? { start, end } : writtenSpan(starts, from, to);

type Coding = {
  runsIn(text: string): Iterable<TextRun>;
  decode(run: string): string | null;
  /** The same with the place of each character, counted from the beginning of the run. */
  place?(run: string): NormalisedText;
};

/** A line break within base64, also as JSON writes it. */
const isLineBreak = (text: string, from: number, to: number): boolean => {
  const gap = text.slice(from, Math.min(to, from + 3));
  return gap === '\n' || gap === '\r\n' || (gap === '\\' && text[to] === 'n');
};
const isSeparator = (text: string, from: number, to: number): boolean =>
  to - from <= 2 && /^[ :,;\r\n-]+$/.test(text.slice(from, to));

const base64 = atLeast(MIN_RUN, together(atLeast(4, runsOf(/[A-Za-z0-9+/_-]/)), isLineBreak));
const hex = atLeast(MIN_RUN, runsOf(/[0-9a-fA-F]/));
/** Numbers of bytes, one by one or some together. */
const hexGroups = matching(/(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{2}){1,8}(?![0-9a-z])/gi);

const codings: readonly Coding[] = [
  { runsIn: base64, decode: fromBase64 },
  { runsIn: matching(/(?<=;base64,)[A-Za-z0-9+/_-]{2,64}={0,2}/gi), decode: fromDataUrl },
  { runsIn: hex, decode: fromHex },
  { runsIn: atLeast(MIN_RUN, together(hexGroups, isSeparator)), decode: fromHex },
  { runsIn: around(/%[0-9a-fA-F]{2}/g), decode: (run) => fromUrl(run).text, place: fromUrl },
  {
    runsIn: around(
      /\\u\{?[0-9a-fA-F]{2}|\\U[0-9a-fA-F]{8}|%u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2}/g,
    ),
    decode: (run) => fromEscapes(run).text,
    place: fromEscapes,
  },
];

/** All runs of a text that say something else when they are decoded, once or twice. */
export function decodedRuns(text: string, depth = MAX_DEPTH): DecodedRun[] {
  if (text.length < MIN_RUN && !/[%\\&]|;base64,/.test(text)) return [];
  return codings.flatMap((coding) => decodedBy(coding, text, depth));
}

function decodedBy({ runsIn, decode, place }: Coding, text: string, depth: number): DecodedRun[] {
  const found: DecodedRun[] = [];
  const add = (said: string | null, { start, end }: TextRun, places: Uint32Array | null = null) => {
    if (said === null || said === text.slice(start, end)) return;
    const run = { start, end, text: said, starts: places?.map((at) => start + at) ?? null };
    found.push(run);
    if (depth > 1) for (const inner of decodedRuns(said, depth - 1)) found.push(within(run, inner));
  };
  let count = 0;
  for (const run of runsIn(text)) {
    if (count++ >= MAX_RUNS) {
      const rest = text.slice(run.start);
      add(decodedInPlace(rest, { runsIn, decode }), { start: run.start, end: text.length });
      break;
    }
    const written = text.slice(run.start, run.end);
    if (place) {
      const placed = place(written);
      add(placed.text, run, placed.starts);
    } else add(decode(written), run);
  }
  return found;
}

/** What was found in what a run says, by its places in the text that holds the run. */
const within = (run: DecodedRun, inner: DecodedRun): DecodedRun => ({
  ...spanOfRun(run, inner.start, inner.end),
  text: inner.text,
  starts: run.starts && (inner.starts?.map((at) => run.starts?.[at] ?? run.end) ?? null),
});

/** The text with each run in clear. */
function decodedInPlace(text: string, { runsIn, decode }: Coding): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of runsIn(text)) {
    const run = text.slice(start, end);
    parts.push(text.slice(from, start), decode(run) ?? run);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** Whether what looks like bytes is a text that was coded. */
export function isTextInDisguise(text: string): boolean {
  const start = text.slice(0, MAX_LOOKED_AT);
  const says = (runs: Iterable<TextRun>, read: (run: string) => string | null) =>
    [...runs].some((run) => read(start.slice(run.start, run.end)) !== null);
  return says(base64(start), legibleBase64) || says(hex(start), legibleHex);
}

/** Whether a text is bytes in base64, and says nothing when it is decoded. */
export const isBytes = (text: string): boolean => /^[\w+/=-]*$/.test(text) && !isTextInDisguise(text);

/** Characters from which on a text may be the bytes of something. */
const MIN_BYTES = 32;

/** The same where a text is as likely: words, whose letters are mostly of one kind, are none. */
export function isCertainlyBytes(text: string): boolean {
  if (text.length < MIN_BYTES || !isBytes(text)) return false;
  const start = text.slice(0, 512);
  if (new Set(start).size <= 4) return true;
  return [/[a-z_-]/g, /[A-Z_-]/g, /[\d_-]/g].every(
    (kind) => (start.match(kind)?.length ?? 0) < start.length * 0.75,
  );
}

/** Bytes of URLs in a row: characters of UTF-8, and single bytes that are none. */
const URL_ESCAPES = /(?:%[0-9a-fA-F]{2})+/g;

function fromUrl(run: string): NormalisedText {
  return replacedIn(run, URL_ESCAPES, ([escapes], add) => {
    const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
    for (let at = 0; at < bytes.length; ) {
      const length = lengthOfCharacter(bytes, at);
      const character =
        length === 1 ? String.fromCharCode(bytes[at] ?? 0) : bytes.toString('utf8', at, at + length);
      add(character, 3 * at);
      at += length;
    }
  });
}

/** How many bytes a character of UTF-8 has; 1 for a byte that begins none. */
function lengthOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (at + length > bytes.length) return 1;
  return bytes.toString('utf8', at, at + length).includes('\ufffd') ? 1 : length;
}

/** A run in which `decode` adds what each match says, with its place in the match. */
function replacedIn(
  run: string,
  pattern: RegExp,
  decode: (match: RegExpExecArray, add: (said: string, at: number) => void) => void,
): NormalisedText {
  let text = '';
  const starts: number[] = [];
  const add = (said: string, at: number) => {
    text += said;
    for (let count = 0; count < said.length; count++) starts.push(at);
  };
  const asItIs = (from: number, to: number) => {
    for (let at = from; at < to; at++) starts.push(at);
    text += run.slice(from, to);
  };
  let from = 0;
  for (const match of run.matchAll(pattern)) {
    asItIs(from, match.index);
    decode(match, (said, at) => add(said, match.index + at));
    from = match.index + match[0].length;
  }
  asItIs(from, run.length);
  starts.push(run.length);
  return { text, starts: Uint32Array.from(starts) };
}

/** Within JSON, the backslash has one of its own. */
const ESCAPE =
  /\\+u\{([0-9a-fA-F]{1,6})\}|\\+u([0-9a-fA-F]{4})|\\+U([0-9a-fA-F]{8})|%u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{2,8});|&#(\d{2,9});/g;

function fromEscapes(run: string): NormalisedText {
  return replacedIn(run, ESCAPE, ([all, ...groups], add) => {
    const hex = groups.slice(0, 6).find((digits) => digits !== undefined);
    const code = hex === undefined ? Number(groups[6]) : Number.parseInt(hex, 16);
    add(code <= 0x10ffff ? String.fromCodePoint(code) : all, 0);
  });
}

/** Runs of characters that no screen shows, one for each of ASCII. */
export function tagRuns(text: string): DecodedRun[] {
  return [...text.matchAll(/[\u{E0020}-\u{E007E}]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: fromTags(match[0]),
    starts: null,
  }));
}

function fromTags(run: string): string {
  return [...run].map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
}
