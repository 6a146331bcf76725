import { orTooSlow } from '../../bounded-read.ts';

/** Gives each document of a bounded read; throws REQUEST_TIMEOUT when the store gave it up, and ends when nobody waits any more. */
export function each<T>(
  documents: AsyncIterable<T>,
  signal: AbortSignal | undefined,
  give: (document: T) => void,
): Promise<void> {
  const walk = async () => {
    for await (const document of documents) {
      signal?.throwIfAborted();
      give(document);
    }
  };
  return orTooSlow(walk());
}
