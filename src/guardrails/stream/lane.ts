import type { Placeholders } from '../segments/index.ts';
import { backBy, boundaryBefore, visibleIn } from './boundaries.ts';
import { type ReplacedSpan, WindowBody, type WindowPiece } from './window-body.ts';

/** What took the place of a stretch of text, for good. */
type Replaced = { start: number; end: number; text: string };

/** Released text, as it came. */
type KeptPiece = WindowPiece & { end: number };

/** Where what is held can be cut, up to a place, as all checks that can tell see it. Places are those of the lane. */
export type Cuts = {
  /** The texts as they are written, and every other way to read them. */
  cut: (place: number) => number;
  /** For a place in front of which nothing can go on: the last one up to it that divides no match of the texts as written. */
  undivided: (place: number) => number;
};

/**
 * What of a text is held back. `reach`: the longest match of all checks. `near`: the longest of those that do not say where a
 * text can be cut; the others do.
 */
export type HeldBack = Cuts & { reach: number; near: number };

const anywhere = (place: number): number => place;
/** Nothing is still to come. */
export const HOLD_NOTHING: HeldBack = { reach: 0, near: 0, cut: anywhere, undivided: anywhere };

const escapes = /%u?[0-9a-f]{2}|\\[uUx]|&#/i;
/** Characters of other texts after which one that stopped within a word does not go on. */
export const ASLEEP = 64;
/** The most characters of an escape, all but those of one that has another one within. */
const ESCAPED = 10;

/**
 * The text of one choice of a stream, in the order in which it came. Positions count from its beginning. What was released
 * has been seen together with all that could change the judgement of it.
 */
export class Lane {
  readonly choice: number;
  /** Up to here checks of characters are done with it. */
  released = 0;
  /** Up to here it may be sent. */
  approved = 0;
  /** All that came and was not released. */
  #held = '';
  #pieces: WindowPiece[] = [];
  readonly #replaced: Replaced[] = [];
  /** The end of what was approved. */
  #context: WindowPiece[] = [];
  /** All that came under each key. */
  readonly #said = new Map<string, { raw: string; sent: string }>();

  constructor(choice: number) {
    this.choice = choice;
  }

  get end(): number {
    return this.released + this.#held.length;
  }

  /** Characters that may not be sent yet. */
  get heldLength(): number {
    return this.end - this.approved;
  }

  add(piece: Omit<WindowPiece, 'start'>): { start: number; end: number } {
    const start = this.end;
    this.#held += piece.text;
    this.#pieces.push({ ...piece, start });
    const said = this.#said.get(piece.key);
    if (said) said.raw += piece.text;
    else this.#said.set(piece.key, { raw: piece.text, sent: '' });
    return { start, end: this.end };
  }

