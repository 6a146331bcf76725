/** Bytes kept from the end of an answer: token counts stand in the last frames of a stream or at the end of a JSON body. */
const TAIL_BYTES = 16 * 1024;
/** Bytes of a compressed answer kept whole: a piece of one cannot be read. */
const COMPRESSED_BYTES = 1024 * 1024;

/** A bounded copy of an answer as it passes: its beginning for the log, its end for the token counts. */
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
    const limit = this.encoding ? COMPRESSED_BYTES : this.#limit;
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

  get encoding(): string | null {
    const value = this.headers['content-encoding'];
    return typeof value === 'string' && value !== '' && value !== 'identity' ? value.toLowerCase() : null;
  }

  get contentType(): string {
    return String(this.headers['content-type'] ?? '');
  }

  /** True when the head is the whole answer. */
  get isComplete(): boolean {
    return this.size === this.#headSize;
  }

  head(): Buffer {
    return this.#head.length === 1 && this.#head[0] ? this.#head[0] : Buffer.concat(this.#head);
  }

  /** At least the last TAIL_BYTES, or all of a shorter answer. */
  tail(): Buffer {
    // As long as nothing of the tail was thrown away, the head is what stands before it.
    return Buffer.concat(this.#tailSize < TAIL_BYTES ? [...this.#head, ...this.#tail] : this.#tail);
  }
}
