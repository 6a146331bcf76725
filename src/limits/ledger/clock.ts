/** Milliseconds beyond what two clocks of one machine drift apart between two messages. */
const LEAP_MS = 1000;

/** The store's time as one process knows it: what the store said last, and how much has passed since by the process's own clock. */
export class StoreClock {
  #said = 0;
  #offset: number | null = null;
  #measuredAt = 0;
  /** How far the system's clock was ahead of the monotonic one when the store was last heard. */
  #lead: number | null = null;
  readonly #system: () => number;

  /** `system`: what to go by before the store has said anything, in milliseconds since the epoch. */
  constructor(system: () => number) {
    this.#system = system;
  }

  /** The store said this time in an answer that came at the monotonic time `now`. */
  heard(time: number, now: number): void {
    if (time <= this.#said) return;
    this.#said = time;
    this.#lead = this.#system() - now;
    const offset = time - now;
    // The answer that took the shortest way is the most exact; a clock that was set is followed after a minute.
    if (this.#offset === null || offset > this.#offset || now - this.#measuredAt > 60_000) {
      this.#offset = offset;
      this.#measuredAt = now;
    }
  }

  /** The latest time that the store has said: it is over for sure. 0 before the first. */
  get said(): number {
    return this.#said;
  }

  /**
   * Whether the system's clock has leapt ahead since the store was last heard: it was set, or the machine was suspended, in which
   * the monotonic clock stands still. The store is to be asked for its time then.
   */
  hasLeapt(now: number): boolean {
    return this.#lead !== null && this.#system() - now - this.#lead > LEAP_MS;
  }

  now(now: number): number {
    return this.#offset === null ? this.#system() : now + this.#offset;
  }

  /** Milliseconds by which this process's own clock is ahead of the store's; 0 while the store has said nothing. */
  skew(now: number): number {
    return this.#offset === null ? 0 : this.#system() - this.now(now);
  }
}
