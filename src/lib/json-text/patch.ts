/** Bytes with some of them replaced, which is asked for from the front to the back. */
export class Patch {
  readonly #bytes: Buffer;
  /** From, to, from, to: what is left out. */
  readonly #cuts: number[] = [];
  readonly #inserts: string[] = [];
  #size: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  /** The bytes from one position up to another give way to a text. */
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
