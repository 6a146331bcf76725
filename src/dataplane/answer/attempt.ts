import { performance } from 'node:perf_hooks';
import type { StreamFormat } from '../../formats/stream/stream-format.ts';
import { type Capture, encodingOf } from '../../recording/log/answers/capture.ts';
import { maskedHeaders } from '../../recording/log/answers/masking.ts';
import type { ClientDisconnect } from '../call/client-disconnect.ts';
import type {
  Send,
  UpstreamControl,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamRequest,
  UpstreamSink,
} from '../send/upstream.ts';
import type { AnswerReader, Reception } from './answer-reader.ts';
import { ErrorAnswer } from './error-answer.ts';
import { errorText, type ProviderError } from './provider-error.ts';
import type { Keeper } from './quoted-secrets.ts';
import { isEventStream, type Relay } from './relay.ts';
import { SecretMask, type Sought } from './secret-mask.ts';
import type { AttemptResult } from './settled.ts';
import { StreamedAnswer } from './streamed-answer.ts';

/** How the answers of a route are read whose format the gateway knows. */
export type AnswerReading = {
  /** Who answers, and with which credential it was asked: a provider may repeat that in an error. */
  target: Keeper;
  format: StreamFormat;
  hidesUsage: boolean;
};

export type AttemptOptions = {
  send: Send;
  request: UpstreamRequest;
  /** Milliseconds until the head of an answer must be here, or the first bytes of a stream; null waits. */
  timeout: number | null;
  disconnect: ClientDisconnect;
  relay: Relay;
  capture: Capture;
  /** Null passes on whatever comes, as it comes. */
  reading: AnswerReading | null;
  /** What the provider may repeat and the caller must not learn; null for nothing. */
  sought: Sought | null;
  /** Once the status is known: true gives the answer to the caller, false throws it away. `error` is what an error says. */
  accept: (status: number, headers: UpstreamHeaders, error: ProviderError | null) => boolean;
  /** Called before the first byte goes to the caller; gives the gateway's own headers. */
  gatewayHeaders: () => Record<string, string>;
};

/** Milliseconds from the head of an error to its end. */
const ERROR_LIMIT = 5000;

/** For an error that is compressed, and so is not read: a client that followed its location would take its gateway key along. */
const withoutLocation = ({ location: _elsewhere, ...headers }: UpstreamHeaders): UpstreamHeaders => headers;

/** Sends one request and, when its answer is accepted, gives it to the caller. Never rejects. */
export const attempt = (options: AttemptOptions): Promise<AttemptResult> =>
  new Promise((resolve) => new Attempt(options, resolve).start());

const NO_HEADERS: UpstreamHeaders = {};

class Attempt implements UpstreamSink, Reception {
  readonly result: AttemptResult = {
    status: 0,
    headers: NO_HEADERS,
    relayed: false,
    failure: null,
    cause: null,
    defect: null,
    firstByte: null,
  };
  readonly relay: Relay;
  readonly #options: AttemptOptions;
  readonly #resolve: (result: AttemptResult) => void;
  readonly #startedAt = performance.now();
  #control: UpstreamControl | null = null;
  #reader: AnswerReader | null = null;
  #mask: SecretMask | null = null;
  #timeout: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
  #isSettled = false;