  /** What the caller got of a text that an event says again; null for one that was not said before. */
  sentFor(text: string): { key: string } | null {
    for (const [key, { raw }] of this.#said) if (raw === text) return { key };
    return null;
  }

  sentUnder(key: string): string {
    return this.#said.get(key)?.sent ?? '';
  }

  /**
   * Up to where the text can be judged now: the end of a word. Null where nothing could be released, since no more is held
   * than a match may have that may begin anywhere.
   */
  judgeable(near: number): number | null {
    const length = boundaryBefore(this.#held, this.#held.length);
    return length > this.#written(near) ? this.released + length : null;
  }

  /** The held text up to a place. */
  window(to: number): WindowBody {
    const pieces = this.#pieces.map((piece) => ({
      ...piece,
      text: piece.text.slice(0, Math.max(0, to - piece.start)),
    }));
    return new WindowBody(pieces, this.choice);
  }

  /** Releases what no text that is still to come can change. `to`: what was judged. */
  release(to: number, spans: readonly ReplacedSpan[], hold: HeldBack, placeholders: Placeholders): void {
    const limit = hold === HOLD_NOTHING ? to : this.#safeEnd(to, spans, hold);
    for (const { start, end, replacement } of spans) {
      if (end > limit) break;
      const was = this.#held.slice(start - this.released, end - this.released);
      const text =
        typeof replacement === 'string' ? replacement : placeholders.of(replacement.placeholder, was);
      this.#replaced.push({ start, end, text });
    }
    this.#advance(limit);
  }

  /** What is released and not approved, as it came. */
  get unapproved(): string {
    return this.#rawOf(this.approved, this.released);
  }

  /** The released text from the last approval up to a place, as it is to be sent, behind the end of what was approved. */
  piece(to: number): WindowBody {
    return new WindowBody([...this.#context, ...this.#piecesTo(to)], this.choice);
  }

  /** Where a piece that is to end at a place can end: what was replaced is not divided. */
  wholeEnd(to: number): number {
    return this.#replaced.find(({ start, end }) => start < to && to < end)?.end ?? to;
  }

  /** Lets released text be sent up to a place. `context`: characters in front of that place which the next piece begins with. */
  approve(to: number, context = 0): void {
    if (context > 0) this.#context = lastOf([...this.#context, ...this.#piecesTo(to)], context);
    this.approved = to;
  }

  #piecesTo(to: number): WindowPiece[] {
    return this.#kept.flatMap((piece) => {
      const [start, end] = [Math.max(piece.start, this.approved), Math.min(piece.end, to)];
      return start < end ? [{ ...piece, start, text: this.textOf(start, end) }] : [];
    });
  }

  /** The text that goes out in the place of a released stretch. A replacement stands where what it replaces began. */
  textOf(start: number, end: number): string {
    let text = '';
    let from = start;
    for (const one of this.#replaced) {
      if (one.end <= start && !(one.start === one.end && one.start === start)) continue;
      if (one.start >= end) break;
      const begins = Math.max(one.start, start);
      text += this.#rawOf(from, begins);
      if (one.start >= start) text += one.text;
      from = Math.max(from, Math.min(one.end, end));
    }
    return text + this.#rawOf(from, end);
  }

  /** As many characters as a match may have where it is written with escapes. */
  #written(reach: number): number {
    return escapes.test(this.#held) ? reach * ESCAPED : reach;
  }

  #safeEnd(to: number, spans: readonly ReplacedSpan[], { reach, near, cut, undivided }: HeldBack): number {
    const before = (count: number) => this.#back(to, this.#written(count));
    const least = this.#undividedBefore(before(reach), spans, undivided);
    for (let at = before(near); at > least; ) {
      const place = cut(this.#wholeBefore(at, spans));
      if (place === this.#wholeBefore(place, spans)) return Math.max(place, least);
      at = place;
    }
    return least;
  }

  /** A place behind which each text that may go on has so many characters, as far as they are held. */
  #back(to: number, count: number): number {
    const left = new Map<string, number>();
    let place = to;
    for (const { key, start, text } of this.#pieces.toReversed()) {
      const said = text.slice(0, Math.max(0, to - start));
      if (said === '' || (!left.has(key) && to - start - said.length > Math.max(ASLEEP, count))) continue;
      const at = backBy(said, said.length, left.get(key) ?? count);
      left.set(key, at > 0 ? 0 : (left.get(key) ?? count) - visibleIn(said));
      if (at < said.length) place = Math.min(place, start + at);
    }
    return place;
  }

  /** The last place up to another one at which a word ends and nothing is divided that is to be replaced. */
  #wholeBefore(limit: number, spans: readonly ReplacedSpan[]): number {
    let place = this.#boundary(limit);
    for (;;) {
      const across = spans.find(({ start, end }) => start < place && place < end);
      if (across === undefined) return place;
      place = this.#boundary(across.start);
    }
  }

  /** The same, where nothing is divided that decides about what stands behind it. */
  #undividedBefore(limit: number, spans: readonly ReplacedSpan[], undivided: HeldBack['undivided']): number {
    let place = this.#wholeBefore(limit, spans);
    for (;;) {
      const other = this.#wholeBefore(undivided(place), spans);
      if (other === place) return place;
      place = other;
    }
  }

  #boundary(limit: number): number {
    return this.released + boundaryBefore(this.#held, Math.max(0, limit - this.released));
  }

  #advance(limit: number): void {
    const left: WindowPiece[] = [];
    for (const piece of this.#pieces) {
      const end = piece.start + piece.text.length;
      const cut = Math.min(end, limit);
      if (cut > piece.start || (end === piece.start && end <= limit)) {
        const said = this.#said.get(piece.key);
        this.#kept.push({ ...piece, end: cut, text: piece.text.slice(0, cut - piece.start) });
        if (said) said.sent += this.textOf(piece.start, cut);
      }
      if (end > limit)
        left.push({
          ...piece,
          start: Math.max(piece.start, limit),
          text: piece.text.slice(Math.max(0, limit - piece.start)),
        });
    }
    this.#held = this.#held.slice(limit - this.released);
    this.#pieces = left;
    this.released = limit;
  }

  /** Released text that is still to be sent. */
  readonly #kept: KeptPiece[] = [];

  #rawOf(start: number, end: number): string {
    let text = '';
    for (const piece of this.#kept) {
      if (piece.end <= start) continue;
      if (piece.start >= end) break;
      text += piece.text.slice(Math.max(0, start - piece.start), end - piece.start);
    }
    return text;
  }

  /** Forgets released text up to a place, once it is sent. */
  forget(to: number): void {
    while (this.#kept[0] && this.#kept[0].end <= to) this.#kept.shift();
    while (this.#replaced[0] && this.#replaced[0].end <= to) this.#replaced.shift();
  }
}

/** The last characters of texts that follow one another. */
function lastOf(pieces: readonly WindowPiece[], count: number): WindowPiece[] {
  const last: WindowPiece[] = [];
  let left = count;
  for (const piece of pieces.toReversed()) {
    if (left <= 0) break;
    const text = piece.text.slice(-left);
    last.unshift({ ...piece, start: piece.start + piece.text.length - text.length, text });
    left -= text.length;
  }
  return last;
}
