import type { CheckHouse } from '../../guardrails/engine/index.ts';
import { isEventStream } from '../answer/relay.ts';
import type { Leg } from '../leg/leg.ts';
import type {
  Send,
  UpstreamControl,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamRequest,
  UpstreamSink,
} from '../send/upstream.ts';
import type { LegGuardrails } from './leg-guardrails.ts';
import { StreamGuard } from './stream-guard.ts';
import { WholeGuard } from './whole-guard.ts';

/** What a guard of an answer works with. */
export type Guarding = {
  readonly leg: Leg;
  readonly guards: LegGuardrails;
  readonly house: CheckHouse;
  /** Where the answer goes. */
  readonly sink: UpstreamSink;
  /** Ends the provider's answer, of which no more is wanted. */
  stop(): void;
};

/** The same way to a provider whose answers are checked. */
export const guardedSend =
  (send: Send, leg: Leg, guards: LegGuardrails, house: CheckHouse): Send =>
  (request, sink) => {
    guards.after = [];
    const guarded = new GuardedAnswer(leg, guards, house, sink);
    const told = { ...request, headers: { ...guards.headers, ...request.headers } };
    return guarded.control(send(guards.output.length > 0 ? readable(told) : told, guarded));
  };

/** What is compressed would have to be unpacked first. */
function readable(request: UpstreamRequest): UpstreamRequest {
  const { 'accept-encoding': _any, ...headers } = request.headers;
  return { ...request, headers: { ...headers, 'accept-encoding': 'identity' } };
}

class GuardedAnswer implements UpstreamSink, UpstreamControl {
  readonly #leg: Leg;
  readonly #guards: LegGuardrails;
  readonly #house: CheckHouse;
  readonly #sink: UpstreamSink;
  /** Who takes the answer: a guard or, for what is not checked, the one behind it. */
  #taker: UpstreamSink | null = null;
  #upstream: UpstreamControl | null = null;
  #stream: StreamGuard | null = null;
  #isOver = false;

  constructor(leg: Leg, guards: LegGuardrails, house: CheckHouse, sink: UpstreamSink) {
    this.#leg = leg;
    this.#guards = guards;
    this.#house = house;
    this.#sink = sink;
  }

  control(upstream: UpstreamControl): UpstreamControl {
    this.#upstream = upstream;
    return this;
  }

  opening(): void {
    this.#sink.opening?.();
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    const isAnswer = status >= 200 && status <= 299 && status !== 204;
    const wantsBody = this.#leg.call.request.method !== 'HEAD';
    this.#taker = isAnswer && wantsBody ? this.#guard(headers) : this.#sink;
    return this.#taker.head(status, headers);
  }

  #guard(headers: UpstreamHeaders): UpstreamSink {
    const guarding: Guarding = {
      leg: this.#leg,
      guards: this.#guards,
      house: this.#house,
      sink: this.#sink,
      stop: () => {
        this.#isOver = true;
        this.#upstream?.abort('aborted');
      },
    };
    if (!isEventStream(headers)) return new WholeGuard(guarding);
    this.#stream = new StreamGuard(guarding);
    return this.#stream;
  }

  data(chunk: Buffer): boolean {
    return this.#isOver || (this.#taker ?? this.#sink).data(chunk);
  }

  end(trailers?: UpstreamHeaders): void {
    if (this.#isOver) return;
    this.#isOver = true;
    (this.#taker ?? this.#sink).end(trailers);
  }

  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    (this.#taker ?? this.#sink).fail(failure, cause, lastWords);
  }

  resume(): void {
    this.#stream?.resumed();
    this.#upstream?.resume();
  }

  abort(reason: UpstreamFailure): void {
    this.#upstream?.abort(reason);
  }
}
