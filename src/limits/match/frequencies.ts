import type { Limit } from '../limit.ts';

/** How many limits name each value in their conditions. */
export class Frequencies {
  readonly #counts = new Map<string, Map<string, number>>();

  add(limit: Limit): void {
    this.#count(limit, 1);
  }

  remove(limit: Limit): void {
    this.#count(limit, -1);
  }

  of(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0;
  }

  #count({ conditions }: Limit, more: number): void {
    for (const { key, values } of conditions) {
      let ofKey = this.#counts.get(key);
      if (!ofKey) {
        ofKey = new Map();
        this.#counts.set(key, ofKey);
      }
      for (const value of values) {
        const count = (ofKey.get(value) ?? 0) + more;
        if (count > 0) ofKey.set(value, count);
        else ofKey.delete(value);
      }
      if (ofKey.size === 0) this.#counts.delete(key);
    }
  }
}
