import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { GatewayError } from '../errors/index.ts';
import { toGraphError } from './errors.ts';
import { answerError, requestError } from './http-errors.ts';

export type Deadline = {
  /** Aborts when the time is over, with the error that says so, or when nobody waits any more. */
  signal: AbortSignal;
  /** To be called when the work is done. */
  end(): void;
  /** To be called when nobody waits for it any more. */
  giveUp(): void;
};

/** Gives a piece of work so many milliseconds. */
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

/** The time that an operation has, which also ends when its caller leaves. */
export function deadlineOf(response: ServerResponse, milliseconds: number): AbortSignal {
  const { signal, end, giveUp } = startDeadline(milliseconds);
  response.once('close', () => (response.writableFinished ? end() : giveUp()));
  return signal;
}

/** What the work answers; once the signal aborts nobody waits for it any more, and it fails with the reason. */
export function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T> {
  if (!(work instanceof Promise) || !signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(requestError(toGraphError(signal.reason)));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Cuts off bodies that arrive too slowly, before anything has looked at them. */
export const bodyInTime =
  (milliseconds: number): RequestHandler =>
  (request, response, next) => {
    const timer = setTimeout(() => {
      response.setHeader('connection', 'close');
      response.once('finish', () => request.destroy());
      const message = 'The body of the request did not arrive in time.';
      answerError(response, new GatewayError('REQUEST_TIMEOUT', { message }));
    }, milliseconds).unref();
    request.once('end', () => clearTimeout(timer));
    response.once('close', () => clearTimeout(timer));
    next();
  };
