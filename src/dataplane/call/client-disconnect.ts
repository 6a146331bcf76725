/** The caller's hanging up. An AbortSignal would cost each call more than all else that is kept of it. */
export class HangUp {
  #happened = false;
  #listener: (() => void) | null = null;
  #controller: AbortController | null = null;

  get happened(): boolean {
    return this.#happened;
  }

  /** For code that takes signals; made when it is asked for. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#happened) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Who is to hear of it, until the next one takes over or null. */
  set listener(listener: (() => void) | null) {
    this.#listener = listener;
  }

  happen(): void {
    this.#happened = true;
    this.#controller?.abort();
    this.#listener?.();
  }
}
