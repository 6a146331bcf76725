import { type FoundSegment, viewsOf } from '../segments/index.ts';
import { boundaryBefore } from './boundaries.ts';
import { ASLEEP, type Cuts } from './lane.ts';
import type { TextPlaces, WindowBody } from './window-body.ts';

/** Letters of a line from which on it may be one of several lines of base64. */
const MIN_LINE = 4;

/** Asks `cuts` of all texts of a body that is held up to `end`. */
export function cutsOf(
  body: WindowBody,
  end: number,
  cuts: readonly ((text: string, at: number) => number)[],
): Cuts {
  // While the texts are what came.
  const texts = body.texts.segments.map((segment) => {
    const places = body.placesOf(segment);
    return { segment, places, most: Math.min(codedLines(segment.text), awake(segment.text, places, end)) };
  });
  const cutIn = (text: string, at: number) =>
    cuts.reduce((least, cut) => Math.min(least, cut(text, least)), at);
  let hidden = end;
  const placeOf = (segment: FoundSegment, at: number) =>
    texts.find((one) => one.segment === segment)?.places.of(at) ?? end;
  for (const { segment: view, edit } of viewsOf(body.texts.segments)) {
    const [start, length] = [cutIn(view.text, view.text.length), view.text.length];
    if (start === length) continue;
    for (const place of edit({ segment: view, start, end: length, replacement: '' }))
      hidden = Math.min(hidden, placeOf(place.segment as FoundSegment, place.start));
  }
  const within = (place: number, limitOf: (text: (typeof texts)[number]) => number) => {
    let least = place;
    for (const text of texts) {
      const { segment, places } = text;
      const at = places.before(least);
      const cut = cutIn(segment.text, Math.min(at, limitOf(text)));
      if (cut < at) least = Math.min(least, places.of(cut));
    }
    return least;
  };
  return {
    cut: (place) => within(Math.min(place, hidden), ({ most }) => most),
    undivided: (place) => within(place, () => Number.POSITIVE_INFINITY),
  };
}

/** Where the last word of a text begins that others came after, and that may go on; the length of the text where none may. */
function awake(text: string, places: TextPlaces, end: number): number {
  const since = end - places.of(text.length - 1) - 1;
  return since === 0 || since > ASLEEP ? text.length : boundaryBefore(text, text.length);
}

/** Where lines begin at the end of a text that may be base64 together with further ones; its length where there are none. */
function codedLines(text: string): number {
  let start = text.length;
  for (let at = text.length; text[at - 1] === '\n'; ) {
    const end = text[at - 2] === '\r' ? at - 2 : at - 1;
    let begin = end;
    while (begin > 0 && coded.test(text[begin - 1] ?? '')) begin--;
    if (end - begin < MIN_LINE) break;
    start = begin;
    at = begin;
  }
  return start;
}

/** A character of base64, in either alphabet. */
const coded = /[\w+/-]/;
