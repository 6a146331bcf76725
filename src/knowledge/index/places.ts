import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const MOST_PLACES = 1000;
const LOCK = 'held.lock';
/** What SQLite says of a file that another process has locked. */
const BUSY = 5;

/** The first place that no living process has: its lock ends with the process, however that ends. */
export function freePlace(root: string): { path: string; held: DatabaseSync } {
  for (let place = 0; place < MOST_PLACES; place++) {
    const path = join(root, String(place));
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const held = lockOf(path);
    if (held) return { path, held };
  }
  throw new Error(`${root} has no place left for the index of another process.`);
}

/** Deletes the indexes in all places that no living process has. */
export function removeLeftPlaces(root: string, own: string): void {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    if (path === own) continue;
    const held = lockOf(path);
    if (!held) continue;
    const left = readdirSync(path).filter((file) => !file.startsWith(LOCK));
    for (const file of left) rmSync(join(path, file), { force: true });
    held.close();
  }
}

/** The lock of a place; null where a living process has it. */
function lockOf(path: string): DatabaseSync | null {
  const held = new DatabaseSync(join(path, LOCK));
  try {
    held.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
    return held;
  } catch (error) {
    held.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
}
