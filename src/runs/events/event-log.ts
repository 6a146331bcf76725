import type { Collection } from 'mongodb';
import { writeErrorsOf } from '../../storage/duplicates.ts';
import type { RunEventBatch } from './batches.ts';

/** Milliseconds for which a batch waits for those of other runs. */
const GATHER_MS = 20;

type Waiting = { batch: RunEventBatch; resolve(): void; reject(error: unknown): void };

/** Stores batches of events. Those that come within a moment go in one command, which costs hardly more than one of them alone. */
export class RunEventLog {
  readonly #batches: () => Collection<RunEventBatch>;
  readonly #writing = new Set<Promise<void>>();
  #waiting: Waiting[] = [];

  constructor(batches: () => Collection<RunEventBatch>) {
    this.#batches = batches;
  }

  /** Resolves when the batch is stored. */
  write(batch: RunEventBatch): Promise<void> {
    if (this.#waiting.length === 0) setTimeout(() => this.#send(), GATHER_MS);
    return new Promise((resolve, reject) => this.#waiting.push({ batch, resolve, reject }));
  }

  /** Resolves when nothing is on its way to the store any more, whether it was taken or not. */
  async settled(): Promise<void> {
    while (this.#waiting.length + this.#writing.size > 0) {
      this.#send();
      await Promise.all(this.#writing);
    }
  }

  #send(): void {
    const taken = this.#waiting;
    if (taken.length === 0) return;
    this.#waiting = [];
    const written = this.#insert(taken).finally(() => this.#writing.delete(written));
    this.#writing.add(written);
  }

  async #insert(taken: readonly Waiting[]): Promise<void> {
    const refusals = await this.#batches()
      .insertMany(
        taken.map(({ batch }) => batch),
        { ordered: false },
      )
      .then(
        () => new Map<number, unknown>(),
        (error: unknown) => refusalsOf(error, taken.length),
      );
    for (const [index, { resolve, reject }] of taken.entries())
      if (refusals.has(index)) reject(refusals.get(index));
      else resolve();
  }
}

/** What was refused, by its place: all where the error is not about single batches. */
function refusalsOf(error: unknown, count: number): Map<number, unknown> {
  const refused = writeErrorsOf(error);
  if (refused.length === 0) return new Map(Array.from({ length: count }, (_, index) => [index, error]));
  return new Map(refused.map((one) => [one.index, one]));
}
