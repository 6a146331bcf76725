import { Teller } from './events/teller.ts';
import type { ThreadItem } from './items.ts';
import type { RunDocument } from './run.ts';

/** Why this process stops executing a run before its end. */
export type Interruption = 'cancel' | 'expire' | 'gone' | 'stop';

/** What is known of a run that begins early: whether it could be stored, and all that its thread has where that is new. */
export type EarlyRun = { stored: Promise<void>; history?: readonly ThreadItem[] };

/** A run that this process executes now. */
export class LiveRun {
  /** As it is at the beginning of the present turn. */
  run: RunDocument;
  readonly teller: Teller;
  readonly #abort = new AbortController();
  #interruption: Interruption | null = null;
  /** Resolves when nothing of it is executed here any more. */
  done: Promise<void> = Promise.resolve();

  /** Resolves once the run is stored: before, the model may be asked, and nothing be told or written. */
  readonly stored: Promise<void>;
  #history: readonly ThreadItem[] | undefined;

  constructor(run: RunDocument, teller: Teller = new Teller(false), early?: EarlyRun) {
    this.run = run;
    this.teller = teller;
    this.#history = early?.history;
    this.stored = early?.stored ?? Promise.resolve();
    this.stored.catch(() => this.interrupt('gone'));
  }

  /** What its thread had when it was made, for the first turn alone; undefined where that is to be read. */
  takeHistory(): readonly ThreadItem[] | undefined {
    const history = this.#history;
    this.#history = undefined;
    return history;
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
