import { LRUCache } from 'lru-cache';

/** Answers of one kind of call that are remembered. */
const WINDOW = 32;
/** Kinds of calls that are remembered. */
const MEMORY = 5000;
/** Tokens that an answer is taken to have before any was seen. */
const UNKNOWN = 512;

/** Remembers how much the models wrote for each key, so that a soft limit holds what a call probably comes to. */
export class SeenOutputs {
  readonly #seen = new LRUCache<string, number[]>({ max: MEMORY });

  add(kind: string, tokens: number): void {
    const seen = this.#seen.get(kind) ?? [];
    seen.push(tokens);
    if (seen.length > WINDOW) seen.shift();
    this.#seen.set(kind, seen);
  }

  /** What nine of ten answers did not exceed. */
  likely(kind: string): number {
    const seen = this.#seen.get(kind);
    if (!seen) return UNKNOWN;
    const sorted = [...seen].sort((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? UNKNOWN;
  }
}
