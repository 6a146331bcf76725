import type { Trash, WriterCatalogue } from './catalogue.ts';
import { type Database, tableOf } from './file/database.ts';
import type { Writes } from './writes.ts';

const batchSize = 1000;

const removeEntries =
  'DELETE FROM entries WHERE idx = ?1 AND (key, record) IN (SELECT key, record FROM entries WHERE idx = ?1 LIMIT ?2)';

/** Clears away in the background what dropped collections, dropped indexes and broken-off builds left behind. */
export class Cleaner {
  readonly #database: Database;
  readonly #catalogue: WriterCatalogue;
  readonly #writes: Writes;
  readonly #isBuilding: (index: number) => boolean;
  readonly #report: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #again = false;
  #closed = false;

  constructor(
    database: Database,
    catalogue: WriterCatalogue,
    writes: Writes,
    onError: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#catalogue = catalogue;
    this.#writes = writes;
    this.#isBuilding = (id) =>
      catalogue.list().some(({ indexes }) => indexes.some((index) => index.building && index.id === id));
    this.#report = onError;
  }

  /** Starts to clear, unless it is at work already. */
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
        while (!this.#closed && (await this.#clear(trash)))
          await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  #clear(trash: Trash): Promise<boolean> {
    return this.#writes.run(() => {
      // The list was read when the clearing began: meanwhile an index build may have begun, or ended well.
      if (!this.#catalogue.isTrash(trash)) return false;
      if (trash.kind === 'index' && this.#isBuilding(trash.id)) return false;
      const removed = trash.kind === 'index' ? this.#removeEntries(trash.id) : this.#removeDocuments(trash);
      if (removed === batchSize) return true;
      if (trash.kind === 'collection') this.#database.run(`DROP TABLE IF EXISTS ${tableOf(trash)}`);
      this.#catalogue.removeTrash(trash);
      return false;
    });
  }

  #removeEntries(index: number): number {
    return this.#database.run(removeEntries, index, batchSize);
  }

  /** A table is emptied first: dropping a full one would block the thread for a time that grows with its size. */
  #removeDocuments(trash: Trash): number {
    const table = tableOf(trash);
    const [exists] = this.#database.all('SELECT 1 FROM sqlite_schema WHERE name = ?', table);
    if (!exists) return 0;
    return this.#database.run(
      `DELETE FROM ${table} WHERE record IN (SELECT record FROM ${table} LIMIT ?)`,
      batchSize,
    );
  }
}
