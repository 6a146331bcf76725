import { afterSpace, endOfString, isCommaAt, isQuoteAt } from './scan.ts';

/** Walks over the members of an object in a JSON text; its caller says where each value ends. */
export class MemberWalk {
  readonly #text: string;
  /** The end of the previous member, or the beginning of the object. */
  previous: number;
  name = '';
  start = 0;
  value = 0;
  #next: number;

  /** `open`: where the object begins. */
  constructor(text: string, open: number) {
    this.#text = text;
    this.previous = open + 1;
    this.#next = afterSpace(text, this.previous);
  }

  /** Goes to the next member; false when there is none. */
  next(): boolean {
    const text = this.#text;
    const start = this.#next;
    if (!isQuoteAt(text, start)) return false;
    const end = endOfString(text, start);
    this.start = start;
    this.name = nameOf(text.slice(start + 1, end - 1));
    this.value = afterSpace(text, afterSpace(text, end) + 1);
    return true;
  }

  /**
   * Takes the position where this member's value ends. Answers where the next member begins; at the last member,
   * where this one ends.
   */
  leave(end: number): number {
    this.previous = end;
    const next = afterSpace(this.#text, end);
    const isLast = !isCommaAt(this.#text, next);
    this.#next = isLast ? next : afterSpace(this.#text, next + 1);
    return isLast ? end : this.#next;
  }

  /** The position behind the object, once there is no further member. */
  get end(): number {
    return this.#next + 1;
  }
}

const notPlain = /[\\\x80-\xff]/;

/** A name may be written with escapes, and its characters are bytes of UTF-8. */
const nameOf = (written: string): string =>
  notPlain.test(written) ? JSON.parse(`"${Buffer.from(written, 'latin1').toString('utf8')}"`) : written;
