import { roughSize } from '../aggregate/stage.ts';
import { asCommandError, CommandError, isFault } from '../errors.ts';
import type { Document } from '../value/types.ts';
import { type Request, timeLimit } from './command.ts';

/** How long the statements of one transaction may take together, so that others are not kept waiting. */
const batchTime = 10;

/** A search took too long for a transaction that others are waiting for. */
export const tooLong: unique symbol = Symbol('too long');

/** What a statement did: documents met, how many of them changed, an upsert's `_id`, and a document to hand back. */
export type StatementOutcome = { n: number; modified: number; upserted: unknown; value: Document | null };

export const nothing: StatementOutcome = { n: 0, modified: 0, upserted: undefined, value: null };

/** A statement in two ways: inside a transaction, or piece by piece when that would take too long. */
export type Runner = {
  now: () => StatementOutcome | typeof tooLong;
  slowly: () => Promise<StatementOutcome>;
};

/** How a statement ended. */
export type Result = { outcome: StatementOutcome; error: CommandError | null };

/** What is no refusal (a full disk) fails the whole command. */
function refused(error: unknown): Result {
  const known = asCommandError(error);
  if (isFault(known)) throw error;
  return { outcome: nothing, error: known };
}

const succeeded = (outcome: StatementOutcome): Result => ({ outcome, error: null });

/**
 * Runs the statements of a write command in order, as many as possible in each transaction. Ordered commands end with
 * the first refusal. The results are in the order of the statements.
 */
export async function runBatch(
  { store, body }: Request,
  count: number,
  prepare: (index: number) => Runner,
): Promise<Result[]> {
  const ordered = body.ordered !== false;
  const end = performance.now() + (timeLimit(body) || Number.POSITIVE_INFINITY);
  const results: Result[] = [];
  const ended = (last?: Result): boolean => ordered && last?.error instanceof Error;
  while (results.length < count && !ended(results.at(-1))) {
    if (performance.now() > end) throw new CommandError(50, 'operation exceeded time limit');
    const { done, slow } = await store.writes.run(() => {
      const deadline = performance.now() + batchTime;
      const done: Result[] = [];
      for (let index = results.length; index < count && !ended(done.at(-1)); index++) {
        try {
          const runner = prepare(index);
          const outcome = runner.now();
          if (outcome === tooLong) return { done, slow: runner };
          done.push(succeeded(outcome));
        } catch (error) {
          done.push(refused(error));
        }
        if (performance.now() > deadline) break;
      }
      return { done, slow: null };
    });
    results.push(...done);
    if (slow) results.push(await slow.slowly().then(succeeded, refused));
  }
  return results;
}

/** After about this many bytes of errors the others are sent without words, so that the reply can hold them all. */
const largestErrors = 1024 * 1024;

/** Describes refusals one after the other. */
export function errorDescriber(): (error: CommandError) => Document {
  let size = 0;
  return ({ code, message, detail }) => {
    const words = { errmsg: message, ...detail };
    size += roughSize(words);
    return size > largestErrors ? { code, errmsg: '' } : { code, ...words };
  };
}

/** What drivers expect of a write command: how many documents, and which statements failed. */
export function writeReply(results: readonly Result[]): Document {
  const describe = errorDescriber();
  const writeErrors = results.flatMap(({ error }, index) => (error ? [{ index, ...describe(error) }] : []));
  const n = results.reduce((sum, { outcome }) => sum + outcome.n, 0);
  return { n, ...(writeErrors.length > 0 ? { writeErrors } : {}), ok: 1 };
}
