import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Unix socket paths end at 107 bytes. */
const longestSocketPath = 103;

/**
 * Makes this process the one owner of a data directory. The lock is SQLite's own file lock, which the kernel drops
 * when a process dies, however it dies; so nothing stale can be left behind.
 */
export function claimDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pidFile = join(directory, 'pid');
  const lock = new DatabaseSync(join(directory, 'lock'));
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new Error(`The data directory ${directory} is in use by process ${readPid(pidFile)}.`, { cause });
  }
  writeFileSync(pidFile, String(process.pid), { mode: 0o600 });
  return {
    release() {
      rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim() || 'unknown';
  } catch {
    // The owner may be between taking the lock and writing its number.
    return 'unknown';
  }
}

/** A free socket path: inside the directory, or in a private temporary one when that path would be too long. */
export function prepareSocket(directory: string): { path: string; remove(): void } {
  const inside = join(directory, 'db.sock');
  if (Buffer.byteLength(inside) <= longestSocketPath) {
    rmSync(inside, { force: true });
    return { path: inside, remove: () => rmSync(inside, { force: true }) };
  }
  const temporary = mkdtempSync(join(tmpdir(), 'embedded-db-'));
  return {
    path: join(temporary, 'db.sock'),
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
}
