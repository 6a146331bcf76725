import { performance } from 'node:perf_hooks';
import { errorHeaders, type GatewayError } from '../../../errors/index.ts';
import { errorBodyFor } from '../../../formats/index.ts';
import type { Reservation, Shortage } from '../../../limits/engine.ts';
import { Capture } from '../../../recording/log/answers/capture.ts';
import type { DataplaneDependencies } from '../../dependencies.ts';
import { answeredUsage, isCompressed, unpackedUsage } from '../../limits/answered-usage.ts';
import { isReservation } from '../../limits/call-limits.ts';
import type { LegLimits } from '../../limits/leg-limits.ts';
import { isOfTarget } from '../../limits/refusal.ts';
import { refusalOfLeg } from '../../limits/refusal-of-leg.ts';
import { type AttemptEnd, amountsOf } from '../../limits/settle.ts';
import type {
  Send,
  UpstreamControl,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamRequest,
  UpstreamSink,
} from '../../send/upstream.ts';
import type { Leg } from '../leg.ts';
import type { SendLayer } from './send-layer.ts';

const NEVER_SENT = 'The call was ended before it was sent.';

/**
 * Takes what an attempt may come to of all its limits before it is sent, and settles what it did come to when it ends, in
 * whatever way. It is innermost, so that it sees each attempt and the provider's own answer, and nothing that the cache has.
 */
export const holdLimits: SendLayer = (send, leg, dependencies) => {
  const { limits } = leg;
  if (limits === null || limits.asks.length === 0) return send;
  return (request, sink) => {
    const attempt = new HeldAttempt(sink, leg, limits, dependencies);
    attempt.begin(send, request);
    return attempt;
  };
};

class HeldAttempt implements UpstreamSink, UpstreamControl {
  readonly #sink: UpstreamSink;
  readonly #leg: Leg;
  readonly #limits: LegLimits;
  readonly #dependencies: DataplaneDependencies;
  // The end of an answer is kept in any case: its beginning matters only for streams, and there the first frame.
  readonly #capture = new Capture(0);
  #reservation: Reservation | null = null;
  #control: UpstreamControl | null = null;
  #aborted: UpstreamFailure | null = null;
  #waiting: AbortController | null = null;
  #status = 0;
  #sentAt = 0;

  constructor(sink: UpstreamSink, leg: Leg, limits: LegLimits, dependencies: DataplaneDependencies) {
    this.#sink = sink;
    this.#leg = leg;
    this.#limits = limits;
    this.#dependencies = dependencies;
  }

  begin(send: Send, request: UpstreamRequest): void {
    const outcome = this.#dependencies.limiting.engine.take(this.#limits.asks, this);
    if (outcome instanceof Promise) {
      outcome.then(
        (taken) => this.#go(taken, send, request),
        (error: unknown) => this.#sink.fail(this.#aborted ?? 'transport', error as Error),
      );
    } else if (isReservation(outcome)) this.#go(outcome, send, request);
    // The sender is in the caller's hands before anything happens.
    else queueMicrotask(() => this.#go(outcome, send, request));
  }

  #go(outcome: Reservation | Shortage, send: Send, request: UpstreamRequest): void {
    if (!isReservation(outcome)) {
      this.#refuse(outcome);
      return;
    }
    this.#reservation = outcome;
    this.#sentAt = performance.now();
    if (this.#aborted !== null) {
      // It was never sent.
      this.#settle('connect');
      this.#sink.fail(this.#aborted, new Error(NEVER_SENT));
      return;
    }
    try {
      this.#control = send(request, this);
    } catch (error) {
      this.#settle('connect');
      throw error;
    }
    // What aborted while it was sent found nobody to tell.
    if (this.#aborted !== null) this.#control.abort(this.#aborted);
  }

  #refuse(shortage: Shortage): void {
    if (this.#aborted !== null) {
      this.#sink.fail(this.#aborted, new Error(NEVER_SENT));
      return;
    }
    const error = refusalOfLeg(shortage, this.#limits, this.#dependencies.limiting);
    if (!isOfTarget(shortage.ask.counter.limit)) {
      // The caller's own limit ends the call.
      this.#sink.fail('transport', error);
      return;
    }
    this.#leg.refusal = error;
    this.#answer(error);
  }

  /** The target's own limit answers in the place of the target, and says when to come again as the target would. */
  #answer(error: GatewayError): void {
    const body = Buffer.from(JSON.stringify(errorBodyFor(this.#leg.call.route.endpoint, error)));
    const headers = {
      ...errorHeaders(error),
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    if (this.#sink.head(error.entry.status, headers)) this.#sink.data(body);
    this.#sink.end();
  }

  opening(): void {
    this.#sink.opening?.();
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    this.#status = status;
    this.#capture.begin(headers);
    return this.#sink.head(status, headers);
  }

  data(chunk: Buffer): boolean {
    this.#capture.add(chunk);
    return this.#sink.data(chunk);
  }

  end(trailers?: UpstreamHeaders): void {
    this.#settle(null);
    this.#sink.end(trailers);
  }

  fail(failure: UpstreamFailure, cause: Error, lastWords?: Buffer): void {
    this.#settle(failure);
    this.#sink.fail(failure, cause, lastWords);
  }

  resume(): void {
    this.#control?.resume();
  }

  abort(reason: UpstreamFailure): void {
    if (this.#control) {
      this.#control.abort(reason);
      return;
    }
    this.#aborted = reason;
    this.#waiting?.abort(new Error(NEVER_SENT));
  }

  /** With which the attempt leaves the queue of its limits. */
  get signal(): AbortSignal {
    this.#waiting ??= new AbortController();
    return this.#waiting.signal;
  }

  #settle(failure: UpstreamFailure | null): void {
    const reservation = this.#reservation;
    if (reservation === null) return;
    this.#reservation = null;
    const answer = this.#capture.taken();
    const end = { status: this.#status, failure, bytes: answer.size, sentAt: this.#sentAt };
    const isRead = this.#status >= 200;
    if (isRead && isCompressed(answer)) {
      unpackedUsage(answer).then(
        (answered) => this.#count(reservation, { ...end, answered }),
        () => this.#count(reservation, { ...end, answered: null }),
      );
    } else this.#count(reservation, { ...end, answered: isRead ? answeredUsage(answer) : null });
  }

  #count(reservation: Reservation, end: AttemptEnd): void {
    const attempt = amountsOf(this.#leg, this.#limits, end, this.#dependencies.limiting);
    const { amounts } = attempt;
    reservation.settle(amounts, attempt);
    const sums = this.#limits.amounts;
    for (let at = 0; at < amounts.length; at++) sums[at] = (sums[at] ?? 0) + (amounts[at] ?? 0);
  }
}
