/** What is known of a file's chunks when they are added: the id of the first, and how many words each has. */
export type AddedChunks = { file: number; firstChunk: number; lengths: ArrayLike<number> };

/** The chunks of a store in the order of their ids: what searches compare of each without asking the database. */
export class ChunkRows {
  #count = 0;
  #words = 0;
  #chunks = new Float64Array(0);
  #files = new Int32Array(0);
  #lengths = new Int32Array(0);

  get count(): number {
    return this.#count;
  }

  /** Ids of the chunks. */
  get chunks(): Float64Array {
    return this.#chunks;
  }

  /** Numbers of their files. */
  get files(): Int32Array {
    return this.#files;
  }

  /** How many words each has. */
  get lengths(): Int32Array {
    return this.#lengths;
  }

  /** How many words a chunk has in the middle. */
  get meanLength(): number {
    return this.#count === 0 ? 0 : this.#words / this.#count;
  }

  get bytes(): number {
    return this.#chunks.length * 16;
  }

  append({ file, firstChunk, lengths }: AddedChunks): void {
    this.#reserve(this.#count + lengths.length);
    for (let place = 0; place < lengths.length; place++) {
      const row = this.#count + place;
      this.#chunks[row] = firstChunk + place;
      this.#files[row] = file;
      this.#lengths[row] = lengths[place] ?? 0;
      this.#words += lengths[place] ?? 0;
    }
    this.#count += lengths.length;
  }

  /** Takes out the chunks of files; the others move up, each of which `move` is told. */
  drop(files: ReadonlySet<number>, move: (from: number, to: number) => void): void {
    let kept = 0;
    for (let row = 0; row < this.#count; row++) {
      if (files.has(this.#files[row] ?? 0)) {
        this.#words -= this.#lengths[row] ?? 0;
        continue;
      }
      if (kept !== row) {
        this.#chunks[kept] = this.#chunks[row] ?? 0;
        this.#files[kept] = this.#files[row] ?? 0;
        this.#lengths[kept] = this.#lengths[row] ?? 0;
        move(row, kept);
      }
      kept += 1;
    }
    this.#count = kept;
  }

  /** The row of a chunk; -1 where there is none. */
  rowOf(chunk: number): number {
    return placeIn(this.#chunks, chunk, { low: 0, high: this.#count - 1 });
  }

  /** The next stretch of rows whose files are allowed, from `from` on and of at most `most` rows; null where none is left. */
  stretch(from: number, allowed: Uint8Array | null, most: number): { first: number; count: number } | null {
    const [files, count] = [this.#files, this.#count];
    let first = from;
    while (allowed !== null && first < count && allowed[files[first] ?? 0] !== 1) first += 1;
    if (first >= count) return null;
    const end = Math.min(count, first + most);
    let after = allowed === null ? end : first + 1;
    while (after < end && allowed?.[files[after] ?? 0] === 1) after += 1;
    return { first, count: after - first };
  }

  #reserve(count: number): void {
    if (count <= this.#chunks.length) return;
    const room = Math.max(count, this.#chunks.length * 2, 1024);
    this.#chunks = grown(new Float64Array(room), this.#chunks);
    this.#files = grown(new Int32Array(room), this.#files);
    this.#lengths = grown(new Int32Array(room), this.#lengths);
  }
}

/** A larger array that begins with what a smaller one has. */
export function grown<T extends Float32Array | Float64Array | Int32Array>(larger: T, smaller: T): T {
  larger.set(smaller);
  return larger;
}

/** Where a number stands among numbers in rising order, from `low` to `high`; -1 where it does not. */
export function placeIn(
  numbers: Float64Array,
  sought: number,
  { low, high }: { low: number; high: number },
): number {
  let [from, to] = [low, high];
  while (from <= to) {
    const middle = (from + to) >> 1;
    const found = numbers[middle] ?? 0;
    if (found === sought) return middle;
    if (found < sought) from = middle + 1;
    else to = middle - 1;
  }
  return -1;
}
