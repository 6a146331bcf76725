import { Pieces } from '../../../lib/pieces.ts';

/** Bytes kept from the beginning of an answer in any case: of a stream, the first frame counts too. */
export const HEAD_BYTES = 16 * 1024;
/** Bytes kept from the end of an answer: token counts stand in the last frames of a stream or at the end of a JSON body. */
export const TAIL_BYTES = 64 * 1024;
/** Bytes of a compressed answer kept whole: a piece of one cannot be read. */
const COMPRESSED_BYTES = 1024 * 1024;

/** A bounded copy of an answer. */
export type CapturedAnswer = {
  headers: Record<string, string | string[]>;
  /** Bytes of the whole answer. */
  size: number;
  /** The beginning; the whole answer when `isComplete`. */
  head: Buffer;
  /** The last TAIL_BYTES, or all of a shorter answer. Empty when `isComplete`. */
  tail: Buffer;
  isComplete: boolean;
};

const NO_HEADERS: Record<string, string | string[]> = {};

/** Copies an answer as it passes: its beginning for the log, its end for the token counts. */
export class Capture {
  readonly #limit: number;
  readonly #head = new Pieces();
  #tail: Pieces | null = null;
  size = 0;
  headers = NO_HEADERS;

  /** `limit`: bytes of the beginning to keep. */
  constructor(limit: number) {
    this.#limit = Math.max(limit, HEAD_BYTES);
  }

  begin(headers: Record<string, string | string[]>): void {
    this.headers = headers;
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    const limit = encodingOf(this.headers) ? COMPRESSED_BYTES : this.#limit;
    if (this.#head.size < limit) {
      this.#head.add(chunk);
      return;
    }
    this.#tail ??= new Pieces();
    this.#tail.add(chunk);
    this.#tail.keepLast(TAIL_BYTES);
  }

  /** The last bytes, as many as `count` if there are, and if TAIL_BYTES is no less. One character each. */
  last(count: number): string {
    return this.#lastBytes(count).toString('latin1');
  }

  #lastBytes(count: number): Buffer {
    const tail = this.#tail?.last(count) ?? NOTHING;
    return tail.length === count ? tail : Buffer.concat([this.#head.last(count - tail.length), tail]);
  }

  taken(): CapturedAnswer {
    const isComplete = this.size === this.#head.size;
    return {
      headers: this.headers,
      size: this.size,
      head: this.#head.joined(),
      tail: isComplete ? NOTHING : this.#lastBytes(TAIL_BYTES),
      isComplete,
    };
  }
}

const NOTHING = Buffer.alloc(0);

/** The content coding of an answer; null when its bytes are the content. */
export function encodingOf(headers: Record<string, string | string[] | undefined>): string | null {
  const value = headers['content-encoding'];
  if (value === undefined || value === '' || value === 'identity') return null;
  return String(value).toLowerCase();
}
