import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../errors/index.ts';
import { Capture } from '../recording/capture.ts';
import { type AttemptResult, attempt } from './attempt.ts';
import { type Call, headerOf } from './call.ts';
import type { Leaf } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { exchangeOf } from './exchange.ts';
import { errorBodyFor } from './ingress/index.ts';
import { recordExchange } from './record.ts';
import { Relay } from './relay.ts';
import { gatewayHeaders } from './response-headers.ts';
import { Retries, type RetryDecision } from './retry.ts';
import type { Outcome } from './strategy/walk.ts';
import { resolveTarget, type Target } from './target.ts';
import type { UpstreamFailure } from './upstream/upstream.ts';

/** Status that a caller would have seen, had it not hung up (as proxies commonly log it). */
const CLIENT_CLOSED_REQUEST = 499;

/** Calls one target with its retries, streams the accepted answer to the caller and records the whole as one log. */
export async function callTarget(
  leaf: Leaf,
  accept: (status: number) => boolean,
  call: Call,
  dependencies: DataplaneDependencies,
): Promise<Outcome> {
  const startedAt = performance.now();
  const target = await resolveTarget(leaf, call, dependencies);
  const { request, body, send } = await exchangeOf(call, leaf, target, dependencies);
  const timeout = headerTimeout(call) ?? leaf.requestTimeout;
  const retries = new Retries(body.content === null || Buffer.isBuffer(body.content) ? leaf.retry : null);
  const relay = new Relay(call.response);
  let retryCount = 0;

  for (;;) {
    const capture = new Capture(dependencies.maxLoggedBytes);
    let next: RetryDecision = 'stop';
    const result = await attempt({
      send,
      request,
      timeout,
      signal: call.signal,
      relay,
      capture,
      accept(status, headers) {
        next = retries.decide(status, headers);
        retryCount = next === 'abandon' ? -1 : retries.used;
        return typeof next === 'string' && accept(status);
      },
      gatewayHeaders: () => gatewayHeaders(call, leaf, target.provider.id, retryCount),
    });
    // The caller's own stream broke a rule before the provider answered.
    if (result.status === 0 && result.cause instanceof GatewayError) throw result.cause;
    const status = settledStatus(result);
    if (result.status === 0 && result.failure !== 'aborted') {
      next = retries.decide(status, {});
      retryCount = next === 'abandon' ? -1 : retries.used;
    }
    if (typeof next !== 'string' && !call.signal.aborted) {
      retries.spend(next.wait);
      await sleep(next.wait, undefined, { signal: call.signal }).catch(ignoreAbort);
      if (!call.signal.aborted) continue;
    }
    const synthetic = result.status === 0 && result.failure !== 'aborted' && accept(status);
    if (synthetic && result.failure) answerFailure(call, leaf, target, result.failure, retryCount);
    recordExchange(dependencies, call, {
      leaf,
      target,
      request,
      body,
      result,
      status,
      capture,
      startedAt,
      retryCount,
    });
    return { status, relayed: result.relayed || synthetic || call.signal.aborted };
  }
}

/** A caller that hangs up during a wait ends the wait; the loop sees the signal. */
function ignoreAbort(error: unknown): void {
  if ((error as { name?: unknown }).name !== 'AbortError') throw error;
}

function headerTimeout(call: Call): number | null {
  const text = headerOf(call.headers, 'x-gateway-request-timeout');
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3_600_000) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'x-gateway-request-timeout is a whole number of milliseconds from 1 to 3600000.',
      param: 'x-gateway-request-timeout',
    });
  }
  return value;
}

const failures = {
  timeout: 'REQUEST_TIMEOUT',
  connect: 'PROVIDER_UNREACHABLE',
  transport: 'PROVIDER_CONNECTION_FAILED',
} as const;

/** The provider's status, or the one that stands for its silence (section 3.2, point 4, and section 3.4). */
function settledStatus({ status, failure }: AttemptResult): number {
  if (status !== 0) return status;
  if (failure === null || failure === 'aborted') return CLIENT_CLOSED_REQUEST;
  return new GatewayError(failures[failure]).entry.status;
}

function answerFailure(
  call: Call,
  leaf: Leaf,
  target: Target,
  failure: UpstreamFailure,
  retryCount: number,
): void {
  if (failure === 'aborted') return;
  const error = new GatewayError(failures[failure]);
  call.response.writeHead(error.entry.status, {
    ...gatewayHeaders(call, leaf, target.provider.id, retryCount),
    'content-type': 'application/json',
  });
  call.response.end(JSON.stringify(errorBodyFor(call.route.endpoint, error)));
}
