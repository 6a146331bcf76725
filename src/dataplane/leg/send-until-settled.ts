import { performance } from 'node:perf_hooks';
import { GatewayError } from '../../errors/index.ts';
import { errorBodyFor, streamFormatOf } from '../../formats/index.ts';
import { Capture } from '../../recording/log/answers/capture.ts';
import { type AnswerReading, attempt } from '../answer/attempt.ts';
import { gatewayHeaders } from '../answer/gateway-headers.ts';
import type { ProviderError } from '../answer/provider-error.ts';
import { storedSecretsOf } from '../answer/quoted-secrets.ts';
import { Relay } from '../answer/relay.ts';
import { Retries, type RetryDecision } from '../answer/retry.ts';
import type { AttemptResult } from '../answer/settled.ts';
import { MAX_ENTRY_BYTES } from '../cache/whole-answer.ts';
import { headerTimeout } from '../call/request-timeout.ts';
import { limitHeaders } from '../limits/limit-headers.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import { layered, type SendLayer } from './layers/send-layer.ts';
import type { Leg } from './leg.ts';
import type { LegStep } from './leg-step.ts';

/** Status in the log of a call whose caller hung up before it was answered, as proxies commonly log it. */
const CLIENT_CLOSED_REQUEST = 499;

/** The last step: sends the request as often as the target's retries allow, until an answer stands or has gone to the caller. */
export const sendUntilSettled =
  (layers: readonly SendLayer[]): LegStep =>
  async (leg, dependencies) => {
    const { call, leaf, target, request, body, accept } = leg;
    const { maxLoggedBytes, sleep, streams } = dependencies;
    const send = layered(layers, leg, dependencies);
    const timeout = headerTimeout(call) ?? leaf.requestTimeout;
    const mayRepeat = body.content === null || Buffer.isBuffer(body.content);
    const retries = new Retries(mayRepeat ? leaf.retry : null, call.tries);
    const relay = new Relay(call.response, streams);
    const reading = readingOf(leg);
    const sought = storedSecretsOf(target, request.headers);
    const captureBytes = leg.cache ? Math.max(maxLoggedBytes, MAX_ENTRY_BYTES) : maxLoggedBytes;
    let decision: RetryDecision;
    const decide = (status: number, headers: UpstreamHeaders, error: ProviderError | null) => {
      // What a limit says once it says again.
      decision = leg.refusal ? 'stop' : retries.decide(status, headers, error);
      return typeof decision === 'string' && accept(status);
    };
    const headers = () => ({
      ...gatewayHeaders(leg, retries.count),
      ...limitHeaders(leg, dependencies.limiting),
    });

    for (;;) {
      const capture = new Capture(captureBytes);
      decision = 'stop';
      leg.refusal = null;
      call.tries.spend();
      const result = await attempt({
        send,
        request,
        timeout,
        disconnect: call.disconnect,
        relay,
        capture,
        reading,
        sought,
        accept: decide,
        gatewayHeaders: headers,
      });
      // The caller's own stream broke a rule before the provider answered.
      if (result.status === 0 && result.cause instanceof GatewayError) throw result.cause;
      const error = errorForSilence(result);
      const status = error?.entry.status ?? (result.status || CLIENT_CLOSED_REQUEST);
      const answersError = error !== null && decide(status, {}, null);
      if (answersError)
        relay.answer(status, {}, headers(), JSON.stringify(errorBodyFor(call.route.endpoint, error)));
      if (typeof decision !== 'string' && !call.disconnect.happened) {
        const { wait } = decision;
        await sleep(wait, call.disconnect.signal);
        if (!call.disconnect.happened) {
          retries.spend(wait);
          continue;
        }
      }
      return {
        result,
        status,
        capture,
        retryCount: retries.count,
        // Errors are masked later, by the log: in them, what was made of a credential is looked for as well.
        isMasked: sought !== null && status >= 200 && status < 300,
        relayed: result.relayed || answersError || call.disconnect.happened,
        endedAt: performance.now(),
      };
    }
  };

/** The gateway reads answers on the routes whose formats it knows; on others they are between caller and provider. */
const readingOf = ({ call: { route }, target, body }: Leg): AnswerReading | null =>
  route.unified
    ? { target, format: streamFormatOf(route.endpoint), hidesUsage: body.hidesUsage === true }
    : null;

const failures = {
  timeout: 'REQUEST_TIMEOUT',
  connect: 'PROVIDER_UNREACHABLE',
  unreadable: 'PROVIDER_ANSWER_UNREADABLE',
  transport: 'PROVIDER_CONNECTION_FAILED',
} as const;

/** The error that stands for a provider's silence; null when the provider did answer, or the caller hung up. */
function errorForSilence({ status, failure }: AttemptResult): GatewayError | null {
  if (status !== 0 || failure === null || failure === 'aborted') return null;
  return new GatewayError(failures[failure]);
}
