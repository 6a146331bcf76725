import type { DatabaseSync } from 'node:sqlite';

/** Milliseconds without a further deletion after which the words are written anew. */
const QUIET_MS = 5000;
/** Milliseconds between two turns, and how long one of them may take: searches come between them. */
const PAUSE_MS = 200;
const TURN_MS = 40;
/** Pages that one step writes. */
const PAGES = 64;

/**
 * Takes the words of deleted texts out of the file of an index. SQLite overwrites deleted rows by itself, but the index of words
 * only marks them: their words stay in it until the parts of it are merged.
 */
export class Purge {
  readonly #database: DatabaseSync;
  #timer: NodeJS.Timeout | undefined;
  #isBegun = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Something was deleted: the words are written anew once nothing else is deleted any more. */
  due(): void {
    this.#isBegun = false;
    this.#after(QUIET_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #after(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#turn(), milliseconds).unref();
  }

  #turn(): void {
    const until = performance.now() + TURN_MS;
    let isLeft = this.#step();
    while (isLeft && performance.now() < until) isLeft = this.#step();
    if (isLeft) this.#after(PAUSE_MS);
    else this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** False where nothing is left to merge. A negative number begins a merge of all parts into one. */
  #step(): boolean {
    const before = this.#changes();
    this.#database
      .prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)")
      .run(this.#isBegun ? PAGES : -PAGES);
    this.#isBegun = true;
    // The command itself counts as one change.
    return this.#changes() - before > 1;
  }

  #changes(): number {
    const { changes } = this.#database.prepare('SELECT total_changes() AS changes').get() as {
      changes: number;
    };
    return changes;
  }
}
