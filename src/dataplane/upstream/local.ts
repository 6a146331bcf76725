import type { Dialect, DialectRequest } from '../../providers/index.ts';
import { failureOf } from './failure.ts';
import type { Send, UpstreamControl, UpstreamFailure, UpstreamSink } from './upstream.ts';

/** Answers by a provider's own code, through the same sink as answers over HTTP. */
export const sendDialect =
  (dialect: Dialect, request: Omit<DialectRequest, 'signal'>): Send =>
  (_request, sink) => {
    const abort = new AbortController();
    let wake: (() => void) | null = null;
    run(dialect, { ...request, signal: abort.signal }, sink, abort, (callback) => {
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
  dialect: Dialect,
  request: DialectRequest,
  sink: UpstreamSink,
  abort: AbortController,
  onPause: (wake: () => void) => void,
): void {
  let started = false;
  const exchange = async () => {
    const answer = await dialect(request);
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
      const cause = error instanceof Error ? error : new Error(String(error));
      const reason = abort.signal.aborted
        ? (abort.signal.reason as UpstreamFailure)
        : failureOf(cause, started);
      sink.fail(reason, cause);
    },
  );
}
