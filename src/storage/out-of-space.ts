import { constants } from 'node:os';

/** MongoDB's OutOfDiskSpace, and what the system says of a full disk. */
const codes = new Set<unknown>([14031, 'ENOSPC']);

/** True for a write that a database or a file system refused because it has no room. */
export function isOutOfSpace(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node.js has no name for a quota that is used up.
  return codes.has(code) || errno === -constants.errno.EDQUOT;
}
