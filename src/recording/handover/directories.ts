import { randomUUID } from 'node:crypto';
import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds without a sign of life after which a directory is abandoned. */
const SILENCE = 120_000;
const PREFIX = 'overflow-';

/**
 * Finds directories of processes that are gone: those that one has marked with the time 0 as it ended, and those whose time
 * did not change while this process watched. Clocks of several machines need not agree.
 */
export class Abandoned {
  readonly #directory: string;
  #seen = new Map<string, { mtime: number; since: number }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  newName(): string {
    return join(this.#directory, `${PREFIX}${randomUUID()}`);
  }

  /** `ours`: what is not to be looked at. */
  async look(ours: ReadonlySet<string>): Promise<string[]> {
    const seen = new Map<string, { mtime: number; since: number }>();
    const found: string[] = [];
    for (const path of await this.#others(ours)) {
      const mtime = await timeOf(path);
      if (mtime === null) continue;
      const before = this.#seen.get(path);
      const since = before?.mtime === mtime ? before.since : performance.now();
      seen.set(path, { mtime, since });
      if (mtime === 0 || performance.now() - since > SILENCE) found.push(path);
    }
    this.#seen = seen;
    return found;
  }

  async #others(ours: ReadonlySet<string>): Promise<string[]> {
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => join(this.#directory, name))
      .filter((path) => !ours.has(path));
  }
}

/** Null for a directory that has just gone. */
async function timeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** False for a directory in which something waits. */
export async function isRemoved(path: string): Promise<boolean> {
  try {
    await rmdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    if (!isMissing(error)) throw error;
  }
  return true;
}
