import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Logger } from '../../src/lib/logger.ts';

/** Writes what a source gives as fast as the caller takes it, and ends the source at once when the caller leaves. */
export async function streamAnswer<Item>(
  source: AsyncIterable<Item>,
  response: ServerResponse,
  bytesOf: (item: Item) => string | Uint8Array,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  const leave = () =>
    void iterator
      .return?.()
      .catch((error: unknown) => log.warn({ error }, 'A stream that its caller left did not end well.'));
  signal.addEventListener('abort', leave, { once: true });
  try {
    for await (const item of { [Symbol.asyncIterator]: () => iterator }) {
      if (signal.aborted) return;
      if (!response.write(bytesOf(item))) await once(response, 'drain', { signal });
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
