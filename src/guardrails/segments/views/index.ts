import { runFinder } from '../../../lib/character-run.ts';
import type { FoundSegment } from '../found.ts';
import { decodedRuns, tagRuns } from './decoded.ts';
import { decodedInPlace } from './in-place.ts';
import { addJoined } from './joined.ts';
import { latinised, type NormalisedText, normalised, withoutMarks } from './normalised.ts';
import { through, unescaped } from './unescaped.ts';
import { spanIn, type TextView } from './view.ts';

export type { TextView };

/** Strings of JSON within one another. */
const MAX_STRINGS = 4;

/** Characters beyond ASCII, escapes, numbers of bytes, or lines that may be one run of base64. */
const disguises = [
  /[^\0-\x7f]/,
  /%u?[0-9a-fA-F]{2}/,
  /\\[uUx]/,
  /&#/,
  /;base64,/i,
  /(?=[0-9a-fA-FxX :,;\r\n-]{16})(?:[0-9a-fA-F]{2}){1,8}[ :,;\r\n-]/,
  /[\w+/-]{4}(?:\r?\n|\\n)[\w+/-]{4}/,
];
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
    const bared = withoutMarks(segment.text);
    if (bared) views.push(clearView(segment, bared));
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
  for (let depth = 0; form !== null && depth < MAX_STRINGS; depth++) {
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
  const written = clear?.text ?? segment.text;
  const runs = decodedRuns(written);
  const whole = decodedInPlace(written, runs);
  if (whole)
    views.push({
      segment: { ...segment, kind: 'encoded', text: whole.text },
      edit({ start, end, replacement }) {
        const span = whole.spanOf(start, end);
        return [{ segment, ...spanIn(clear, span.start, span.end), replacement }];
      },
    });
  for (const { start, end, text } of runs) {
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
