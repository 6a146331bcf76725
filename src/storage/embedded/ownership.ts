import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './errors.ts';

/** Unix socket paths end at 107 bytes. */
const longestSocketPath = 103;
const sqliteBusy = 5;

/**
 * Makes this process the one owner of a data directory. The lock is SQLite's own file lock, which the kernel drops
 * when a process dies, however it dies; so nothing stale can be left behind.
 */
export function claimDirectory(directory: string): { release(): void } {
  makeUsable(directory);
  const pidFile = join(directory, 'pid');
  const lockFile = join(directory, 'lock');
  makePrivate(lockFile);
  const lock = new DatabaseSync(lockFile);
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if ((cause as { errcode?: number }).errcode !== sqliteBusy) throw cause;
    throw new StartError(`The data directory ${directory} is in use by process ${readPid(pidFile)}.`, {
      cause,
    });
  }
  writeFileSync(pidFile, String(process.pid), { mode: 0o600 });
  return {
    release() {
      rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

/** Makes the directory and sees that everything in it can be used, so that a start is refused in plain words. */
function makeUsable(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    if (existsSync(directory) && !statSync(directory).isDirectory())
      throw new StartError(`The data directory ${directory} is a file.`, { cause });
    throw new StartError(`The data directory ${directory} cannot be made (${codeOf(cause)}).`, { cause });
  }
  checkAccess(directory, 'directory', constants.R_OK | constants.W_OK | constants.X_OK);
  for (const name of ['lock', 'pid', 'data.sqlite', 'data.sqlite-wal', 'data.sqlite-shm']) {
    const path = join(directory, name);
    if (existsSync(path)) checkAccess(path, 'file', constants.R_OK | constants.W_OK);
  }
}

function checkAccess(path: string, kind: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (cause) {
    throw new StartError(
      `The data ${kind} ${path} cannot be read and written by this user (${codeOf(cause)}).`,
      {
        cause,
      },
    );
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/**
 * Sees that a file is this user's alone, whatever the directory allows; it is made when there is none. An existing one
 * is not opened: closing it would drop the locks that this process has on it.
 */
export function makePrivate(path: string): void {
  if (existsSync(path)) chmodSync(path, 0o600);
  else closeSync(openSync(path, 'wx', 0o600));
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim() || 'unknown';
  } catch {
    // The owner may be between taking the lock and writing its number.
    return 'unknown';
  }
}

/** Where the server of a directory listens is written down, for other processes of the same installation. */
const noteOf = (directory: string): string => join(directory, 'socket');

/** The socket on which the server of a directory listens, or was last heard of; null when there is none. */
export function findSocket(directory: string): string | null {
  const note = noteOf(directory);
  return existsSync(note) ? readFileSync(note, 'utf8') : null;
}

/** A free socket path: inside the directory, or in a private temporary one when that path would be too long. */
export function prepareSocket(directory: string): { path: string; remove(): void } {
  const inside = join(directory, 'db.sock');
  const fits = Buffer.byteLength(inside) <= longestSocketPath;
  const temporary = fits ? null : mkdtempSync(join(tmpdir(), 'embedded-db-'));
  const path = temporary ? join(temporary, 'db.sock') : inside;
  rmSync(path, { force: true });
  writeFileSync(noteOf(directory), path, { mode: 0o600 });
  return {
    path,
    remove() {
      for (const gone of [noteOf(directory), temporary ?? path])
        rmSync(gone, { recursive: true, force: true });
    },
  };
}
