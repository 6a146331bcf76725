/** A bounded number of places, for which whoever wants one waits in a line. */
export type BoxTurns = {
  /**
   * Resolves once there is a place, with what gives it back; rejects with the signal's reason if that comes first. Lines take
   * turns: one that is long keeps no other one waiting for more than one place.
   */
  enter(line: string, signal: AbortSignal): Promise<() => void>;
  /** Places that nobody has. */
  free(): number;
  /** Those that wait for a place. */
  waiting(): number;
};

type Waiter = { begin(): void };

export function createTurns(places: number): BoxTurns {
  let free = places;
  /** In the order in which they are served. */
  const lines = new Map<string, Set<Waiter>>();

  function next(): void {
    const [[line, waiters] = ['', new Set<Waiter>()]] = lines;
    const [waiter] = waiters;
    if (!waiter) {
      free += 1;
      return;
    }
    lines.delete(line);
    waiters.delete(waiter);
    if (waiters.size > 0) lines.set(line, waiters);
    waiter.begin();
  }

  function place(): () => void {
    let isTaken = true;
    return () => {
      if (isTaken) next();
      isTaken = false;
    };
  }

  return {
    async enter(line, signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return place();
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiter = { begin: () => resolve(place()) };
      const waiters = lines.get(line) ?? new Set();
      lines.set(line, waiters.add(waiter));
      const leave = () => {
        waiters.delete(waiter);
        if (waiters.size === 0 && lines.get(line) === waiters) lines.delete(line);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', leave));
    },
    free: () => free,
    waiting: () => [...lines.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
