import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { decode } from '../../bson/decode.ts';
import { asBuffer } from '../../bson/raw.ts';
import { planKilled } from '../../errors.ts';
import type { Collection } from '../collection.ts';

/** The table that holds a collection's documents. */
export const tableOf = ({ id }: { id: number }): string => `documents_${id}`;

/** The SQLite file and its prepared statements, for those who only read. */
export class Database {
  protected readonly sqlite: DatabaseSync;
  /** Each collection brings statements of its own, and collections come and go. */
  readonly #statements = new LRUCache<string, StatementSync>({ max: 1000 });

  protected constructor(sqlite: DatabaseSync, pragmas: string) {
    this.sqlite = sqlite;
    sqlite.exec(pragmas);
  }

  /** Opens a file that a writer has open. */
  static reader(path: string): Database {
    const pragmas = 'PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 5000';
    return new Database(new DatabaseSync(path, { readOnly: true }), pragmas);
  }

  /** Prepares a statement once; rows come back as arrays. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.sqlite.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs reads that must agree with each other. */
  snapshot<Result>(read: () => Result): Result {
    this.sqlite.exec('BEGIN');
    try {
      return read();
    } finally {
      this.sqlite.exec('COMMIT');
    }
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
      throw planKilled();
    }
  }

  /** Fails when a scan came to its end only because its collection or index was dropped meanwhile. */
  confirm({ id }: Collection, index: number | null): void {
    const [row] = this.all<[Uint8Array]>('SELECT body FROM catalogue WHERE name = ?', `collection/${id}`);
    if (!row) throw planKilled();
    const { indexes } = decode(asBuffer(row[0])) as { indexes: { id: number }[] };
    if (index !== null && !indexes.some((stored) => stored.id === index)) throw planKilled();
  }

  close(): void {
    this.#statements.clear();
    this.sqlite.close();
  }
}
