import { Gate } from '../../../formats/stream/gate.ts';
import type { StreamError, StreamFormat } from '../../../formats/stream/stream-format.ts';
import { encodingOf } from '../../../recording/capture.ts';
import { isEventStream } from '../../answer/relay.ts';
import type {
  Send,
  UpstreamControl,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamSink,
} from '../../send/upstream.ts';

/** Milliseconds that a stream may show nothing before its head goes on: what stands in between may not wait longer. */
export const HOLD_LIMIT = 10_000;

/**
 * Holds a stream back until it has something to show. One that begins with an error becomes an answer with the status of
 * that error, one that breaks before its content no answer at all, so that either can be tried again.
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
    this.#timer = setTimeout(() => this.#release(), HOLD_LIMIT);
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

  /** False when what was held is more than the caller takes at once. */
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

  /** Nothing more is wanted of the provider. */
  #finish(): void {
    this.#isOver = true;
    this.#sink.end();
    this.#control?.abort('aborted');
  }
}
