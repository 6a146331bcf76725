import type { QuantisedVectors } from '../embed/quantise.ts';
import { createScan, type VectorScan } from '../kernel/scan.ts';
import { Best, type Near } from './best.ts';
import { type AddedChunks, ChunkRows, grown } from './chunk-rows.ts';

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

/** Vectors that were scanned together: those from `first` on, and which of their similarities count. */
type Scanned = { first: number; count: number; scale: number };

/** The chunks of a store in memory, and their vectors one behind the other in the same order. */
export class Matrix {
  readonly dimensions: number;
  readonly rows = new ChunkRows();
  readonly #stride: number;
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES });
  readonly #scan: VectorScan = createScan(this.#memory);
  #scales = new Float32Array(0);

  constructor(dimensions: number) {
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS)
      throw new Error(`A vector has from 1 to ${MAX_DIMENSIONS} numbers, and not ${dimensions}.`);
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / STEP) * STEP;
  }

  get count(): number {
    return this.rows.count;
  }

  /** Bytes that it takes. */
  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#scales.length * 4 + this.rows.bytes;
  }

  /** Adds the chunks of a file with their vectors. */
  append(added: AddedChunks, { values, scales, count }: QuantisedVectors): void {
    const first = this.count;
    this.#reserve(first + count);
    const memory = new Int8Array(this.#memory.buffer);
    for (let place = 0; place < count; place++) {
      const vector = values.subarray(place * this.dimensions, (place + 1) * this.dimensions);
      memory.set(vector, this.#placeOf(first + place));
      this.#scales[first + place] = scales[place] ?? 0;
    }
    this.rows.append(added);
  }

  /** Takes out the chunks of files; the others move up. */
  drop(files: ReadonlySet<number>): void {
    const memory = new Int8Array(this.#memory.buffer);
    this.rows.drop(files, (from, to) => {
      const at = this.#placeOf(from);
      memory.copyWithin(this.#placeOf(to), at, at + this.#stride);
      this.#scales[to] = this.#scales[from] ?? 0;
    });
  }

  /** The nearest chunks of the files that are allowed, all where that is null; the nearest first. */
  nearest({ values, scales }: QuantisedVectors, allowed: Uint8Array | null, most: number): Near[] {
    if (values.length !== this.dimensions)
      throw new Error(`A question of ${values.length} numbers, among vectors of ${this.dimensions}.`);
    const memory = new Int8Array(this.#memory.buffer);
    memory.fill(0, QUERY, QUERY + this.#stride).set(values, QUERY);
    const best = new Best(most);
    const scale = scales[0] ?? 0;
    let stretch = this.rows.stretch(0, allowed, BLOCK);
    while (stretch !== null) {
      const { first, count } = stretch;
      const vectors = this.#placeOf(first);
      this.#scan({ vectors, count, stride: this.#stride, query: QUERY, out: PRODUCTS });
      this.#take(best, { first, count, scale });
      stretch = this.rows.stretch(first + count, allowed, BLOCK);
    }
    return best.found;
  }

  #take(best: Best, { first, count, scale }: Scanned): void {
    const products = new Int32Array(this.#memory.buffer, PRODUCTS, count);
    // This loop runs over every vector: what it reads stands in locals.
    const scales = this.#scales;
    let bound = best.bound;
    for (let place = 0; place < count; place++) {
      const similarity = (products[place] ?? 0) * (scales[first + place] ?? 0) * scale;
      if (similarity > bound) bound = best.take({ chunk: this.rows.chunks[first + place] ?? 0, similarity });
    }
  }

  #placeOf(row: number): number {
    return VECTORS + row * this.#stride;
  }

  #reserve(count: number): void {
    const missing = Math.ceil(this.#placeOf(count) / PAGE) - this.#memory.buffer.byteLength / PAGE;
    if (missing > 0) this.#memory.grow(missing);
    if (count <= this.#scales.length) return;
    const room = Math.max(count, this.#scales.length * 2, 1024);
    this.#scales = grown(new Float32Array(room), this.#scales);
  }
}
