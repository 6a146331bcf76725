/**
 * Attempts of one call at all its targets together, retries included. Each target may have six, so without this bound a
 * config of a hundred targets would ask six hundred times for one answer; three targets with all their retries fit in.
 */
export const MAX_TRIES = 20;

/** The attempts that a call has left. */
export class Tries {
  #left = MAX_TRIES;
  #endedCall = false;

  /** A further attempt was due and was not made. */
  get endedCall(): boolean {
    return this.#endedCall;
  }

  spend(): void {
    this.#left--;
  }

  /** Whether one more may be made that is due. */
  allowOneMore(): boolean {
    if (this.#left > 0) return true;
    this.#endedCall = true;
    return false;
  }
}
