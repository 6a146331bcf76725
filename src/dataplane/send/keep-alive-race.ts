import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import type { Line, LineHolder } from './connections.ts';
import { isClosed } from './failure.ts';

/** Milliseconds in which a closing provider and a request pass each other. What breaks later was at work on the request. */
const CROSSING_LIMIT_MS = 1000;

/**
 * Follows a request over a connection that may have been used before. A provider may close such a connection while the next
 * request is on its way. Every pool of connections knows this race, and the one cure: to ask once more over a new one.
 */
export class Crossing {
  line: Line | null = null;
  #used: Socket | null = null;
  #bytesBefore = 0;
  #usedAt = 0;

  protected begin(): void {
    const socket = this.line?.socket ?? null;
    const bytes = socket?.bytesRead ?? 0;
    if (bytes === 0) return;
    this.#used = socket;
    this.#bytesBefore = bytes;
    this.#usedAt = performance.now();
  }

  /** Whether the provider closed the connection as the request came: nothing came back, and that at once. */
  protected wasCrossed(error: Error): boolean {
    return (
      this.#used !== null &&
      isClosed(error) &&
      this.#used.bytesRead === this.#bytesBefore &&
      performance.now() - this.#usedAt < CROSSING_LIMIT_MS
    );
  }
}

type Controller = Dispatcher.DispatchController;
type Handler = Dispatcher.DispatchHandler;

/** Hands everything on to the handler of `fetch`, and remembers the errors of requests that were crossed. */
export class WatchedHandler extends Crossing implements LineHolder {
  readonly #handler: Handler;
  readonly #crossed: WeakSet<Error>;

  constructor(handler: Handler, crossed: WeakSet<Error>) {
    super();
    this.#handler = handler;
    this.#crossed = crossed;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.begin();
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(...answer: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...answer);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(controller: Controller, error: Error): void {
    if (this.wasCrossed(error)) this.#crossed.add(error);
    this.#handler.onResponseError?.(controller, error);
  }
}
