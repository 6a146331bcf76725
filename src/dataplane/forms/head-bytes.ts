import { delimiterOf } from './form.ts';

const END_OF_HEADERS = '\r\n\r\n';
const FILE = /;\s*filename\*?=/i;

/**
 * The beginning of a form as it comes, in one buffer, and whether that ends within a file. Looks at no byte more than a few
 * times, however small the pieces are.
 */
export class HeadBytes {
  readonly #delimiter: string;
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;
  /** What is looked for next, and from where. */
  #at = 0;
  #within: 'value' | 'headers' = 'value';
  #headersStart = 0;
  #isFile = false;

  constructor(boundary: string) {
    this.#delimiter = delimiterOf(boundary);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.bytes.copy(larger);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** Whether a file has begun whose end is not here yet. */
  isInFile(): boolean {
    const { bytes } = this;
    // Nothing stands before the first delimiter, as a rule no line break either.
    if (this.#at === 0 && this.#within === 'value') {
      const opening = this.#delimiter.slice(2);
      if (bytes.length < opening.length) return false;
      if (bytes.toString('latin1', 0, opening.length) === opening) this.#beginHeaders(opening.length);
    }
    while (this.#skip(bytes, this.#within === 'value' ? this.#delimiter : END_OF_HEADERS)) {
      if (this.#within === 'value') this.#beginHeaders(this.#at);
      else {
        this.#within = 'value';
        this.#isFile = FILE.test(bytes.toString('latin1', this.#headersStart, this.#at));
      }
    }
    return this.#isFile && this.#within === 'value';
  }

  #beginHeaders(at: number): void {
    this.#within = 'headers';
    this.#headersStart = at;
    this.#at = at;
  }

  /** Goes on behind the mark; where it is not here yet, to where it may begin, and answers false. */
  #skip(bytes: Buffer, mark: string): boolean {
    const found = bytes.indexOf(mark, this.#at, 'latin1');
    this.#at = found === -1 ? Math.max(this.#at, bytes.length - mark.length + 1) : found + mark.length;
    return found !== -1;
  }
}
