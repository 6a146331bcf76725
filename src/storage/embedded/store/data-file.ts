import { DatabaseSync } from 'node:sqlite';
import { Acknowledged } from './acknowledged.ts';
import { Database } from './database.ts';
import { checkLayout, markLayout } from './layout.ts';
import { checkWal } from './wal-check.ts';

/**
 * Each collection has a table of its own, so that new documents are appended at its end; index entries share one
 * table, which WITHOUT ROWID keeps in key order. The large page holds a document of some kilobytes without overflow
 * pages.
 */
const pageSize = 16384;
const schema = `
  CREATE TABLE entries (
    idx INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL,
    PRIMARY KEY (idx, key, record)
  ) WITHOUT ROWID;
  CREATE TABLE catalogue (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
`;
const pragmas = `
  PRAGMA page_size = ${pageSize}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 2000;
`;

/** The SQLite file as its one writer has it. */
export class DataFile extends Database {
  readonly #acknowledged: Acknowledged;

  constructor(path: string) {
    checkWal(path);
    const sqlite = new DatabaseSync(path);
    const isNew = checkLayout(sqlite, path);
    super(sqlite, pragmas);
    if (isNew) sqlite.exec(`BEGIN; ${schema} ${markLayout} COMMIT`);
    this.#acknowledged = new Acknowledged(path);
  }

  get inTransaction(): boolean {
    return this.sqlite.isTransaction;
  }

  /** Ends a transaction; on return it is on disk. */
  commit(): void {
    this.run('COMMIT');
    this.#acknowledged.update();
  }

  get pages(): { pages: number; free: number } {
    const value = (sql: string): number => this.all<[number]>(sql)[0]?.[0] ?? 0;
    return { pages: value('PRAGMA page_count'), free: value('PRAGMA freelist_count') };
  }

  /** Bytes of the file, free pages left out. */
  get size(): number {
    const { pages, free } = this.pages;
    return (pages - free) * pageSize;
  }

  /** Gives free pages back to the file system, a few at a time. */
  shrink(pages: number): void {
    this.sqlite.exec(`PRAGMA incremental_vacuum(${pages})`);
    this.#acknowledged.update();
  }

  override close(): void {
    if (this.#checkpoint()) this.#acknowledged.forget();
    super.close();
    this.#acknowledged.close();
  }

  /** Copies the log to the data file; true when all of it is there. */
  #checkpoint(): boolean {
    try {
      const [row] = this.all<[busy: number, frames: number, copied: number]>(
        'PRAGMA wal_checkpoint(PASSIVE)',
      );
      return row !== undefined && row[1] === row[2];
    } catch {
      // On a full or broken disk the log stays, and with it the note of what it holds.
      return false;
    }
  }
}
