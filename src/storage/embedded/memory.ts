import { memoryExceeded, memoryLimit } from './query/sort.ts';

/** What all operations of one thread may keep together; its heap has room for this and for the work itself. */
const threadLimit = 300 * 1024 * 1024;
let inThread = 0;

/** Counts the bytes that one operation keeps, and ends it when they are too many. What is counted must be released. */
export class Meter {
  readonly #what: string;
  #size = 0;

  constructor(what: string) {
    this.#what = what;
  }

  get size(): number {
    return this.#size;
  }

  /** True when the operation may keep no more by itself. */
  get full(): boolean {
    return this.#size > memoryLimit;
  }

  add(bytes: number): void {
    this.set(this.#size + bytes);
  }

  set(size: number): void {
    inThread += size - this.#size;
    this.#size = size;
  }

  check(): void {
    if (this.full || inThread > threadLimit) throw memoryExceeded(this.#what);
  }

  release(): void {
    this.set(0);
  }
}
