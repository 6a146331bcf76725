type Event = { at: number; order: number; run: () => unknown };

/** Same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Events in the order of their times. */
export class Agenda {
  readonly #heap: Event[] = [];
  #count = 0;
  now = 0;

  at(time: number, run: () => unknown): void {
    const heap = this.#heap;
    heap.push({ at: Math.max(time, this.now), order: this.#count++, run });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!isBefore(heap[child], heap[parent])) break;
      [heap[child], heap[parent]] = [heap[parent] as Event, heap[child] as Event];
      child = parent;
    }
  }

  /** Runs the first event; resolves to false when there is none. */
  async next(): Promise<boolean> {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last) return false;
    if (heap.length > 0) {
      heap[0] = last;
      for (let parent = 0; ; ) {
        const [left, right] = [2 * parent + 1, 2 * parent + 2];
        let least = parent;
        if (isBefore(heap[left], heap[least])) least = left;
        if (isBefore(heap[right], heap[least])) least = right;
        if (least === parent) break;
        [heap[parent], heap[least]] = [heap[least] as Event, heap[parent] as Event];
        parent = least;
      }
    }
    this.now = first.at;
    const outcome = first.run();
    if (outcome instanceof Promise) await outcome;
    return true;
  }
}

const isBefore = (one: Event | undefined, other: Event | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  (one.at < other.at || (one.at === other.at && one.order < other.order));
