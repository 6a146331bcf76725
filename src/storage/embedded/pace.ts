import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommandError } from './errors.ts';

/** How long one command may keep the thread before others get their turn; on the writer's thread it is half of that. */
const slice = 8;

/** Thrown through a command that turned out to be long: it begins anew in a reader thread. */
export const moved: Error = new Error('this statement goes on in a reader thread');

/** Lets long work share the thread, and ends it at its deadline or when it is no longer wanted. */
export class Pace {
  #sliceEnd: number;
  #movable: boolean;
  #client: AbortSignal | null;
  readonly #deadline: number | null;
  stopped: CommandError | null = null;

  /**
   * `movable`: the command may begin anew elsewhere, so here it gets one slice only. `client` is aborted when whoever
   * waits for the answer has gone.
   */
  constructor(maxTimeMS: number, movable: boolean, client: AbortSignal) {
    const now = performance.now();
    this.#movable = movable;
    this.#client = client;
    this.#sliceEnd = now + (movable ? slice / 2 : slice);
    this.#deadline = maxTimeMS > 0 ? now + maxTimeMS : null;
  }

  /** True when it is time to call `rest`. */
  get tired(): boolean {
    return performance.now() > this.#sliceEnd;
  }

  /** Sends the command to a reader thread, unless it is there already or its client has seen results. */
  move(): void {
    if (this.#movable) throw moved;
  }

  /** A cursor was opened: the command ends in this thread, and for whichever connection reads on. */
  stay(): void {
    this.#movable = false;
    this.#client = null;
  }

  async rest(): Promise<void> {
    this.move();
    await nextTurn();
    if (this.stopped) throw this.stopped;
    if (this.#client?.aborted) throw new CommandError(279, 'operation was interrupted: its client has gone');
    const now = performance.now();
    if (this.#deadline !== null && now > this.#deadline) {
      throw new CommandError(50, 'operation exceeded time limit');
    }
    this.#sliceEnd = now + slice;
  }
}
