import type { Dispatcher } from 'undici';
import type { Connections, LineHolder } from './connections.ts';
import { failureOf } from './failure.ts';
import { Crossing } from './keep-alive-race.ts';
import type { UpstreamControl, UpstreamFailure, UpstreamHeaders, UpstreamSink } from './upstream.ts';

/** Bytes of an unwanted body that are read to keep its connection. */
const DRAIN_LIMIT = 64 * 1024;
class AbortedError extends Error {
  readonly failure: UpstreamFailure;
  constructor(failure: UpstreamFailure) {
    super(`The request was ended: ${failure}.`);
    this.failure = failure;
  }
}

/** Translates undici's callbacks; also the caller's handle on the request while it runs. */
export class HttpExchange extends Crossing implements LineHolder, UpstreamControl {
  readonly #sink: UpstreamSink;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #connections: Connections;
  #controller: Dispatcher.DispatchController | null = null;
  #aborted: UpstreamFailure | null = null;
  #started = false;
  #done = false;
  #mayRepeat: boolean;

  /** `mayRepeat`: the request does no harm if it is sent a second time, and can be. */
  constructor(
    sink: UpstreamSink,
    options: Dispatcher.DispatchOptions,
    connections: Connections,
    mayRepeat: boolean,
  ) {
    super();
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
    else this.#sink.connected?.();
    if (this.#mayRepeat) this.begin();
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
    if (this.#mayRepeat && this.#aborted === null && this.wasCrossed(error)) {
      this.#mayRepeat = false;
      this.#controller = null;
      this.#connections.fresh.dispatch(this.#options, this);
      return;
    }
    this.#done = true;
    this.#sink.fail(error instanceof AbortedError ? error.failure : failureOf(error, this.#started), error);
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
