import { seededRandom } from '../support.ts';

/** Repeatable random choices. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** A whole number from 0 up to, not including, the limit. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)] as Item;
  }

  list<Item>(length: number, make: (index: number) => Item): Item[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  /** One of several makers, each as likely as the number beside it says. */
  weighted<Item>(makers: readonly (readonly [number, () => Item])[]): Item {
    let at = this.#next() * makers.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of makers) {
      at -= weight;
      if (at < 0) return make();
    }
    throw new Error('nothing to choose from');
  }
}
