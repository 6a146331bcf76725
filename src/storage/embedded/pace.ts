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
  /** Milliseconds of work that are left, and since when work has been going on. */
  #left: number;
  #since: number;
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
    this.#left = maxTimeMS > 0 ? maxTimeMS : Number.POSITIVE_INFINITY;
    this.#since = now;
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

  /** A cursor has given a batch: the time until the next is asked for does not count. */
  pause(): void {
    this.#left -= performance.now() - this.#since;
  }

  resume(): void {
    this.#since = performance.now();
  }

  async rest(): Promise<void> {
    this.move();
    await nextTurn();
    if (this.stopped) throw this.stopped;
    if (this.#client?.aborted) throw new CommandError(279, 'operation was interrupted: its client has gone');
    const now = performance.now();
    if (now - this.#since > this.#left) throw new CommandError(50, 'operation exceeded time limit');
    this.#sliceEnd = now + slice;
  }
}
