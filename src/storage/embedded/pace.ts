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
  readonly #deadline: number | null;
  stopped: CommandError | null = null;

  /** `movable`: the command may begin anew elsewhere, so here it gets one slice only. */
  constructor(maxTimeMS: number | null = null, movable = false) {
    const now = performance.now();
    this.#movable = movable;
    this.#sliceEnd = now + (movable ? slice / 2 : slice);
    this.#deadline = maxTimeMS ? now + maxTimeMS : null;
  }

  /** True when it is time to call `rest`. */
  get tired(): boolean {
    return performance.now() > this.#sliceEnd;
  }

  /** Sends the command to a reader thread, unless it is there already or its client has seen results. */
  move(): void {
    if (this.#movable) throw moved;
  }

  /** From here on the command ends where it is. */
  stay(): void {
    this.#movable = false;
  }

  async rest(): Promise<void> {
    this.move();
    await nextTurn();
    if (this.stopped) throw this.stopped;
    const now = performance.now();
    if (this.#deadline !== null && now > this.#deadline) {
      throw new CommandError(50, 'operation exceeded time limit');
    }
    this.#sliceEnd = now + slice;
  }
}
