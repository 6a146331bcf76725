import { Meter } from '../memory.ts';
import { keyComparator, type SortField } from '../query/sort.ts';
import type { Fold } from '../value/compare.ts';

type Entry<Item> = { key: unknown[]; item: Item; order: number };

const batchLength = 512;

/** Collects items and gives them back in order; equal ones stay as they came. With a limit, only the best are kept. */
export class Sorter<Item> {
  readonly #compare: (left: Entry<Item>, right: Entry<Item>) => number;
  readonly #limit: number;
  #entries: Entry<Item>[] = [];
  readonly #meter = new Meter('Sort');
  #count = 0;
  #worst: Entry<Item> | null = null;

  constructor(sort: readonly SortField[], limit: number, fold?: Fold) {
    const compare = keyComparator(sort, fold);
    this.#compare = (left, right) => compare(left.key, right.key) || left.order - right.order;
    this.#limit = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  }

  add(key: unknown[], item: Item, size: number): void {
    const entry = { key, item, order: this.#count++ };
    if (this.#worst && this.#compare(entry, this.#worst) >= 0) return;
    this.#entries.push(entry);
    this.#meter.add(size);
    const crowded = this.#meter.full && this.#entries.length > this.#limit;
    if (crowded || this.#entries.length >= this.#limit * 2 + 64) this.#prune();
    this.#meter.check();
  }

  /** To be called when the items are no longer needed. */
  release(): void {
    this.#entries = [];
    this.#meter.release();
  }

  /** Keeps the best entries; the size of the kept ones is estimated by their share. */
  #prune(): void {
    this.#entries.sort(this.#compare);
    this.#meter.set((this.#meter.size * this.#limit) / this.#entries.length);
    this.#entries.length = this.#limit;
    this.#worst = this.#entries.at(-1) ?? null;
  }

  /** Everything in order, in batches. */
  *batches(): Generator<Item[]> {
    const sorted = this.#entries.sort(this.#compare).slice(0, this.#limit);
    for (let start = 0; start < sorted.length; start += batchLength) {
      yield sorted.slice(start, start + batchLength).map(({ item }) => item);
    }
  }
}
