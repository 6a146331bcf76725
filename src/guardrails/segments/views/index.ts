import { runFinder } from '../../../lib/character-run.ts';
import type { Segment, TextEdit } from '../../check.ts';
import type { FoundSegment } from '../found.ts';
import { decodedRuns, tagRuns } from './decoded.ts';
import { latinised, type NormalisedText, normalised } from './normalised.ts';
import { through, unescaped } from './unescaped.ts';

/** A text as it reads otherwise than it is written. `edit`: what an edit of it does to what is written. */
export type TextView = { readonly segment: Segment; edit(edit: TextEdit): TextEdit[] };

/** Characters of texts that are put together; what is longer is looked at in its parts alone. */
const MAX_JOINED = 2_000_000;

/** Characters beyond ASCII, escapes, or numbers of bytes. */
const disguises = [/[^\0-\x7f]/, /%[0-9a-fA-F]{2}/, /\\[ux]/, /&#/, /(?:[0-9a-fA-F]{2}[ :,-]){7}/];
const hasLongRun = runFinder((character) => /\S/.test(character), 16);

/** Whether a text may read otherwise than it is written. */
const mayHide = (text: string): boolean =>
  disguises.some((disguise) => disguise.test(text)) || hasLongRun(text);

/** All further ways to read texts: without disguise, decoded, and put together without a gap. */
export function viewsOf(segments: readonly FoundSegment[]): TextView[] {
  const views: TextView[] = [];
  const plain = segments.map(({ text }) => (mayHide(text) ? normalised(text) : null));
  const bare = segments.map(({ text }, at) => (plain[at] ? unfolded(text, plain[at].text) : null));
  for (const [at, segment] of segments.entries()) {
    addUnescaped(views, segment);
    const clear = plain[at] ?? null;
    if (clear) {
      views.push(clearView(segment, clear));
      addTags(views, segment);
    }
    const unmixed = bare[at];
    if (unmixed && unmixed.text !== segment.text) views.push(clearView(segment, unmixed));
    if (!mayHide(clear?.text ?? segment.text)) continue;
    const latin = latinised(clear?.text ?? segment.text);
    if (latin !== null) views.push(latinView(segment, latin, clear));
    addDecoded(views, segment, clear);
  }
  addJoined(views, segments, plain);
  if (bare.some((form) => form !== null)) addJoined(views, segments, bare);
  return views;
}

/** Strings of JSON within a text, and within such a string. */
function addUnescaped(views: TextView[], segment: FoundSegment): void {
  let form = unescaped(segment.text);
  for (let depth = 0; form !== null && depth < 2; depth++) {
    views.push(clearView(segment, form));
    const clear = normalised(form.text);
    if (clear) views.push(clearView(segment, through(clear, form)));
    const next = unescaped(form.text);
    form = next && through(next, form);
  }
}

/** The text without what no screen shows, where its compatibility form has other characters besides; else null. */
function unfolded(text: string, folded: string): NormalisedText | null {
  const bare = normalised(text, false) ?? asItIs(text);
  return bare.text === folded ? null : bare;
}

const asItIs = (text: string): NormalisedText => ({
  text,
  starts: Uint32Array.from({ length: text.length + 1 }, (_, at) => at),
});

/** Where a stretch of the normalised text stands in the original. */
const spanIn = (clear: NormalisedText | null, start: number, end: number) =>
  clear === null ? { start, end } : { start: clear.starts[start] ?? 0, end: clear.starts[end] ?? 0 };

const clearView = (segment: FoundSegment, clear: NormalisedText): TextView => ({
  segment: { ...segment, text: clear.text },
  edit: ({ start, end, replacement }) => [{ segment, ...spanIn(clear, start, end), replacement }],
});

/** Letters for letters: positions are those of the text in clear. */
const latinView = (segment: FoundSegment, text: string, clear: NormalisedText | null): TextView => ({
  segment: { ...segment, text },
  edit: ({ start, end, replacement }) => [{ segment, ...spanIn(clear, start, end), replacement }],
});

/** Of a coded run nothing can be replaced but the whole. */
function addTags(views: TextView[], segment: FoundSegment): void {
  for (const { start, end, text } of tagRuns(segment.text)) {
    views.push({
      segment: { ...segment, kind: 'encoded', text },
      edit: ({ replacement }) => [{ segment, start, end, replacement }],
    });
  }
}

/** The same for codings that a keyboard has. */
function addDecoded(views: TextView[], segment: FoundSegment, clear: NormalisedText | null): void {
  for (const { start, end, text } of decodedRuns(clear?.text ?? segment.text)) {
    const plain = normalised(text)?.text ?? text;
    const bare = normalised(text, false)?.text ?? text;
    for (const said of new Set([plain, latinised(plain), bare]))
      if (said !== null)
        views.push({
          segment: { ...segment, kind: 'encoded', text: said },
          edit: ({ replacement }) => [{ segment, ...spanIn(clear, start, end), replacement }],
        });
  }
}

type Part = { segment: FoundSegment; clear: NormalisedText | null; from: number; to: number };

function addJoined(
  views: TextView[],
  segments: readonly FoundSegment[],
  plain: readonly (NormalisedText | null)[],
): void {
  const parts: Part[] = [];
  let length = 0;
  for (const [at, segment] of segments.entries()) {
    if (segment.kind === 'title') continue;
    const clear = plain[at] ?? null;
    const { length: size } = clear?.text ?? segment.text;
    parts.push({ segment, clear, from: length, to: length + size });
    length += size;
  }
  if (parts.length < 2 || length > MAX_JOINED) return;
  const joined: Segment = {
    path: [],
    role: null,
    kind: 'text',
    text: parts.map(({ segment, clear }) => clear?.text ?? segment.text).join(''),
  };
  for (const text of [joined.text, latinised(joined.text)])
    if (text !== null) views.push({ segment: { ...joined, text }, edit: (edit) => editParts(parts, edit) });
  for (const { start, end, text } of decodedRuns(joined.text)) {
    // What lies in one part was found there.
    if (parts.some(({ from, to }) => from <= start && end <= to)) continue;
    views.push({
      segment: { ...joined, kind: 'encoded', text },
      edit: ({ segment, replacement }) => editParts(parts, { segment, start, end, replacement }),
    });
  }
}

/** The replacement stands where the match begins; what of it lies in further parts is left out. */
function editParts(parts: readonly Part[], { start, end, replacement }: TextEdit): TextEdit[] {
  return parts
    .filter(({ from, to }) => from < end && start < to)
    .map(({ segment, clear, from, to }, at) => ({
      segment,
      ...spanIn(clear, Math.max(start, from) - from, Math.min(end, to) - from),
      replacement: at === 0 ? replacement : '',
    }));
}
