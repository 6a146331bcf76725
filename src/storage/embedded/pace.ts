import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommandError } from './errors.ts';

/** How long one command may keep the thread before others get their turn. */
const slice = 8;

/** Lets long work share the thread, and ends it at its deadline or when it is no longer wanted. */
export class Pace {
  #sliceEnd = performance.now() + slice;
  readonly #deadline: number | null;
  stopped: CommandError | null = null;

  constructor(maxTimeMS: number | null = null) {
    this.#deadline = maxTimeMS ? performance.now() + maxTimeMS : null;
  }

  /** True when it is time to call `rest`. */
  get tired(): boolean {
    return performance.now() > this.#sliceEnd;
  }

  async rest(): Promise<void> {
    await nextTurn();
    if (this.stopped) throw this.stopped;
    const now = performance.now();
    if (this.#deadline !== null && now > this.#deadline) {
      throw new CommandError(50, 'operation exceeded time limit');
    }
    this.#sliceEnd = now + slice;
  }
}
