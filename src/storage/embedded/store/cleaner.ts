import type { Catalogue, Trash } from './catalogue.ts';
import type { Database } from './database.ts';
import type { Writes } from './writes.ts';

const batchSize = 1000;

const statements: Record<Trash['kind'], string> = {
  index:
    'DELETE FROM entries WHERE idx = ?1 AND (key, record) IN (SELECT key, record FROM entries WHERE idx = ?1 LIMIT ?2)',
  collection:
    'DELETE FROM documents WHERE collection = ?1 AND record IN (SELECT record FROM documents WHERE collection = ?1 LIMIT ?2)',
};

/** Clears away in the background what dropped collections, dropped indexes and broken-off builds left behind. */
export class Cleaner {
  readonly #database: Database;
  readonly #catalogue: Catalogue;
  readonly #writes: Writes;
  readonly #isBuilding: (index: number) => boolean;
  readonly #report: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #again = false;
  #closed = false;

  constructor(database: Database, catalogue: Catalogue, writes: Writes, onError: (error: unknown) => void) {
    this.#database = database;
    this.#catalogue = catalogue;
    this.#writes = writes;
    this.#isBuilding = (id) =>
      catalogue.list().some(({ indexes }) => indexes.some((index) => index.building && index.id === id));
    this.#report = onError;
  }

  /** Starts clearing, unless that is under way. */
  wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#run()
      .catch(this.#report)
      .finally(() => {
        this.#running = null;
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      for (const trash of this.#catalogue.trash()) {
        if (trash.kind === 'index' && this.#isBuilding(trash.id)) continue;
        while (!this.#closed && (await this.#clear(trash)))
          await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  #clear(trash: Trash): Promise<boolean> {
    return this.#writes.run(() => {
      const removed = this.#database.run(statements[trash.kind], trash.id, batchSize);
      if (removed === batchSize) return true;
      this.#catalogue.removeTrash(trash);
      return false;
    });
  }
}
