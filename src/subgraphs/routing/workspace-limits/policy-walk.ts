import type { Limit } from '../../../limits/limit.ts';

/** The limit of a policy, as the policy was at a time of its last change. */
export type KnownPolicy = { id: string; at: number; limit: Limit };

type Policies = ReadonlyMap<string, KnownPolicy>;

/**
 * Goes along the policies of a workspace that are known, beside those that are there. As long as both are the same in the same
 * order, nothing is made anew: after an edit of one of ten thousand it is garbage that would keep callers waiting.
 */
export class PolicyWalk {
  readonly #known: Policies;
  readonly #ahead: Iterator<KnownPolicy>;
  #steps = 0;
  /** From the first one on that is not where it was. */
  #present: Map<string, KnownPolicy> | null = null;

  constructor(known: Policies) {
    this.#known = known;
    this.#ahead = known.values();
  }

  /** The next policy that is there; false where it has to be read. */
  step(id: string, at: number): boolean {
    if (this.#present === null) {
      const { done, value } = this.#ahead.next();
      if (!done && value.id === id) {
        this.#steps++;
        return value.at === at;
      }
      this.#present = this.#walked();
    }
    const before = this.#known.get(id);
    // One that is to be read has its place in the order before it is.
    this.#present.set(id, before ?? unread(id));
    return before?.at === at;
  }

  /** All that are there; `isChanged`: some are to be read into them, so that what is known has to stay apart. */
  end(isChanged: boolean): Map<string, KnownPolicy> {
    if (this.#present) return this.#present;
    const isWhole = this.#steps === this.#known.size;
    return isWhole && !isChanged ? (this.#known as Map<string, KnownPolicy>) : this.#walked();
  }

  /** Those that were where they had been. */
  #walked(): Map<string, KnownPolicy> {
    if (this.#steps === this.#known.size) return new Map(this.#known);
    const walked = new Map<string, KnownPolicy>();
    for (const policy of this.#known.values()) {
      if (walked.size === this.#steps) break;
      walked.set(policy.id, policy);
    }
    return walked;
  }
}

const unread = (id: string): KnownPolicy => ({ id, at: Number.NaN, limit: null as unknown as Limit });
