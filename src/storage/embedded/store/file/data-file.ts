import { DatabaseSync } from 'node:sqlite';
import { asCommandError, CommandError, outOfDiskSpace, planKilled, unknownError } from '../../errors.ts';
import { makePrivate } from '../../ownership.ts';
import type { Collection } from '../collection.ts';
import { Acknowledged } from './acknowledged.ts';
import { Checkpointer } from './checkpointer.ts';
import { Database } from './database.ts';
import { checkLayout, markLayout } from './layout.ts';
import { hasRoom } from './room.ts';
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
  PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 2000;
`;

/** With more pages than this in the log, they are copied to the data file, in a thread of its own. */
const usualLog = 1000;
/**
 * Under steady writing that thread never quite catches up. With more pages than this the writer copies the rest
 * itself, so that the log can begin anew.
 */
const longestLog = 4000;

/** The SQLite file as its one writer has it. */
export class DataFile extends Database {
  readonly #path: string;
  readonly #acknowledged: Acknowledged;
  readonly #checkpointer: Checkpointer;
  readonly #onError: (error: unknown) => void;

  /** `onError` hears of faults of the background work; nothing committed is lost by them. */
  constructor(path: string, onError: (error: unknown) => void) {
    checkWal(path);
    makePrivate(path);
    const sqlite = new DatabaseSync(path);
    const isNew = checkLayout(sqlite, path);
    super(sqlite, pragmas);
    if (isNew) sqlite.exec(`BEGIN; ${schema} ${markLayout} COMMIT`);
    this.#path = path;
    this.#acknowledged = new Acknowledged(path);
    this.#checkpointer = new Checkpointer(path, onError);
    this.#onError = onError;
  }

  /** The writer's thread knows of dropped collections without asking the file. */
  override confirm({ dropped, indexes }: Collection, index: number | null): void {
    if (dropped || (index !== null && !indexes.some(({ id }) => id === index))) throw planKilled();
  }

  /** The error that the caller of a failed write gets. */
  faultOf(error: unknown): CommandError {
    const fault = asCommandError(error);
    if (fault.code !== unknownError || hasRoom(this.#path)) return fault;
    return new CommandError(outOfDiskSpace, fault.message);
  }

  get inTransaction(): boolean {
    return this.sqlite.isTransaction;
  }

  /** Ends a transaction; on return it is on disk. */
  commit(): void {
    this.run('COMMIT');
    this.#tend();
  }

  /** Notes how far the log is acknowledged, and keeps it short. */
  #tend(): void {
    const { frames, checkpointed } = this.#acknowledged.update();
    if (frames > longestLog) this.#checkpointHere();
    else if (frames - checkpointed > usualLog) this.#checkpointer.wake();
  }

  #checkpointHere(): void {
    try {
      this.sqlite.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // The commit stands; the log grows until the disk works again.
      this.#onError(error);
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

  /** Gives free pages back to the file system, a few at a time. */
  shrink(pages: number): void {
    this.sqlite.exec(`PRAGMA incremental_vacuum(${pages})`);
    this.#tend();
  }

  /** Ends the background work and closes the file. */
  async stop(): Promise<void> {
    await this.#checkpointer.close();
    this.close();
  }

  override close(): void {
    super.close();
    this.#acknowledged.close();
  }
}
