/** A chunk and how near it is to what was asked: the larger the number, the nearer. */
export type Near = { chunk: number; similarity: number };

/** The few best of many, in order. What is not similar at all is none of them. */
export class Best {
  readonly found: Near[] = [];
  readonly #most: number;
  /** What a chunk must be above. */
  bound = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes one that is above the bound; answers the bound from then on. */
  take(near: Near): number {
    let place = this.found.length;
    while (place > 0 && (this.found[place - 1]?.similarity ?? 0) < near.similarity) place -= 1;
    this.found.splice(place, 0, near);
    if (this.found.length > this.#most) this.found.pop();
    if (this.found.length === this.#most) this.bound = this.found.at(-1)?.similarity ?? 0;
    return this.bound;
  }
}
