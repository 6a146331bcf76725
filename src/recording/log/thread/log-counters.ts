import type { QueueCounters } from '../../queue/queue.ts';

const none = (): QueueCounters => ({ waiting: 0, written: 0, spooled: 0, dropped: 0 });

/** What became of the drafts, over all threads that one process has had. */
export class LogCounters {
  /** The sums as of the last `update`. */
  readonly sums = none();
  /** What the present thread has told, and what the threads before it had. */
  #told = none();
  readonly #earlier = none();
  /** Drafts that were lost outside the thread. */
  dropped = 0;

  tell(counters: QueueCounters): void {
    this.#told = counters;
  }

  threadEnded(): void {
    for (const name of ['written', 'spooled', 'dropped'] as const) this.#earlier[name] += this.#told[name];
    this.#told = none();
  }

  update(waiting: number): void {
    this.sums.waiting = waiting;
    this.sums.written = this.#earlier.written + this.#told.written;
    this.sums.spooled = this.#earlier.spooled + this.#told.spooled;
    this.sums.dropped = this.#earlier.dropped + this.#told.dropped + this.dropped;
  }
}
