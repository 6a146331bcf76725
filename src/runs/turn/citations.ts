import type { Citation } from '../items.ts';

/** A piece of a message's text, or an annotation of the text that came before it. */
export type CitedPiece =
  | { kind: 'text'; text: string }
  | { kind: 'annotation'; annotation: Record<string, unknown> };

/** What a path may go on with: a marker that ends in such a character ends only where none follows. */
const goesOn = /[\w-]/;

/**
 * Finds markers in a text that comes in pieces, and makes the annotations that they stand for. A text is held back only while
 * it may be the beginning of a marker. Indices count code points of the whole text.
 */
export class CitationFilter {
  readonly #citations: readonly Citation[];
  readonly #beginnings: ReadonlySet<string>;
  #held = '';
  /** Code points that were passed on. */
  #position = 0;
  #endsInHalf = false;

  constructor(citations: readonly Citation[]) {
    // Of two markers that begin alike the longer one counts.
    this.#citations = citations
      .filter(({ marker }) => marker !== '')
      .toSorted((one, other) => other.marker.length - one.marker.length);
    this.#beginnings = new Set(this.#citations.map(({ marker }) => marker[0] ?? ''));
  }

  /** Takes the next piece of the text; answers what is certain by now. */
  take(text: string): CitedPiece[] {
    if (this.#citations.length === 0) return [{ kind: 'text', text }];
    this.#held += text;
    return this.#pieces(false);
  }

  /** Answers what was held back: nothing follows. */
  end(): CitedPiece[] {
    return this.#held === '' ? [] : this.#pieces(true);
  }

  #pieces(isLast: boolean): CitedPiece[] {
    const pieces: CitedPiece[] = [];
    let plain = 0;
    let at = 0;
    while (at < this.#held.length) {
      if (!this.#beginnings.has(this.#held[at] ?? '')) {
        at++;
        continue;
      }
      const rest = this.#held.slice(at);
      if (!isLast && this.#citations.some(({ marker }) => isUndecided(marker, rest))) break;
      const found = this.#citations.find(({ marker }) => beginsWith(rest, marker));
      if (!found) {
        at++;
        continue;
      }
      const start = this.#position + this.#lengthOf(this.#held.slice(plain, at));
      at += found.marker.length;
      pieces.push(this.#passOn(this.#held.slice(plain, at)));
      plain = at;
      pieces.push({ kind: 'annotation', annotation: annotationOf(found, start, this.#position) });
    }
    if (at > plain) pieces.push(this.#passOn(this.#held.slice(plain, at)));
    this.#held = this.#held.slice(at);
    return pieces;
  }

  #passOn(text: string): CitedPiece {
    this.#position += this.#lengthOf(text);
    this.#endsInHalf = isHigh(text.charCodeAt(text.length - 1));
    return { kind: 'text', text };
  }

  /** In code points, behind what was passed on: a provider may cut a character in two. */
  #lengthOf(text: string): number {
    const isSecondHalf = this.#endsInHalf && isLow(text.charCodeAt(0));
    return codePoints(text) - (isSecondHalf ? 1 : 0);
  }
}

/** Whether what follows decides if a text begins with a marker. */
const isUndecided = (marker: string, text: string): boolean =>
  text.length < marker.length ? marker.startsWith(text) : text === marker && endsOpen(marker);

const beginsWith = (text: string, marker: string): boolean =>
  text.startsWith(marker) && !(endsOpen(marker) && goesOn.test(text[marker.length] ?? ''));

const endsOpen = (marker: string): boolean => goesOn.test(marker.at(-1) ?? '');

const annotationOf = ({ marker, annotation }: Citation, start: number, end: number) => ({
  ...annotation,
  text: marker,
  start_index: start,
  end_index: end,
});

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

function codePoints(text: string): number {
  let count = 0;
  for (const _point of text) count++;
  return count;
}
