import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Acknowledged } from './acknowledged.ts';
import { checkLayout, markLayout } from './layout.ts';
import { checkWal } from './wal-check.ts';

/**
 * The SQLite file and its statements. Documents and index entries live in one table each; WITHOUT ROWID keeps them in
 * key order, and the large page holds a document of some kilobytes without overflow pages.
 */
const pageSize = 16384;
const schema = `
  CREATE TABLE documents (
    collection INTEGER NOT NULL, record INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (collection, record)
  ) WITHOUT ROWID;
  CREATE TABLE entries (
    idx INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL,
    PRIMARY KEY (idx, key, record)
  ) WITHOUT ROWID;
  CREATE TABLE catalogue (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
`;

export type RecordRow = [record: number, body: Buffer];
export type EntryRow = [key: Buffer, record: number, body: Buffer];

export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #acknowledged: Acknowledged;

  constructor(path: string) {
    checkWal(path);
    this.#sqlite = new DatabaseSync(path);
    const isNew = checkLayout(this.#sqlite, path);
    this.#sqlite.exec(`
      PRAGMA page_size = ${pageSize}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;
    `);
    if (isNew) this.#sqlite.exec(`BEGIN; ${schema} ${markLayout} COMMIT`);
    this.#acknowledged = new Acknowledged(path);
  }

  /** Prepares a statement once; rows come back as arrays. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#sqlite.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values) as unknown as Row[];
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

  get inTransaction(): boolean {
    return this.#sqlite.isTransaction;
  }

  /** Ends a transaction; on return it is on disk. */
  commit(): void {
    this.run('COMMIT');
    this.#acknowledged.update();
  }

  /** Gives free pages back to the file system, a few at a time. */
  shrink(pages: number): void {
    this.#sqlite.exec(`PRAGMA incremental_vacuum(${pages})`);
    this.#acknowledged.update();
  }

  close(): void {
    if (this.#checkpoint()) this.#acknowledged.forget();
    this.#statements.clear();
    this.#sqlite.close();
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

/** SQLite hands out plain byte arrays; the decoder wants Node's buffers over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
