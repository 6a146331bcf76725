import type { Logger } from '../../../lib/logger.ts';
import type { Overflow } from '../overflow/overflow.ts';
import { ProcessorLoad } from './processor-load.ts';

/** For how long drafts wait for the requests to leave a processor free, and how much may wait meanwhile. */
const PATIENCE_MS = 30_000;
const PATIENT_BYTES = 512 * 1024 * 1024;

/** Decides when drafts go to the thread: while requests need all processors, drafts wait on disk, though not for ever. */
export class HandoverPace {
  readonly #load = new ProcessorLoad();
  readonly #log: Logger;
  #isLoadKnown = true;
  /** Whether drafts on disk wait for a better moment. */
  #isPatient = true;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether the requests need all processors. */
  get isBusy(): boolean {
    return this.#load.isBusy();
  }

  beat(): void {
    this.#load.beat().catch((error: unknown) => {
      if (this.#isLoadKnown) this.#log.warn({ error }, 'The load of the machine is not known.');
      this.#isLoadKnown = false;
    });
  }

  /** Whether drafts on disk shall stay there. Once they have waited too long, they are worked out until none is left. */
  shallWait({ isEmpty, age, bytes }: Overflow): boolean {
    if (isEmpty) this.#isPatient = true;
    else if (age > PATIENCE_MS || bytes > PATIENT_BYTES) this.#isPatient = false;
    return this.isBusy && this.#isPatient;
  }

  /** What is on disk now shall not wait. */
  hurry(): void {
    this.#isPatient = false;
  }
}
