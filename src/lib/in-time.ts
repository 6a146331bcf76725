/** What was waited for did not come in time. */
export class LateError extends Error {}

/** The outcome of `work`, which goes on by itself when it takes longer than `limitMs`: that rejects with a LateError. */
export function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new LateError(`No answer within ${limitMs} ms.`)), limitMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
