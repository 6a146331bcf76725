import { asCommandError, isFault } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { tooLong } from './locate.ts';

/** How long the statements of one transaction may take together, so that others are not kept waiting. */
const batchTime = 10;

/** A statement in two ways: inside a transaction, or piece by piece when that would take too long. */
export type Runner<Outcome> = { now: () => Outcome | typeof tooLong; slowly: () => Promise<Outcome> };

export type BatchResult<Outcome> =
  | { index: number; outcome: Outcome; error: null }
  | { index: number; outcome: null; error: Error };

/**
 * Runs the statements of a write command in order, as many as possible in each transaction. Ordered commands end with
 * the first refusal. What is no refusal (a full disk) fails the whole command.
 */
export async function runBatch<Outcome>(
  store: Store,
  count: number,
  ordered: boolean,
  prepare: (index: number) => Runner<Outcome>,
): Promise<BatchResult<Outcome>[]> {
  const results: BatchResult<Outcome>[] = [];
  const refused = (index: number, error: unknown): BatchResult<Outcome> => {
    const known = asCommandError(error);
    if (isFault(known)) throw error;
    return { index, outcome: null, error: known };
  };
  const failed = (): boolean => ordered && results.at(-1)?.error instanceof Error;
  for (let next = 0; next < count && !failed(); ) {
    const part = await store.writes.run(() => {
      const deadline = performance.now() + batchTime;
      const done: BatchResult<Outcome>[] = [];
      for (let index = next; index < count; index++) {
        try {
          const runner = prepare(index);
          const outcome = runner.now();
          if (outcome === tooLong) return { done, slow: runner };
          done.push({ index, outcome: outcome as Outcome, error: null });
        } catch (error) {
          done.push(refused(index, error));
          if (ordered) break;
        }
        if (performance.now() > deadline) break;
      }
      return { done, slow: null };
    });
    results.push(...part.done);
    next += part.done.length;
    if (!part.slow) continue;
    const index = next;
    results.push(
      await part.slow
        .slowly()
        .then((outcome): BatchResult<Outcome> => ({ index, outcome, error: null }))
        .catch((error: unknown) => refused(index, error)),
    );
    next += 1;
  }
  return results;
}
