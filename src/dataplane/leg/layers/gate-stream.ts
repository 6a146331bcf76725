import { streamFormatOf } from '../../../formats/index.ts';
import { Gate } from '../../../formats/stream/gate.ts';
import type { StreamError, StreamFormat } from '../../../formats/stream/stream-format.ts';
import { encodingOf } from '../../../recording/log/answers/capture.ts';
import { isEventStream } from '../../answer/relay.ts';
import type {
  Send,
  UpstreamControl,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamSink,
} from '../../send/upstream.ts';
import type { SendLayer } from './send-layer.ts';

/** Holds a stream that was asked for, on a route whose format the gateway knows, until the stream has something to show. */
export const gateStream: SendLayer = (send, { call, body, endpoint }) =>
  call.route.unified && body.value?.stream === true ? gated(send, streamFormatOf(endpoint)) : send;

/** After so long a stream goes on though it shows nothing: proxies and clients wait for a head no longer than that. */
export const HOLD_LIMIT_MS = 10_000;

/**
 * Holds a stream back until it has something to show. A stream that begins with an error becomes an answer with the status
 * of that error. A stream that breaks off before its content becomes a failed connection. Either can then be tried again.
 */
export const gated =
  (send: Send, format: StreamFormat): Send =>
  (request, sink) => {
    const gated = new GatedSink(sink, format);
    return gated.control(send(request, gated));
  };

class GatedSink implements UpstreamSink {
  readonly #sink: UpstreamSink;
  readonly #format: StreamFormat;
  #control: UpstreamControl | null = null;
  #gate: Gate | null = null;
  #status = 0;
  #headers: UpstreamHeaders = {};
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(sink: UpstreamSink, format: StreamFormat) {
    this.#sink = sink;
    this.#format = format;
  }

  control(control: UpstreamControl): UpstreamControl {
    this.#control = control;
    return control;
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    const isReadable = encodingOf(headers) === null && status !== 204;
    if (status > 299 || !isReadable || !isEventStream(headers)) return this.#sink.head(status, headers);
    this.#status = status;
    this.#headers = headers;
    this.#gate = new Gate(this.#format);
    this.#timer = setTimeout(() => this.#release(), HOLD_LIMIT_MS);
    return true;
  }

  data(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    if (!this.#gate) return this.#sink.data(chunk);
    this.#sink.opening?.();
    const kind = this.#gate.push(chunk);
    if (kind === 'opening') return true;
    if (kind === 'content') return this.#release();
    this.#refuse(kind);
    return true;
  }

  end(): void {
    if (this.#gate) this.fail('transport', new Error('the stream ended before its content'));
    else if (!this.#isOver) this.#sink.end();
  }

  fail(failure: UpstreamFailure, cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#sink.fail(failure, cause);
  }

  /** Lets the head and the held bytes go on; false asks the provider to pause. */
  #release(): boolean {
    const held = this.#open();
    if (!this.#sink.head(this.#status, this.#headers)) {
      this.#finish();
      return true;
    }
    return held === null || this.#sink.data(held);
  }

  #refuse({ status, payload }: StreamError): void {
    this.#open();
    const json = Buffer.from(JSON.stringify(payload));
    const about = { 'content-type': 'application/json', 'content-length': String(json.length) };
    if (this.#sink.head(status, { ...this.#headers, ...about })) this.#sink.data(json);
    this.#finish();
  }

  #open(): Buffer | null {
    const held = this.#gate?.held() ?? null;
    this.#gate = null;
    clearTimeout(this.#timer);
    return held;
  }

  /** Ends the answer and drops the provider's connection. */
  #finish(): void {
    this.#isOver = true;
    this.#sink.end();
    this.#control?.abort('aborted');
  }
}
