import { GatewayError } from '../errors/index.ts';

/** Options of every read of a list. The time is below the connection's own limit, so that the store can still answer. */
export const boundedRead = { maxTimeMS: 8000 } as const;

const timeLimitExceeded = 50;

/** Awaits the read of a list; one that the store gave up becomes an error that says what helps. */
export async function orTooSlow<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== timeLimitExceeded) throw error;
    throw new GatewayError('REQUEST_TIMEOUT', {
      message: 'Finding the items took too long; narrow the list by filters, above all by time.',
      cause: error,
    });
  }
}
