import type { FoundSegment } from '../found.ts';
import { decodedRuns, spanOfRun, tagRuns } from './decoded.ts';
import { decodedInPlace } from './in-place.ts';
import { addJoined } from './joined.ts';
import { mayHide } from './may-hide.ts';
import { latinised, type NormalisedText, normalised, withoutMarks } from './normalised.ts';
import { through, unescaped } from './unescaped.ts';
import { spanIn, type TextView } from './view.ts';

export type { TextView };

/** Strings of JSON within one another. */
const MAX_STRINGS = 4;

/** All further ways to read texts: without disguise, decoded, and put together without a gap. */
export function viewsOf(segments: readonly FoundSegment[]): TextView[] {
  const views: TextView[] = [];
  const hides = segments.map(({ text }) => mayHide(text));
  const plain = segments.map(({ text }, at) => (hides[at] ? normalised(text) : null));
  const bare = segments.map(({ text }, at) => (plain[at] ? unfolded(text, plain[at].text) : null));
  for (const [at, segment] of segments.entries()) {
    addUnescaped(views, segment);
    if (!hides[at]) continue;
    const clear = plain[at] ?? null;
    if (clear) {
      views.push(clearView(segment, clear));
      addTags(views, segment);
    }
    const bared = withoutMarks(segment.text);
    if (bared) views.push(clearView(segment, bared));
    const unmixed = bare[at];
    if (unmixed && unmixed.text !== segment.text) views.push(clearView(segment, unmixed));
    if (clear && !mayHide(clear.text)) continue;
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

/** Codings that a keyboard has: of escapes, what matches can be replaced alone. */
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
  for (const run of runs)
    for (const [said, places] of readings(run.text))
      views.push({
        segment: { ...segment, kind: 'encoded', text: said },
        edit({ start, end, replacement }) {
          const inRun = spanIn(places, start, end);
          const span = spanOfRun(run, inRun.start, inRun.end);
          return [{ segment, ...spanIn(clear, span.start, span.end), replacement }];
        },
      });
}

/** What was decoded without disguise, each reading once, and where its characters stand in it. */
function readings(text: string): Map<string, NormalisedText | null> {
  const plain = normalised(text);
  const bare = normalised(text, false);
  const latin = latinised(plain?.text ?? text);
  const all = new Map<string, NormalisedText | null>([[bare?.text ?? text, bare]]);
  if (latin !== null) all.set(latin, plain);
  return all.set(plain?.text ?? text, plain);
}
