import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import { toGraphError } from '../doors/errors.ts';
import { answerGraphError, requestError } from '../doors/http-errors.ts';

export type Deadline = {
  /** Aborts with OPERATION_TIMEOUT when the time is over, and without an error when nobody waits any more. */
  signal: AbortSignal;
  /** To be called when the work is done. */
  end(): void;
  /** To be called when the caller has left. */
  giveUp(): void;
};

/** Begins a time limit for a piece of work. */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new GatewayError('OPERATION_TIMEOUT')), milliseconds);
  timer.unref();
  return {
    signal: controller.signal,
    end: () => clearTimeout(timer),
    giveUp() {
      clearTimeout(timer);
      controller.abort();
    },
  };
}

/**
 * The result of the work. Once the signal aborts, the promise is rejected with the reason, and the result is dropped.
 */
export function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T> {
  if (!(work instanceof Promise) || !signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(requestError(toGraphError(signal.reason)));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject);
  });
}

const signals = new WeakMap<IncomingMessage, AbortSignal>();

/** Aborts when the time of a request is over, with the error that says so, or when its caller has left. */
export const signalOf = (request: IncomingMessage): AbortSignal | undefined => signals.get(request);

/** Gives a request one time limit for its body and its work: a single timer, since every request pays for it. */
export function answerInTime(milliseconds: number, request: IncomingMessage, response: ServerResponse): void {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    // An empty body is never read to its end, and a stream has begun its answer long before.
    if (request.complete || response.headersSent) controller.abort(new GatewayError('OPERATION_TIMEOUT'));
    else refuseBody(response);
  }, milliseconds).unref();
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) controller.abort();
  });
  signals.set(request, controller.signal);
}

/** Cuts off a body that arrives too slowly, before anything has looked at it. */
function refuseBody(response: ServerResponse): void {
  const message = 'The body of the request did not arrive in time.';
  answerGraphError(response, new GatewayError('REQUEST_TIMEOUT', { message }));
}
