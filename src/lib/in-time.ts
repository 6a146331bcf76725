/** The awaited work did not end in time. */
export class LateError extends Error {}

/** The outcome of `work`; rejects with a LateError after `limitMs`, while the work goes on unattended. */
export function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new LateError(`No answer within ${limitMs} ms.`)), limitMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
