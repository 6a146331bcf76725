/** Bytes kept from the end of an answer: token counts stand in the last frames of a stream or at the end of a JSON body. */
const TAIL_BYTES = 16 * 1024;
/** Bytes of a compressed answer kept whole: a piece of one cannot be read. */
const COMPRESSED_BYTES = 1024 * 1024;

/** A bounded copy of an answer. */
export type CapturedAnswer = {
  headers: Record<string, string | string[]>;
  /** Bytes of the whole answer. */
  size: number;
  /** The beginning; the whole answer when `isComplete`. */
  head: Buffer;
  /** At least the last TAIL_BYTES, or all of a shorter answer. Empty when `isComplete`. */
  tail: Buffer;
  isComplete: boolean;
};

/** Copies an answer as it passes: its beginning for the log, its end for the token counts. */
export class Capture {
  readonly #limit: number;
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  size = 0;
  headers: Record<string, string | string[]> = {};

  /** `limit`: bytes of the beginning to keep. */
  constructor(limit: number) {
    this.#limit = Math.max(limit, TAIL_BYTES);
  }

  begin(headers: Record<string, string | string[]>): void {
    this.headers = headers;
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    const limit = encodingOf(this.headers) ? COMPRESSED_BYTES : this.#limit;
    if (this.#headSize < limit) {
      this.#head.push(chunk);
      this.#headSize += chunk.length;
      return;
    }
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    let first = this.#tail[0];
    while (first && this.#tailSize - first.length >= TAIL_BYTES) {
      this.#tail.shift();
      this.#tailSize -= first.length;
      first = this.#tail[0];
    }
  }

  /** The last bytes, as many as `count` if there are, and if TAIL_BYTES is no less. */
  last(count: number): string {
    const chunks: Buffer[] = [];
    let size = 0;
    for (const kept of [this.#tail, this.#head]) {
      for (let index = kept.length - 1; index >= 0 && size < count; index--) {
        const chunk = kept[index] as Buffer;
        chunks.unshift(chunk);
        size += chunk.length;
      }
    }
    return joined(chunks).toString('latin1').slice(-count);
  }

  taken(): CapturedAnswer {
    const isComplete = this.size === this.#headSize;
    return {
      headers: this.headers,
      size: this.size,
      head: joined(this.#head),
      // As long as nothing of the tail was thrown away, the head is what stands before it.
      tail: isComplete
        ? NOTHING
        : joined(this.#tailSize < TAIL_BYTES ? [...this.#head, ...this.#tail] : this.#tail),
      isComplete,
    };
  }
}

const NOTHING = Buffer.alloc(0);

const joined = (chunks: Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/** The content coding of an answer; null when its bytes are the content. */
export function encodingOf(headers: Record<string, string | string[]>): string | null {
  const value = headers['content-encoding'];
  return typeof value === 'string' && value !== '' && value !== 'identity' ? value.toLowerCase() : null;
}
