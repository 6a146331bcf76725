/** Whether the caller has hung up. An AbortSignal in its place would cost each call more than all else that is kept of a call. */
export class ClientDisconnect {
  #happened = false;
  #listener: (() => void) | null = null;
  #controller: AbortController | null = null;

  get happened(): boolean {
    return this.#happened;
  }

  /** For code that takes signals; made only when somebody asks for it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#happened) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Called when the caller hangs up. There is one listener at a time; null for none. */
  set listener(listener: (() => void) | null) {
    this.#listener = listener;
  }

  happen(): void {
    this.#happened = true;
    this.#controller?.abort();
    this.#listener?.();
  }
}
