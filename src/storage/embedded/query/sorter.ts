import type { Fold } from '../value/compare.ts';
import type { SortField } from './planner.ts';
import { keyComparator, memoryExceeded, memoryLimit } from './sort.ts';

type Entry<Item> = { key: unknown[]; item: Item; order: number };
type Run<Item> = { entries: Entry<Item>[]; at: number };

/** Entries sorted at once; more would keep the thread for too long. */
const runLength = 8192;
const batchLength = 512;

/**
 * Collects items and gives them back in order. They are sorted in runs as they come and merged as they are read, so
 * that no step takes long; with a limit, only the best are kept.
 */
export class Sorter<Item> {
  readonly #compare: (left: Entry<Item>, right: Entry<Item>) => number;
  readonly #limit: number;
  readonly #runs: Run<Item>[] = [];
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
    else if (this.#entries.length >= runLength && this.#limit > runLength) this.#closeRun();
    if (this.#size <= memoryLimit) return;
    if (this.#runs.length === 0 && this.#entries.length > this.#limit) this.#prune();
    if (this.#size > memoryLimit) throw memoryExceeded('Sort');
  }

  /** Keeps the best entries; the size of the kept ones is estimated by their share. */
  #prune(): void {
    this.#entries.sort(this.#compare);
    this.#size *= this.#limit / this.#entries.length;
    this.#entries.length = this.#limit;
    this.#worst = this.#entries.at(-1) ?? null;
  }

  #closeRun(): void {
    if (this.#entries.length === 0) return;
    this.#runs.push({ entries: this.#entries.sort(this.#compare), at: 0 });
    this.#entries = [];
  }

  /** Everything in order, in batches. */
  *batches(): Generator<Item[]> {
    this.#closeRun();
    const heap = this.#runs.sort((left, right) => this.#compareHeads(left, right));
    let batch: Item[] = [];
    for (let given = 0; given < this.#limit; given++) {
      const [first] = heap;
      if (!first) break;
      batch.push((first.entries[first.at++] as Entry<Item>).item);
      if (batch.length === batchLength) {
        yield batch;
        batch = [];
      }
      if (first.at === first.entries.length) {
        const last = heap.pop();
        if (last && last !== first) heap[0] = last;
      }
      this.#sink(heap);
    }
    if (batch.length > 0) yield batch;
  }

  #compareHeads(left: Run<Item>, right: Run<Item>): number {
    return this.#compare(left.entries[left.at] as Entry<Item>, right.entries[right.at] as Entry<Item>);
  }

  /** Restores the heap after its top has changed. */
  #sink(heap: Run<Item>[]): void {
    for (let at = 0; ; ) {
      const [parent, left, right] = [heap[at], heap[2 * at + 1], heap[2 * at + 2]];
      if (!parent || !left) return;
      const child = right && this.#compareHeads(right, left) < 0 ? 2 * at + 2 : 2 * at + 1;
      const smallest = heap[child] as Run<Item>;
      if (this.#compareHeads(parent, smallest) <= 0) return;
      heap[at] = smallest;
      heap[child] = parent;
      at = child;
    }
  }
}
