import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici';
import type { HostPolicy } from '../../lib/custom-host.ts';
import { failureOf } from './failure.ts';
import { createGuard, type Guard, guardedConnector } from './guard.ts';
import { endingInSilence } from './silence.ts';
import type { Send, UpstreamControl, UpstreamFailure, UpstreamHeaders, UpstreamSink } from './upstream.ts';

export type HttpUpstream = {
  send: Send;
  /** The same connections for code that speaks `fetch`. */
  fetch: typeof fetch;
  /** Judges connections of another kind by the same rules. */
  guard: Guard;
  stop(): Promise<void>;
};

// A model may think for minutes before the first byte and between two; a config's request_timeout is the caller's limit.
const SILENCE_LIMIT = 600_000;
/** Bytes of the head of an answer. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Bytes of an unwanted body that are read to keep its connection. */
const DRAIN_LIMIT = 64 * 1024;

/** Providers over HTTP: one keep-alive pool per origin, every address checked when the connection is made. */
export function createHttpUpstream(options: {
  hostPolicy: HostPolicy;
  /** Where this process listens itself. */
  ownPorts: ReadonlySet<number>;
  connectTimeout: number;
  silenceLimit?: number;
}): HttpUpstream {
  const { hostPolicy, ownPorts, connectTimeout, silenceLimit = SILENCE_LIMIT } = options;
  const guard = createGuard(hostPolicy, ownPorts);
  // HTTP/2 was measured as sound, streams and aborts included; but a lost connection would end a hundred streams and not one.
  const connect = guardedConnector(guard, (lookup) =>
    buildConnector({ lookup, timeout: connectTimeout, keepAlive: true, allowH2: false }),
  );
  const agent = new Agent({
    connect: endingInSilence(connect, silenceLimit),
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    maxHeaderSize: MAX_HEAD_BYTES,
    pipelining: 1,
    allowH2: false,
  });
  return {
    send(request, sink) {
      const exchange = new HttpExchange(sink);
      agent.dispatch(
        {
          origin: request.origin ?? '',
          path: request.path,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers,
          body: request.body,
        } satisfies Dispatcher.DispatchOptions,
        exchange,
      );
      return exchange;
    },
    fetch: ((input, init) =>
      undiciFetch(input as string, {
        ...(init as object),
        dispatcher: agent,
        redirect: 'manual',
      })) as typeof fetch,
    guard,
    stop: () => agent.destroy(),
  };
}

class AbortedError extends Error {
  readonly failure: UpstreamFailure;
  constructor(failure: UpstreamFailure) {
    super(`The request was ended: ${failure}.`);
    this.failure = failure;
  }
}

/** Translates undici's callbacks; also the caller's handle on the request while it runs. */
class HttpExchange implements Dispatcher.DispatchHandler, UpstreamControl {
  readonly #sink: UpstreamSink;
  #controller: Dispatcher.DispatchController | null = null;
  #aborted: UpstreamFailure | null = null;
  #started = false;
  #done = false;

  constructor(sink: UpstreamSink) {
    this.#sink = sink;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(new AbortedError(this.#aborted));
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
