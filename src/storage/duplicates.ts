/** True when every failed insert of a write failed because its `_id` was there already: a replay, and no loss. */
export function isDuplicateBatch(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, writeErrors } = error as { code?: unknown; writeErrors?: unknown };
  const failures: unknown[] = Array.isArray(writeErrors) ? writeErrors : writeErrors ? [writeErrors] : [];
  if (failures.length === 0) return code === 11000;
  return failures.every((failure) => (failure as { code?: unknown } | null)?.code === 11000);
}