  constructor(options: AttemptOptions, resolve: (result: AttemptResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.relay = options.relay;
  }

  start(): void {
    const { send, request, timeout, disconnect } = this.#options;
    this.#control = send(request, this);
    // A request that cannot even be written has failed by now.
    if (this.#isSettled) return;
    if (timeout !== null) this.#timeout = setTimeout(() => this.#control?.abort('timeout'), timeout);
    if (disconnect.happened) this.#abort();
    else disconnect.listener = this.#abort;
  }

  readonly #abort = () => this.#control?.abort('aborted');

  head(status: number, given: UpstreamHeaders): boolean {
    const { sought } = this.#options;
    const mask = sought && new SecretMask(sought);
    const headers = mask ? mask.headers(given) : given;
    this.result.status = status;
    this.result.headers = headers;
    this.#options.capture.begin(headers);
    clearTimeout(this.#timeout);
    // What is compressed is not unpacked on the way.
    const isPlain = encodingOf(headers) === null;
    const reading = isPlain ? this.#options.reading : null;
    if (reading && status >= 300) {
      const reader = new ErrorAnswer(this);
      this.#patience = setTimeout(() => this.#read(reader, null), ERROR_LIMIT);
      this.#reader = reader;
      return true;
    }
    this.result.relayed = this.#options.accept(status, headers, null);
    if (!this.result.relayed) return false;
    if (isPlain) this.#mask = mask;
    const isStream = reading !== null && this.relay.wantsBody && status !== 204 && isEventStream(headers);
    if (isStream) this.#reader = new StreamedAnswer(this, reading.format, reading.hidesUsage);
    const shown = status >= 300 && this.#options.reading ? withoutLocation(headers) : headers;
    this.relay.start(status, shown, this.#options.gatewayHeaders(), isStream ? 'changed' : 'same');
    return this.relay.wantsBody;
  }

  opening(): void {
    clearTimeout(this.#timeout);
  }

  data(given: Buffer): boolean {
    if (this.#isSettled) return true;
    this.result.firstByte ??= performance.now() - this.#startedAt;
    const chunk = this.#mask ? this.#mask.take(given) : given;
    return chunk === null || this.#pass(chunk);
  }

  #pass(chunk: Buffer): boolean {
    this.#options.capture.add(chunk);
    if (this.#reader ? this.#read(this.#reader, chunk) : this.relay.write(chunk)) return true;
    this.relay.onDrain(() => this.#control?.resume());
    return false;
  }

  /** Passes on what was held back for the mask, once nothing follows that could complete a secret. */
  #passRest(): void {
    const rest = this.#mask?.rest() ?? null;
    if (rest !== null) this.#pass(rest);
  }

  end(trailers?: UpstreamHeaders): void {
    if (this.#isSettled) return;
    this.#passRest();
    if (this.#reader) {
      this.#read(this.#reader, null);
      return;
    }
    if (this.result.relayed) {
      const { sought } = this.#options;
      if (trailers) this.relay.addTrailers(sought ? maskedHeaders(trailers, sought.texts) : trailers);
      this.relay.end(null);
    }
    this.settle();
  }

  /** An exception of a reader ends this attempt, since nobody above would hear of it. `chunk`: null for the end. */
  #read(reader: AnswerReader, chunk: Buffer | null): boolean {
    try {
      if (chunk !== null) return reader.data(chunk);
      reader.end();
    } catch (error) {
      this.#reader = null;
      if (this.result.relayed) this.relay.breakOff();
      this.giveUp('transport', error as Error);
      this.#control?.abort('aborted');
    }
    return true;
  }

  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void {
    if (this.#isSettled) return;
    this.#passRest();
    if (lastWords) this.#options.capture.add(lastWords);
    if (this.#reader) {
      this.#reader.fail(failure, cause, lastWords);
      return;
    }
    if (this.result.relayed) this.relay.breakOff();
    this.giveUp(failure, cause);
  }

  giveUp(failure: UpstreamFailure, cause: Error): void {
    this.result.failure = failure;
    this.result.cause = cause;
    this.settle();
  }

  tail(bytes: number): string {
    return this.#options.capture.last(bytes);
  }

  refuse(status: number, error: ProviderError): void {
    const { accept, gatewayHeaders, reading } = this.#options;
    const { headers } = this.result;
    this.result.status = status;
    this.result.relayed = accept(status, headers, error);
    if (this.result.relayed && reading) {
      this.relay.answer(status, headers, gatewayHeaders(), errorText(reading.target, status, error));
    }
    this.settle();
    // Nothing more is wanted of the provider.
    this.#control?.abort('aborted');
  }

  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timeout);
    clearTimeout(this.#patience);
    this.#options.disconnect.listener = null;
    this.#resolve(this.result);
  }
}
