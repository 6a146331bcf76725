/** True when every failed insert of a write failed because its `_id` was there already: a replay, and no loss. */
export function isDuplicateBatch(error: unknown): boolean {
  const failures = writeErrorsOf(error);
  if (failures.length === 0) return (error as { code?: unknown } | null)?.code === 11000;
  return failures.every((failure) => failure.code === 11000);
}

/** The positions in the batch of the inserts that such an error is about. */
export const duplicateIndexes = (error: unknown): number[] => writeErrorsOf(error).map(({ index }) => index);

type WriteError = { code: number; index: number };

/** What of a write was refused, each with its position; empty for an error of another kind, such as a store that is away. */
export function writeErrorsOf(error: unknown): WriteError[] {
  if (typeof error !== 'object' || error === null) return [];
  const { writeErrors } = error as { writeErrors?: WriteError | WriteError[] };
  return Array.isArray(writeErrors) ? writeErrors : writeErrors ? [writeErrors] : [];
}
