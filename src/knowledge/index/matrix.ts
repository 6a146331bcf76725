import type { QuantisedVectors } from '../embed/quantise.ts';
import { createScan, type VectorScan } from '../kernel/scan.ts';

/** Bytes that the kernel multiplies at a time. */
const STEP = 16;
const PAGE = 65_536;
/** Most bytes of a memory of WebAssembly, in pages. */
const MOST_PAGES = 65_536;
/** Numbers of the longest vector. */
export const MAX_DIMENSIONS = 8192;
/** Vectors that are scanned at a time. */
const BLOCK = 4096;

/** Where the parts of the memory begin: the question, the products of a block, the vectors. */
const QUERY = 0;
const PRODUCTS = MAX_DIMENSIONS;
const VECTORS = PRODUCTS + BLOCK * 4;

/** A chunk and how near it is, from -1 to 1. */
export type Near = { chunk: number; similarity: number };

/** The vectors of a store in memory, one behind the other, in the order of their chunks. */
export class Matrix {
  readonly dimensions: number;
  readonly #stride: number;
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES });
  readonly #scan: VectorScan = createScan(this.#memory);
  #count = 0;
  #scales = new Float32Array(0);
  #chunks = new Float64Array(0);
  #files = new Int32Array(0);

  constructor(dimensions: number) {
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
      throw new Error(`A vector has from 1 to ${MAX_DIMENSIONS} numbers, and not ${dimensions}.`);
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / STEP) * STEP;
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes that it takes. */
  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#scales.length * 16;
  }

  /** Adds the vectors of a file's chunks; `firstChunk` and the numbers after it are their ids. */
  append(file: number, firstChunk: number, { values, scales, count }: QuantisedVectors): void {
    this.#reserve(this.#count + count);
    const memory = new Int8Array(this.#memory.buffer);
    for (let row = 0; row < count; row++) {
      const vector = values.subarray(row * this.dimensions, (row + 1) * this.dimensions);
      const at = this.#count + row;
      memory.set(vector, VECTORS + at * this.#stride);
      this.#scales[at] = scales[row] ?? 0;
      this.#chunks[at] = firstChunk + row;
      this.#files[at] = file;
    }
    this.#count += count;
  }

  /** Takes out the vectors of files; the others move up. */
  drop(files: ReadonlySet<number>): void {
    const memory = new Int8Array(this.#memory.buffer);
    let kept = 0;
    for (let row = 0; row < this.#count; row++) {
      if (files.has(this.#files[row] ?? 0)) continue;
      if (kept !== row) {
        const from = VECTORS + row * this.#stride;
        memory.copyWithin(VECTORS + kept * this.#stride, from, from + this.#stride);
        this.#scales[kept] = this.#scales[row] ?? 0;
        this.#chunks[kept] = this.#chunks[row] ?? 0;
        this.#files[kept] = this.#files[row] ?? 0;
      }
      kept += 1;
    }
    this.#count = kept;
  }

  /** The file of a chunk; chunks stand in the order of their ids. */
  fileOf(chunk: number): number | undefined {
    let [low, high] = [0, this.#count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#chunks[middle] ?? 0;
      if (found === chunk) return this.#files[middle];
      if (found < chunk) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** The nearest chunks of the files that are allowed, all where that is null; the nearest first. */
  nearest({ values, scales }: QuantisedVectors, allowed: Uint8Array | null, most: number): Near[] {
    if (values.length !== this.dimensions)
      throw new Error(`A question of ${values.length} numbers, among vectors of ${this.dimensions}.`);
    const memory = new Int8Array(this.#memory.buffer);
    memory.fill(0, QUERY, QUERY + this.#stride).set(values, QUERY);
    const best = new Best(most);
    const scale = scales[0] ?? 0;
    for (let first = 0; first < this.#count; first += BLOCK) {
      const count = Math.min(BLOCK, this.#count - first);
      const vectors = VECTORS + first * this.#stride;
      this.#scan({ vectors, count, stride: this.#stride, query: QUERY, out: PRODUCTS });
      const products = new Int32Array(this.#memory.buffer, PRODUCTS, count);
      for (let row = 0; row < count; row++) {
        const at = first + row;
        if (allowed !== null && allowed[this.#files[at] ?? 0] !== 1) continue;
        const similarity = (products[row] ?? 0) * (this.#scales[at] ?? 0) * scale;
        if (similarity > best.bound) best.take({ chunk: this.#chunks[at] ?? 0, similarity });
      }
    }
    return best.found;
  }

  #reserve(count: number): void {
    const bytes = VECTORS + count * this.#stride;
    const missing = Math.ceil(bytes / PAGE) - this.#memory.buffer.byteLength / PAGE;
    if (missing > 0) this.#memory.grow(missing);
    if (count <= this.#scales.length) return;
    const room = Math.max(count, this.#scales.length * 2, 1024);
    this.#scales = grown(new Float32Array(room), this.#scales);
    this.#chunks = grown(new Float64Array(room), this.#chunks);
    this.#files = grown(new Int32Array(room), this.#files);
  }
}

function grown<T extends Float32Array | Float64Array | Int32Array>(larger: T, smaller: T): T {
  larger.set(smaller);
  return larger;
}

/** The few best of many, in order. What is not similar at all is none of them. */
class Best {
  readonly found: Near[] = [];
  readonly #most: number;
  /** What a chunk must be above. */
  bound = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take(near: Near): void {
    let place = this.found.length;
    while (place > 0 && (this.found[place - 1]?.similarity ?? 0) < near.similarity) place -= 1;
    this.found.splice(place, 0, near);
    if (this.found.length > this.#most) this.found.pop();
    if (this.found.length === this.#most) this.bound = this.found.at(-1)?.similarity ?? 0;
  }
}
