import type { Cursors } from '../cursors.ts';
import { Selected } from '../plan/select.ts';
import type { LogicalSessions } from '../sessions.ts';
import type { Document } from '../value/types.ts';
import type { WriterCatalogue } from './catalogue.ts';
import type { Cleaner } from './cleaner.ts';
import type { Collection } from './collection.ts';
import type { Documents } from './documents.ts';
import type { DataFile } from './file/data-file.ts';
import type { Index } from './indexes/index-spec.ts';
import type { Writes } from './writes.ts';

/** Documents removed per transaction, so that writes get in between. */
const batchSize = 1000;
/** Free pages are given back to the file system when they are more than this and a quarter of the file. */
const idlePages = 2000;

/** The parts of a store that need tidying from time to time. */
type TidiedStore = {
  database: DataFile;
  catalogue: WriterCatalogue;
  documents: Documents;
  writes: Writes;
  cursors: Cursors;
  sessions: LogicalSessions;
  cleaner: Cleaner;
};

/** The chores that recur: expired documents, forgotten cursors, free pages. */
export class Housekeeper {
  readonly #store: TidiedStore;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | null = null;
  #closed = false;

  constructor(store: TidiedStore, interval: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.#timer = setInterval(() => {
      this.#round ??= this.#run()
        .catch(onError)
        .finally(() => {
          this.#round = null;
        });
    }, interval);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  async #run(): Promise<void> {
    await this.#store.cursors.sweep();
    this.#store.sessions.sweep();
    // Clearing that a full disk interrupted is tried again.
    this.#store.cleaner.wake();
    for (const collection of this.#store.catalogue.list()) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds !== null && !index.building) await this.#expire(collection, index);
      }
    }
    await this.#shrink();
  }

  /** Removes what expired, the index itself showing where it is. */
  async #expire(collection: Collection, index: Index): Promise<void> {
    const limit = new Date(Date.now() - (index.expireAfterSeconds ?? 0) * 1000);
    const old: Document = { [index.names[0] ?? '']: { $lt: limit } };
    const filter = index.partial ? { $and: [old, index.partial.source] } : old;
    for (let removed = batchSize; removed === batchSize && !this.#closed; ) {
      removed = await this.#store.writes.run(() => this.#removeBatch(collection, filter, index));
    }
  }

  #removeBatch(collection: Collection, filter: Document, index: Index): number {
    if (collection.dropped || !collection.indexes.some(({ id }) => id === index.id)) return 0;
    const selection = { filter, limit: batchSize, hint: index.name };
    let removed = 0;
    for (const chunk of new Selected(this.#store.database, collection, selection).chunks()) {
      for (const { record, body } of chunk) this.#store.documents.remove(collection, record, body);
      removed += chunk.length;
    }
    return removed;
  }

  async #shrink(): Promise<void> {
    for (let slice = 0; slice < 64 && !this.#closed; slice++) {
      const { pages, free } = this.#store.database.pages;
      if (free < idlePages || free * 4 < pages) return;
      this.#store.database.shrink(64);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
