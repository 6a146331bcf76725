import { GatewayError } from '../../errors/index.ts';
import { errorBodyFor, streamFormatOf } from '../../formats/index.ts';
import { Capture } from '../../recording/capture.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import { attempt, type Reading } from '../answer/attempt.ts';
import { gatewayHeaders } from '../answer/gateway-headers.ts';
import type { ProviderError } from '../answer/provider-error.ts';
import { storedSecretsOf } from '../answer/quoted-secrets.ts';
import { Relay } from '../answer/relay.ts';
import { Retries, type RetryDecision } from '../answer/retry.ts';
import type { AttemptResult, Settled } from '../answer/settled.ts';
import type { Call } from '../call/call.ts';
import { headerTimeout } from '../call/request-timeout.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import type { Target } from '../target/target.ts';
import type { Exchange } from './make-request.ts';

/** Status that a caller would have seen, had it not hung up (as proxies commonly log it). */
const CLIENT_CLOSED_REQUEST = 499;

/** Sends an exchange as often as the target's retries allow, until an answer stands (spec/data-plane.md, section 3). */
export async function untilSettled(
  { request, body, send, cache }: Exchange,
  leaf: Leaf,
  target: Target,
  accept: (status: number) => boolean,
  call: Call,
  { maxLoggedBytes, sleep, streams }: DataplaneDependencies,
): Promise<Settled> {
  const timeout = headerTimeout(call) ?? leaf.requestTimeout;
  const mayRepeat = body.content === null || Buffer.isBuffer(body.content);
  const retries = new Retries(mayRepeat ? leaf.retry : null, call.tries);
  const relay = new Relay(call.response, streams);
  const reading = readingOf(call, target, body.hidesUsage === true);
  let next: RetryDecision;
  const decide = (status: number, headers: UpstreamHeaders, error: ProviderError | null) => {
    next = retries.decide(status, headers, error);
    return typeof next === 'string' && accept(status);
  };
  const headers = () =>
    gatewayHeaders(call, leaf, target.provider.id, retries.count, cache?.status ?? 'DISABLED');

  const sought = storedSecretsOf(target, request.headers);
  const captureBytes = Math.max(maxLoggedBytes, cache?.captureBytes ?? 0);

  for (;;) {
    const capture = new Capture(captureBytes);
    next = 'stop';
    call.tries.spend();
    const result = await attempt({
      send,
      request,
      timeout,
      hangUp: call.hangUp,
      relay,
      capture,
      reading,
      sought,
      accept: decide,
      gatewayHeaders: headers,
    });
    // The caller's own stream broke a rule before the provider answered.
    if (result.status === 0 && result.cause instanceof GatewayError) throw result.cause;
    const error = synthetic(result);
    const status = error?.entry.status ?? (result.status || CLIENT_CLOSED_REQUEST);
    const answersError = error !== null && decide(status, {}, null);
    if (answersError)
      relay.answer(status, {}, headers(), JSON.stringify(errorBodyFor(call.route.endpoint, error)));
    if (typeof next !== 'string' && !call.hangUp.happened) {
      const { wait } = next;
      await sleep(wait, call.hangUp.signal);
      if (!call.hangUp.happened) {
        retries.spend(wait);
        continue;
      }
    }
    const relayed = result.relayed || answersError || call.hangUp.happened;
    // Of an error, what was made of a credential is looked for too, and later.
    const isMasked = sought !== null && status >= 200 && status < 300;
    return { result, status, capture, retryCount: retries.count, isMasked, relayed };
  }
}

/** The gateway reads answers on the routes whose formats it knows; on others they are between caller and provider. */
const readingOf = ({ route }: Call, target: Target, hidesUsage: boolean): Reading | null =>
  route.unified ? { target, format: streamFormatOf(route.endpoint), hidesUsage } : null;

const failures = {
  timeout: 'REQUEST_TIMEOUT',
  connect: 'PROVIDER_UNREACHABLE',
  unreadable: 'PROVIDER_ANSWER_UNREADABLE',
  transport: 'PROVIDER_CONNECTION_FAILED',
} as const;

/** The error that stands for a provider's silence (section 3.2, point 4, and section 3.4); null when it did answer. */
function synthetic({ status, failure }: AttemptResult): GatewayError | null {
  if (status !== 0 || failure === null || failure === 'aborted') return null;
  return new GatewayError(failures[failure]);
}
