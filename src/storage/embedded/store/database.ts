import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { CommandError } from '../errors.ts';

/**
 * The SQLite file and its statements. Each collection has a table of its own, so that new documents are appended at its
 * end; index entries share one table, which WITHOUT ROWID keeps in key order. The large page holds a document of some
 * kilobytes without overflow pages.
 */
const pageSize = 16384;
const schema = `
  CREATE TABLE IF NOT EXISTS entries (
    idx INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL,
    PRIMARY KEY (idx, key, record)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS catalogue (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
`;

/** The table that holds a collection's documents. */
export const tableOf = ({ id }: { id: number }): string => `documents_${id}`;

export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the file; a reader neither creates nor changes anything. */
  constructor(path: string, role: 'writer' | 'reader') {
    this.#sqlite = new DatabaseSync(path, { readOnly: role === 'reader' });
    if (role === 'reader') {
      this.#sqlite.exec('PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 5000');
      return;
    }
    this.#sqlite.exec(`
      PRAGMA page_size = ${pageSize}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;
    `);
    this.#sqlite.exec(schema);
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
    try {
      return this.prepare(sql).all(...values) as unknown as Row[];
    } catch (error) {
      // A cursor may outlive its collection.
      if (!/^no such table: documents_/.test((error as Error).message)) throw error;
      throw new CommandError(175, 'operation was interrupted because its collection was dropped');
    }
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

  /** Gives free pages back to the file system, a few at a time. */
  shrink(pages: number): void {
    this.#sqlite.exec(`PRAGMA incremental_vacuum(${pages})`);
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }
}

/** SQLite hands out plain byte arrays; the decoder wants Node's buffers over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
