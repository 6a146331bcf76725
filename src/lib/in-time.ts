/** The awaited work did not end in time. */
export class LateError extends Error {}

/** The outcome of `work`; rejects with a LateError after `limitMs`, while the work goes on unattended. */
export function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new LateError(`No answer within ${limitMs} ms.`)), limitMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Parts of a limit of which a busy turn uses up one at most. */
const STEPS = 5;

/**
 * The same, but only time counts in which this process was able to hear the answer: while one turn of work takes long, an
 * answer may lie there that nobody has looked at.
 */
export function heardInTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let left = STEPS;
  const step = () => {
    left -= 1;
    if (left === 0) reject(new LateError(`No answer within ${limitMs} ms.`));
    else timer = setTimeout(step, limitMs / STEPS);
  };
  let timer = setTimeout(step, limitMs / STEPS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
