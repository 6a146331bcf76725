/** Failures in a row after which a service is left alone for a while. */
const BREAKING = 3;
const REST_MS = 10_000;

/** A failure that says nothing about the service that was asked, only about the question or the one who asked. */
export class InconclusiveError extends Error {}

export type CircuitOptions = {
  now: () => Date;
  /** Every failure; `opens`: the service is left alone from now on. */
  onFailure: (error: unknown, opens: boolean) => void;
};

/** Leaves a service alone for ten seconds once it has failed several times in a row; then one question tries it again. */
export class CacheCircuit {
  readonly #options: CircuitOptions;
  #failuresInRow = 0;
  #restUntil = 0;
  #isTrying = false;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** The answer, or null for a failure; null at once where the service is left alone. */
  ask<T>(question: () => Promise<T>): Promise<T | null> | null {
    const isTrial = this.#failuresInRow >= BREAKING;
    if (isTrial && (this.#isTrying || this.#options.now().getTime() < this.#restUntil)) return null;
    return this.#answerTo(question, isTrial);
  }

  async #answerTo<T>(question: () => Promise<T>, isTrial: boolean): Promise<T | null> {
    if (isTrial) this.#isTrying = true;
    try {
      const answer = await question();
      this.#failuresInRow = 0;
      return answer;
    } catch (error) {
      this.#failed(error, isTrial);
      return null;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  #failed(error: unknown, wasTrial: boolean): void {
    const { now, onFailure } = this.#options;
    const counts = !(error instanceof InconclusiveError);
    if (counts) this.#failuresInRow++;
    // Of questions that were under way together only one opens it.
    const opens = counts && (wasTrial || this.#failuresInRow === BREAKING);
    if (opens) this.#restUntil = now().getTime() + REST_MS;
    onFailure(error, opens);
  }
}
