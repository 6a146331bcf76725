/** The most pieces that are held before they are joined: pieces of one byte would take a hundred times their size. */
const LOOSE = 1024;
/** Bytes of memory that a piece takes beside its content. */
const PIECE_BYTES = 128;

/** Bytes that come piece by piece, held in few pieces however small they are. */
export class Pieces {
  #pieces: Buffer[] = [];
  #merged = 0;
  size = 0;

  add(piece: Buffer): void {
    // The first piece stands alone, since most often there is only one: a growing list reserves room for many.
    if (this.size === 0) this.#pieces = [piece];
    else this.#pieces.push(piece);
    this.size += piece.length;
    if (this.#pieces.length - this.#merged < LOOSE) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#merged)));
    this.#merged++;
  }

  /** Bytes of memory that all of them take. */
  get footprint(): number {
    return this.size + PIECE_BYTES * this.#pieces.length;
  }

  /** Drops the oldest pieces as long as at least `size` bytes stay. */
  keepLast(size: number): void {
    for (let first = this.#pieces[0]; first && this.size - first.length >= size; first = this.#pieces[0]) {
      this.#pieces.shift();
      this.size -= first.length;
      if (this.#merged > 0) this.#merged--;
    }
  }

  /** The last bytes, as many as `count` if there are. */
  last(count: number): Buffer {
    const found: Buffer[] = [];
    let size = 0;
    for (let index = this.#pieces.length - 1; index >= 0 && size < count; index--) {
      const piece = this.#pieces[index] as Buffer;
      found.unshift(piece);
      size += piece.length;
    }
    const bytes = joined(found);
    return bytes.subarray(Math.max(0, bytes.length - count));
  }

  joined(): Buffer {
    return joined(this.#pieces);
  }
}

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
