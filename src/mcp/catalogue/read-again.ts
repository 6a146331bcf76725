/** Milliseconds between two readings of a server that says again and again that it has changed. */
const APART_MS = 1000;

/**
 * Has servers read again that say that they have changed: at once, and then at most every second, however often they say so.
 * `read`: has one read that stands behind an integration.
 */
export function createReadAgain(read: (id: string) => void): (id: string) => void {
  /** True where a server has said so once more since it was read. */
  const resting = new Map<string, boolean>();

  function begin(id: string): void {
    resting.set(id, false);
    read(id);
    const timer = setTimeout(() => {
      const again = resting.get(id) === true;
      resting.delete(id);
      if (again) begin(id);
    }, APART_MS);
    timer.unref();
  }

  return (id) => {
    if (resting.has(id)) resting.set(id, true);
    else begin(id);
  };
}
