import { GatewayError } from '../../errors/index.ts';
import type { Dialect, DialectAnswer, DialectRequest, Endpoint } from '../../providers/index.ts';
import { failureOf, unwrappedRefusal } from './failure.ts';
import { refusalOf } from './refusal.ts';
import type { Send, UpstreamControl, UpstreamFailure, UpstreamSink } from './upstream.ts';

/** Has the code of a provider's dialect answer in this process, through the same sink as answers over HTTP. */
export const sendDialect = (dialect: Dialect, request: Omit<DialectRequest, 'signal'>): Send =>
  answeredBy((signal) => dialect({ ...request, signal }), request.endpoint);

/** Answers with the error that the gateway's code for a provider threw before there was anything to send. Throws what is no GatewayError. */
export function refusing(error: unknown, endpoint: Endpoint): Send {
  if (!(error instanceof GatewayError)) throw error;
  return answeredBy(() => Promise.reject(error), endpoint);
}

/** Answers with what is known already. */
export const answering = (answer: DialectAnswer): Send => answeredBy(() => Promise.resolve(answer), 'proxy');

type Answering = (signal: AbortSignal) => Promise<DialectAnswer>;

const answeredBy =
  (answering: Answering, endpoint: Endpoint): Send =>
  (_request, sink) => {
    const abort = new AbortController();
    let wake: (() => void) | null = null;
    const answer = () =>
      answering(abort.signal).catch((error: unknown) => {
        if (abort.signal.aborted) throw error;
        return refusalOf(error, endpoint);
      });
    run(answer, sink, abort, (callback) => {
      wake = callback;
    });
    return {
      resume: () => wake?.(),
      abort(reason) {
        abort.abort(reason);
        wake?.();
      },
    } satisfies UpstreamControl;
  };

function run(
  answering: () => Promise<DialectAnswer>,
  sink: UpstreamSink,
  abort: AbortController,
  onPause: (wake: () => void) => void,
): void {
  let started = false;
  const exchange = async () => {
    const answer = await answering();
    started = true;
    if (!sink.head(answer.status, answer.headers)) {
      // Nobody wants the rest: what still runs for it ends with its signal.
      abort.abort('aborted');
      return;
    }
    const chunks = Buffer.isBuffer(answer.body) ? [answer.body] : answer.body;
    for await (const chunk of chunks) {
      abort.signal.throwIfAborted();
      if (!sink.data(chunk)) await new Promise<void>(onPause);
      abort.signal.throwIfAborted();
    }
  };
  exchange().then(
    () => sink.end(),
    (error: unknown) => {
      const cause = unwrappedRefusal(error instanceof Error ? error : new Error(String(error)));
      const reason = abort.signal.aborted
        ? (abort.signal.reason as UpstreamFailure)
        : failureOf(cause, started);
      sink.fail(reason, cause);
    },
  );
}
