import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { constants } from 'node:os';

const page = Buffer.alloc(16384);

/** False when a page beside the file `path` finds no room: SQLite calls a quota that is used up a broken disk. */
export function hasRoom(path: string): boolean {
  const probe = `${path}-probe`;
  try {
    const file = openSync(probe, 'w', 0o600);
    try {
      return writeSync(file, page, 0, page.length, 0) === page.length;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { errno = 0 } = error as NodeJS.ErrnoException;
    return -errno !== constants.errno.ENOSPC && -errno !== constants.errno.EDQUOT;
  } finally {
    rmSync(probe, { force: true });
  }
}
