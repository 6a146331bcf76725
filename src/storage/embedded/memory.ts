import { CommandError } from './errors.ts';

/** What one operation may hold in memory to sort or group, as on a MongoDB server without disk use. */
export const memoryLimit = 100 * 1024 * 1024;

export function memoryExceeded(what: string): CommandError {
  return new CommandError(292, `${what} exceeded the memory limit of ${memoryLimit} bytes`);
}

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
