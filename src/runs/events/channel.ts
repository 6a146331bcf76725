/** One event of a run's stream, as `text/event-stream` has it. */
export type RunEvent = { event: string; data: unknown };

/** The same with its place: `<claim>.<number>`; absent for what is not kept. */
export type PlacedRunEvent = RunEvent & { id?: string };

/** An event on its way to a reader. `text`: its data as JSON, where that is no text. */
export type ToldRunEvent = RunEvent & { text?: string };

/** Bytes that may wait for a reader: a slower one is let go, and the run goes on. */
const MAX_WAITING = 1024 * 1024;

/** The events of a run on their way to one reader. */
export class EventChannel implements AsyncIterable<ToldRunEvent> {
  readonly #waiting: { event: ToldRunEvent; size: number }[] = [];
  readonly #most: number;
  #size = 0;
  #isOver = false;
  #wake: (() => void) | null = null;

  constructor(most = MAX_WAITING) {
    this.#most = most;
  }

  /** True once nobody reads any more, or nothing more comes. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(given: RunEvent): void {
    if (this.#isOver) return;
    const { data } = given;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    const event = typeof data === 'string' ? given : { ...given, text };
    const size = text.length;
    this.#waiting.push({ event, size });
    this.#size += size;
    if (this.#size > this.#most) this.#giveUp();
    this.#wake?.();
  }

  /** What waits is still read. */
  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  #giveUp(): void {
    this.#waiting.length = 0;
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<ToldRunEvent> {
    return {
      next: async () => {
        while (this.#waiting.length === 0 && !this.#isOver) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        const next = this.#waiting.shift();
        if (next === undefined) return { done: true, value: undefined };
        this.#size -= next.size;
        return { done: false, value: next.event };
      },
      return: async () => {
        this.#giveUp();
        return { done: true, value: undefined };
      },
    };
  }
}
