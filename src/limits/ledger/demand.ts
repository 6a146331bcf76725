/** Milliseconds over which demand is averaged. */
const SPAN_MS = 250;

/** How much of a counter is asked for lately. */
export class Demand {
  /** Asked for since the last look. */
  #new = 0;
  #calls = 0;
  #rate = 0;
  #size = 0;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  add(amount: number): void {
    this.#new += amount;
    this.#calls += 1;
  }

  /** Units a millisecond. */
  rate(now: number): number {
    const passed = Math.max(1, now - this.#at);
    if (passed < 5 && this.#rate > 0) return this.#rate;
    const kept = Math.exp(-passed / SPAN_MS);
    this.#rate = this.#rate * kept + (this.#new / passed) * (1 - kept);
    if (this.#rate * SPAN_MS < 1e-3) this.#rate = 0;
    if (this.#calls > 0) this.#size = 0.7 * (this.#new / this.#calls) + 0.3 * this.#size;
    this.#new = 0;
    this.#calls = 0;
    this.#at = now;
    return this.#rate;
  }

  /** What one call asks for, on average. */
  size(): number {
    return this.#size;
  }
}
