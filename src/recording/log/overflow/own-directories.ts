import { readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import { isMissing, unlessGone } from '../../../lib/unless-gone.ts';
import { Abandoned, isRemoved, leave } from './directories.ts';

/** The directories whose files belong to this log: the one it writes to, and those of processes that are gone. */
export class OwnDirectories {
  /** The directory that this log writes to. */
  readonly own: string;
  readonly #abandoned: Abandoned;
  readonly #paths = new Set<string>();
  readonly #log: Logger;

  /** `directory`: holds those of all processes. */
  constructor(directory: string, log: Logger) {
    this.#abandoned = new Abandoned(directory);
    this.own = this.#abandoned.newName();
    this.#log = log;
  }

  /** The own directory exists from now on. */
  addOwn(): void {
    this.#paths.add(this.own);
  }

  /** Shows that this process lives. `onTaken` hears of directories that another process took, since it saw no sign of life. */
  async touch(onTaken: (path: string) => void): Promise<void> {
    const now = new Date();
    for (const path of this.#paths) {
      await utimes(path, now, now).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
        this.#paths.delete(path);
        onTaken(path);
      });
    }
  }

  /** The files of abandoned directories, oldest first, once they are ours. */
  async *takeOver(): AsyncGenerator<{ path: string; bytes: number }> {
    for (const abandoned of await this.#abandoned.look(this.#paths)) {
      const directory = await this.#take(abandoned);
      if (directory === null) continue;
      const names = (await readdir(directory)).sort();
      this.#log.info({ files: names.length }, 'Taking over request logs that another process left on disk.');
      for (const name of names) {
        const path = join(directory, name);
        yield { path, bytes: (await stat(path)).size };
      }
    }
  }

  /** Null where another process was faster. */
  async #take(path: string): Promise<string | null> {
    const taken = this.#abandoned.newName();
    const now = new Date();
    // The time goes first, so that nobody takes the directory from us; of two processes that rename it one fails.
    const isOurs = await unlessGone(
      utimes(path, now, now)
        .then(() => rename(path, taken))
        .then(() => true),
    );
    if (!isOurs) return null;
    this.#paths.add(taken);
    return taken;
  }

  async removeEmpty(): Promise<void> {
    for (const path of this.#paths) if (await isRemoved(path)) this.#paths.delete(path);
  }

  /** Lets the next process take over what is here at once. */
  async leave(): Promise<void> {
    // The own directory may have been removed as empty in the moment in which it was made anew.
    this.addOwn();
    for (const path of this.#paths) await leave(path, this.#log);
  }
}
