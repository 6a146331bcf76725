import { Transform, type TransformCallback } from 'node:stream';
import { GatewayError } from '../../errors/index.ts';
import { delimiterOf, hasStray, MAX_PART_HEADERS } from './form.ts';
import { type PartHead, partHead } from './part-head.ts';

/** Told of every part and the first character of its value; throws for one that may not come so late. */
export type CheckPart = (head: PartHead, first: string) => void;

/**
 * Passes the rest of a multipart form on as it comes and looks at the parts in it. It begins within a part's value. Holds
 * no more than a part's headers.
 */
export class LateParts extends Transform {
  readonly #boundary: string;
  readonly #delimiter: Buffer;
  readonly #check: CheckPart;
  #held: Buffer = Buffer.alloc(0);
  #within: 'value' | 'headers' | 'end' = 'value';

  constructor(boundary: string, check: CheckPart) {
    super();
    this.#boundary = boundary;
    this.#delimiter = Buffer.from(delimiterOf(boundary), 'latin1');
    this.#check = check;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      const data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
      const keep = this.#scan(data);
      this.#held = data.subarray(keep);
      done(null, data.subarray(0, keep));
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#held);
  }

  /** Offset from which the bytes are needed once more. */
  #scan(data: Buffer): number {
    for (let from = 0; ; ) {
      if (this.#within === 'end') return data.length;
      if (this.#within === 'value') {
        const found = data.indexOf(this.#delimiter, from);
        if (hasStray(data, this.#boundary, from, found === -1 ? data.length : found)) throw malformed();
        if (found === -1) return Math.max(from, data.length - this.#delimiter.length + 1);
        from = found + this.#delimiter.length;
        this.#within = 'headers';
      }
      const value = this.#valueAfter(data, from);
      if (value === null) return from;
      from = value;
    }
  }

  /** Where the value begins of the part whose delimiter ends at `from`; null when that is not here yet. */
  #valueAfter(data: Buffer, from: number): number | null {
    const mark = data.toString('latin1', from, from + 2);
    if (mark === '--') {
      const after = data.toString('latin1', from + 2, from + 4);
      if (after.length < 2) return null;
      if (after !== '\r\n') throw malformed();
      this.#within = 'end';
      return from;
    }
    if (mark.length === 2 && mark !== '\r\n') throw malformed();
    const end = data.indexOf('\r\n\r\n', from, 'latin1');
    if ((end === -1 ? data.length : end) - from > MAX_PART_HEADERS) throw malformed();
    if (end === -1 || data.length === end + 4) return null;
    this.#check(partHead(data.toString('utf8', from, end)), data.toString('latin1', end + 4, end + 5));
    this.#within = 'value';
    return end + 4;
  }
}

const malformed = () => new GatewayError('MALFORMED_BODY', { message: 'The form is not valid.' });
