import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import { unlessGone } from '../../lib/unless-gone.ts';
import type { CounterStore } from '../counters/document.ts';
import { type JournalFile, parseJournalName } from './file-name.ts';
import { isDead, type JournalOwner, thisProcess } from './owner.ts';
import { type JournaledLease, readRecords } from './records.ts';
import { recoveryOf } from './recovered.ts';

export type RecoveryOptions = { directory: string; store: CounterStore; log: Logger };

/** Milliseconds between two looks at the journals of a data directory. */
const LOOK_MS = 2000;
/** Counters that are read, and changed, at a time. */
const BATCH = 500;

/** Gives back what dead processes on this data directory had leased and did not use. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #self: JournalOwner | null = thisProcess();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasFailed = false;
  /** Leases that were ended. */
  count = 0;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#self) this.#look(this.#self);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #look(self: JournalOwner): void {
    this.#looking = this.#recoverAll(self).then(() => {
      if (!this.#isStopped) this.#timer = setTimeout(() => this.#look(self), LOOK_MS).unref();
    });
  }

  async #recoverAll(self: JournalOwner): Promise<void> {
    const { directory, log } = this.#options;
    try {
      const names = (await unlessGone(readdir(directory))) ?? [];
      const files = names
        .flatMap((name) => parseJournalName(name) ?? [])
        .filter(({ owner }) => isDead(owner, self));
      for (const ofProcess of Map.groupBy(files, ({ processId }) => processId).values()) {
        if (this.#isStopped) return;
        await this.#recover(ofProcess);
      }
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        log.warn({ error }, 'What dead processes had leased of limits could not be given back yet.');
      this.#hasFailed = true;
    }
  }

  /**
   * A journal stays until a look finds no lease of its process: a message may have been under way when the process died, and
   * begin one that was not there at the look before.
   */
  async #recover(files: readonly JournalFile[]): Promise<void> {
    const { directory, log } = this.#options;
    const [{ processId }] = files as [JournalFile];
    const journal = await this.#newestOf(files);
    const ended = journal ? await this.#endLeases(processId, journal) : 0;
    if (ended > 0)
      log.info({ leases: ended }, 'What a process had leased of limits when it died was given back.');
    if (ended === 0) for (const { name } of files) await rm(join(directory, name), { force: true });
  }

  /** A kill may leave the last file of a process without its beginning; then the one before it is still there. */
  async #newestOf(files: readonly JournalFile[]): Promise<Map<string, JournaledLease> | null> {
    const { directory, log } = this.#options;
    for (const { name } of files.toSorted((one, other) => other.generation - one.generation)) {
      const bytes = await unlessGone(readFile(join(directory, name)));
      if (!bytes) continue;
      try {
        const found = await readRecords(bytes);
        if (found) return found;
      } catch (error) {
        log.warn(
          { error, name },
          'A journal of limits cannot be read; what its process had leased stays spent.',
        );
        return null;
      }
    }
    return null;
  }

  async #endLeases(processId: string, journal: ReadonlyMap<string, JournaledLease>): Promise<number> {
    const { store } = this.#options;
    const ids = [...new Set([...journal.values()].map(({ id }) => id))];
    let ended = 0;
    for (let start = 0; start < ids.length; start += BATCH) {
      const counters = await store.read(ids.slice(start, start + BATCH));
      const updates = counters.flatMap((counter) => recoveryOf(counter, processId, journal));
      if (updates.length > 0) await store.write(updates);
      ended += updates.filter(({ kind }) => kind === 'lease').length;
    }
    this.count += ended;
    return ended;
  }
}
