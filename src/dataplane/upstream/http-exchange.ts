import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import type { Connections, Line, LineHolder } from './connections.ts';
import { failureOf, isClosed } from './failure.ts';
import type { UpstreamControl, UpstreamFailure, UpstreamHeaders, UpstreamSink } from './upstream.ts';

/** Bytes of an unwanted body that are read to keep its connection. */
const DRAIN_LIMIT = 64 * 1024;
/** Milliseconds in which a closing provider and a request pass each other. What breaks later was at work on the request. */
const CROSSING_LIMIT_MS = 1000;

class AbortedError extends Error {
  readonly failure: UpstreamFailure;
  constructor(failure: UpstreamFailure) {
    super(`The request was ended: ${failure}.`);
    this.failure = failure;
  }
}

/** Translates undici's callbacks; also the caller's handle on the request while it runs. */
export class HttpExchange implements LineHolder, UpstreamControl {
  line: Line | null = null;
  readonly #sink: UpstreamSink;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #connections: Connections;
  #controller: Dispatcher.DispatchController | null = null;
  #aborted: UpstreamFailure | null = null;
  #started = false;
  #done = false;
  /** A connection that has been used before, how much had come over it, and when it was used again. */
  #used: Socket | null = null;
  #bytesBefore = 0;
  #usedAt = 0;
  #mayRepeat: boolean;

  /** `mayRepeat`: the request does no harm if it is sent a second time, and can be. */
  constructor(
    sink: UpstreamSink,
    options: Dispatcher.DispatchOptions,
    connections: Connections,
    mayRepeat: boolean,
  ) {
    this.#sink = sink;
    this.#options = options;
    this.#connections = connections;
    this.#mayRepeat = mayRepeat;
  }

  start(): void {
    this.#connections.kept.dispatch(this.#options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(new AbortedError(this.#aborted));
    if (this.#mayRepeat) this.#noteUse(this.line?.socket ?? null);
  }

  #noteUse(socket: Socket | null): void {
    const bytes = socket?.bytesRead ?? 0;
    if (bytes === 0) return;
    this.#used = socket;
    this.#bytesBefore = bytes;
    this.#usedAt = performance.now();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders | object,
  ): void {
    // 1xx answers other than 101 are for this hop.
    if (status < 200) return;
    this.#started = true;
    if (this.#sink.head(status, headers as UpstreamHeaders)) return;
    // Nobody waits for a body that nobody wants. A short one is drained so that the connection can be used again.
    this.#done = true;
    this.#sink.end();
    const length = Number((headers as UpstreamHeaders)['content-length'] ?? Number.POSITIVE_INFINITY);
    if (!(length <= DRAIN_LIMIT)) controller.abort(new AbortedError('aborted'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    if (!this.#sink.data(chunk)) controller.pause();
  }

  onResponseEnd(_controller: Dispatcher.DispatchController, trailers: UpstreamHeaders | object): void {
    if (this.#done) return;
    this.#done = true;
    this.#sink.end(trailers as UpstreamHeaders);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#done) return;
    if (this.#wasCrossed(error)) {
      this.#mayRepeat = false;
      this.#controller = null;
      this.#connections.fresh.dispatch({ ...this.#options, reset: true }, this);
      return;
    }
    this.#done = true;
    this.#sink.fail(error instanceof AbortedError ? error.failure : failureOf(error, this.#started), error);
  }

  /**
   * Whether the provider closed a connection that it had kept open, while the request was on its way: nothing came back, and
   * that at once. Every pool of connections knows this race, and the one cure: to ask once more over a new connection.
   */
  #wasCrossed(error: Error): boolean {
    return (
      this.#mayRepeat &&
      this.#used !== null &&
      this.#aborted === null &&
      isClosed(error) &&
      this.#used.bytesRead === this.#bytesBefore &&
      performance.now() - this.#usedAt < CROSSING_LIMIT_MS
    );
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(reason: UpstreamFailure): void {
    if (this.#done) return;
    if (this.#controller) this.#controller.abort(new AbortedError(reason));
    else this.#aborted = reason;
  }
}
