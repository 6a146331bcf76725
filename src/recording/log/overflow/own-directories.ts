import { rename, utimes } from 'node:fs/promises';
import type { Logger } from '../../../lib/logger.ts';
import { Abandoned, isMissing, isRemoved, leave } from './directories.ts';

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

  /** Abandoned directories, each under its new name once it is ours. */
  async *takeOver(): AsyncGenerator<string> {
    for (const path of await this.#abandoned.look(this.#paths)) {
      const taken = await this.#take(path);
      if (taken !== null) yield taken;
    }
  }

  /** Null where another process was faster. */
  async #take(path: string): Promise<string | null> {
    const taken = this.#abandoned.newName();
    const now = new Date();
    try {
      // The time goes first, so that nobody takes the directory from us; of two processes that rename it one fails.
      await utimes(path, now, now);
      await rename(path, taken);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
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
