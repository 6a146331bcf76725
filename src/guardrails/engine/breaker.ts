/** Failures in a row after which a check over the network is not asked for a while. */
const MAX_FAILURES = 5;
/** Milliseconds for which it is not asked. */
const COOLDOWN = 30_000;

type State = { failures: number; openUntil: number };

/** Keeps calls from waiting for a service that does not answer: while it is open, its check is an error at once. */
export class CheckBreakers {
  readonly #states = new WeakMap<object, State>();

  /** `check`: the same object as long as the guardrail is the same. */
  isOpen(check: object, now: number): boolean {
    return (this.#states.get(check)?.openUntil ?? 0) > now;
  }

  settle(check: object, hasFailed: boolean, now: number): void {
    if (!hasFailed) {
      this.#states.delete(check);
      return;
    }
    const state = this.#states.get(check) ?? { failures: 0, openUntil: 0 };
    state.failures++;
    if (state.failures >= MAX_FAILURES) {
      state.failures = 0;
      state.openUntil = now + COOLDOWN;
    }
    this.#states.set(check, state);
  }
}
