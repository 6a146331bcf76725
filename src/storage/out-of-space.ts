/** MongoDB's OutOfDiskSpace, and what the system says of a full disk and of a quota that is used up. */
const codes = new Set<unknown>([14031, 'ENOSPC', 'EDQUOT']);

/** True for a write that a database or a file system refused because it has no room. */
export const isOutOfSpace = (error: unknown): boolean =>
  codes.has((error as { code?: unknown } | null | undefined)?.code);
