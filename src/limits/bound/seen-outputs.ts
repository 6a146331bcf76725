import { grownCache } from '../../lib/grown-cache.ts';

/** Answers of one kind of call that are remembered. */
const WINDOW = 32;
/** Kinds of calls that are remembered. */
const MEMORY = 5000;
/** Answers after which it is worked out again what is likely, once there are many. */
const RENEWED_AFTER = 8;
/** Tokens that an answer is taken to have before any was seen. */
const UNKNOWN = 512;

/** Remembers how much the models wrote for each key, so that a soft limit holds what a call probably comes to. */
export class SeenOutputs {
  readonly #seen = grownCache<Seen>(MEMORY);

  add(kind: string, tokens: number): void {
    let seen = this.#seen.get(kind);
    if (!seen) {
      seen = { tokens: [], count: 0, likely: UNKNOWN };
      this.#seen.set(kind, seen);
    }
    seen.tokens[seen.count % WINDOW] = tokens;
    seen.count += 1;
    if (seen.count < WINDOW || seen.count % RENEWED_AFTER === 0) seen.likely = likelyOf(seen.tokens);
  }

  /** What nine of ten answers did not exceed. */
  likely(kind: string): number {
    return this.#seen.get(kind)?.likely ?? UNKNOWN;
  }
}

/** `tokens`: of the last answers, in a ring. */
type Seen = { tokens: number[]; count: number; likely: number };

function likelyOf(tokens: readonly number[]): number {
  const sorted = tokens.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? UNKNOWN;
}
