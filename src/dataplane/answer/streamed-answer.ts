import { GatewayError } from '../../errors/index.ts';
import type { StreamFailure, StreamFormat } from '../../formats/stream/stream-format.ts';
import { WholeLines } from '../../formats/stream/whole-lines.ts';
import type { AnswerReader, Reception } from '../answer/answer-reader.ts';
import type { UpstreamFailure } from '../send/upstream.ts';
import { UsageHider } from './hide-usage.ts';

/** Bytes at the end of a stream in which its last events are looked for. */
const TAIL = 8 * 1024;

const broken: StreamFailure = {
  message: 'The connection to the provider failed in the middle of its answer.',
  type: 'api_connection_error',
  code: 'provider_connection_failed',
};
const incomplete: StreamFailure = {
  ...broken,
  message: 'The provider ended its answer before it was complete.',
};

const failureOfGateway = ({ message, entry: { type, code } }: GatewayError): StreamFailure => ({
  message,
  type,
  code,
});

/** An event stream on its way to the caller. A stream that breaks off ends with an error event, so that nobody takes it for whole. */
export class StreamedAnswer implements AnswerReader {
  readonly #reception: Reception;
  readonly #format: StreamFormat;
  readonly #lines = new WholeLines();
  readonly #hider: UsageHider | null;

  constructor(reception: Reception, format: StreamFormat, hidesUsage: boolean) {
    this.#reception = reception;
    this.#format = format;
    this.#hider = hidesUsage ? new UsageHider() : null;
  }

  data(chunk: Buffer): boolean {
    const whole = this.#lines.take(chunk);
    const visible = whole && this.#visible(whole);
    return visible === null || this.#reception.relay.write(visible);
  }

  end(): void {
    const { relay, result } = this.#reception;
    const tail = this.#reception.tail(TAIL);
    const ending = this.#format.endingOf(tail);
    if (ending === 'cut') {
      result.defect = incomplete.message;
      relay.end(this.#format.failure(incomplete, tail));
    } else {
      if (ending === 'error') result.defect = 'The provider ended its answer with an error.';
      if (ending === 'foreign') result.defect = 'The events of the answer are not those of this endpoint.';
      const rest = this.#lines.rest();
      relay.end(rest && this.#visible(rest));
    }
    this.#reception.settle();
  }

  /** An unfinished line is left out: the event that tells of the failure must begin a line. */
  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void {
    const { relay } = this.#reception;
    const told = cause instanceof GatewayError ? failureOfGateway(cause) : broken;
    relay.end(lastWords ?? this.#format.failure(told, this.#reception.tail(TAIL)));
    this.#reception.giveUp(failure, cause);
  }

  #visible(lines: Buffer): Buffer | null {
    return this.#hider ? this.#hider.filter(lines) : lines;
  }
}
