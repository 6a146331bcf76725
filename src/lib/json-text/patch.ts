/** Bytes of which some are replaced; replacements must be given from the front to the back. */
export class Patch {
  readonly #bytes: Buffer;
  /** The ranges that are left out, as pairs of positions: from, to, from, to. */
  readonly #cuts: number[] = [];
  readonly #inserts: string[] = [];
  #size: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  /** Replaces the bytes between two positions by a text. */
  replace(from: number, to: number, by: string): void {
    this.#cuts.push(from, to);
    this.#inserts.push(by);
    this.#size += Buffer.byteLength(by) - (to - from);
  }

  patched(): Buffer {
    const patched = Buffer.allocUnsafe(this.#size);
    let written = 0;
    let read = 0;
    for (let index = 0; index < this.#inserts.length; index++) {
      written += this.#bytes.copy(patched, written, read, this.#cuts[2 * index]);
      written += patched.write(this.#inserts[index] as string, written);
      read = this.#cuts[2 * index + 1] as number;
    }
    this.#bytes.copy(patched, written, read);
    return patched;
  }
}
