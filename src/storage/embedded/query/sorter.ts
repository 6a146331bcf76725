import type { Fold } from '../value/compare.ts';
import type { SortField } from './planner.ts';
import { keyComparator, memoryExceeded, memoryLimit } from './sort.ts';

type Entry<Item> = { key: unknown[]; item: Item; order: number };

const batchLength = 512;

/** Collects items and gives them back in order; equal ones stay as they came. With a limit, only the best are kept. */
export class Sorter<Item> {
  readonly #compare: (left: Entry<Item>, right: Entry<Item>) => number;
  readonly #limit: number;
  #entries: Entry<Item>[] = [];
  #size = 0;
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
    this.#size += size;
    if (this.#entries.length >= this.#limit * 2 + 64) this.#prune();
    if (this.#size <= memoryLimit) return;
    if (this.#entries.length > this.#limit) this.#prune();
    if (this.#size > memoryLimit) throw memoryExceeded('Sort');
  }

  /** Keeps the best entries; the size of the kept ones is estimated by their share. */
  #prune(): void {
    this.#entries.sort(this.#compare);
    this.#size *= this.#limit / this.#entries.length;
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
