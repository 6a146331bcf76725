import { Teller } from './events/teller.ts';
import type { RunDocument } from './run.ts';

/** Why this process stops executing a run before its end. */
export type Interruption = 'cancel' | 'expire' | 'gone' | 'stop';

/** A run that this process executes now. */
export class LiveRun {
  /** As it is at the beginning of the present turn. */
  run: RunDocument;
  readonly teller: Teller;
  readonly #abort = new AbortController();
  #interruption: Interruption | null = null;
  /** Resolves when nothing of it is executed here any more. */
  done: Promise<void> = Promise.resolve();

  constructor(run: RunDocument, teller: Teller = new Teller(false)) {
    this.run = run;
    this.teller = teller;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get interruption(): Interruption | null {
    return this.#interruption;
  }

  /** The first reason counts. */
  interrupt(why: Interruption): void {
    this.#interruption ??= why;
    this.#abort.abort();
  }
}
