/** Values pushed on one side, read on the other one by one. What waits has a bound. */
export type Channel<T> = {
  /** False when the reader is so far behind that there is no room; the value is not taken then. */
  push(value: T, weight?: number): boolean;
  /** The reader gets `error` next; what was still waiting is dropped. */
  fail(error: Error): void;
  /** The one reader. Its `return` ends a pending `next` at once, which that of a generator would not. */
  values: AsyncIterableIterator<T>;
};

type Waiting<T> = { value: T; weight: number };
type Reader<T> = { resolve(result: IteratorResult<T>): void; reject(error: Error): void };

/** `capacity`: the sum of the weights that may wait; `onEnd` runs once, however the channel ends. */
export function createChannel<T>(capacity: number, onEnd: () => void): Channel<T> {
  let waiting: Waiting<T>[] = [];
  let load = 0;
  let reader: Reader<T> | null = null;
  let failure: Error | null = null;
  let ended = false;

  function end(error: Error | null): void {
    if (ended) return;
    ended = true;
    waiting = [];
    if (reader && error) reader.reject(error);
    else {
      failure = error;
      reader?.resolve({ value: undefined, done: true });
    }
    reader = null;
    onEnd();
  }

  const values: AsyncIterableIterator<T> = {
    next() {
      const first = waiting.shift();
      if (first) {
        load -= first.weight;
        return Promise.resolve({ value: first.value, done: false });
      }
      if (failure) {
        const error = failure;
        failure = null;
        return Promise.reject(error);
      }
      if (ended) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
      });
    },
    return() {
      end(null);
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]: () => values,
  };

  return {
    push(value, weight = 1) {
      if (ended) return true;
      if (reader) {
        reader.resolve({ value, done: false });
        reader = null;
        return true;
      }
      if (load + weight > capacity) return false;
      waiting.push({ value, weight });
      load += weight;
      return true;
    },
    fail: (error) => end(error),
    values,
  };
}

/** Each value as the several that `expand` makes of it, in order; like a channel's, its `return` waits for nothing. */
export function flatMap<T, R>(
  source: AsyncIterator<T>,
  expand: (value: T) => Promise<R[]>,
): AsyncIterableIterator<R> {
  let ready: R[] = [];
  const results: AsyncIterableIterator<R> = {
    async next() {
      for (;;) {
        const first = ready.shift();
        if (first !== undefined) return { value: first, done: false };
        const { value, done } = await source.next();
        if (done) return { value: undefined, done };
        ready = await expand(value);
      }
    },
    async return() {
      ready = [];
      await source.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}
