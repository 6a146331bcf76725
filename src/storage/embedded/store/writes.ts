import type { WriterCatalogue } from './catalogue.ts';
import type { DataFile } from './file/data-file.ts';

type Job = { run: () => unknown; resolve: (value: unknown) => void; reject: (error: unknown) => void };
type Outcome = { job: Job; value: unknown; error: Error | null };

/** Milliseconds after which a transaction takes no further statement, so that reads get in between. */
const transactionTime = 10;

/**
 * Group commit. Statements that arrive in one turn of the event loop share one SQLite transaction, so that one sync to
 * disk serves them all; none is acknowledged before that sync. Each runs in its own savepoint and fails alone.
 */
export class Writes {
  readonly #database: DataFile;
  readonly #catalogue: WriterCatalogue;
  #queue: Job[] = [];
  #scheduled = false;
  #closed = false;

  constructor(database: DataFile, catalogue: WriterCatalogue) {
    this.#database = database;
    this.#catalogue = catalogue;
  }

  /** Runs a synchronous statement in the next transaction; resolves once it is on disk. */
  run<Result>(statement: () => Result): Promise<Result> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ run: statement, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Writes what is queued; further statements are refused. */
  close(): void {
    while (this.#queue.length > 0) this.#flush();
    this.#closed = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const jobs = this.#queue;
    if (jobs.length === 0) return;
    this.#queue = [];
    try {
      this.#queue = jobs.slice(this.#commit(jobs));
    } catch (error) {
      // The disk is full or broken: nothing of this batch happened, and memory goes back to what is on disk.
      if (this.#database.inTransaction) this.#database.run('ROLLBACK');
      this.#catalogue.reload();
      const fault = this.#database.faultOf(error);
      for (const job of jobs) job.reject(fault);
    }
  }

  /** Runs as many jobs as there is time for, at least one, in one transaction; the number of jobs done. */
  #commit(jobs: Job[]): number {
    const deadline = performance.now() + transactionTime;
    const outcomes: Outcome[] = [];
    this.#database.run('BEGIN IMMEDIATE');
    for (const job of jobs) {
      outcomes.push(this.#attempt(job));
      if (performance.now() > deadline) break;
    }
    this.#catalogue.saveCounts();
    this.#database.commit();
    for (const { job, value, error } of outcomes) {
      if (error === null) job.resolve(value);
      else job.reject(error);
    }
    return outcomes.length;
  }

  #attempt(job: Job): Outcome {
    this.#catalogue.begin();
    this.#database.run('SAVEPOINT statement');
    let value: unknown;
    let error: Error | null = null;
    try {
      value = job.run();
    } catch (thrown) {
      // SQLite ends the whole transaction by itself when the disk fails; then no statement of the batch can stand.
      if (!this.#database.inTransaction) throw thrown;
      error = this.#database.faultOf(thrown);
      this.#database.run('ROLLBACK TO statement');
      this.#catalogue.undo();
    }
    this.#database.run('RELEASE statement');
    return { job, value, error };
  }
}
