import type { Provider } from '../../providers/index.ts';
import type { Send, UpstreamControl, UpstreamFailure, UpstreamRequest, UpstreamSink } from './upstream.ts';

/** Answers from a provider in this process, through the same sink as answers over HTTP. */
export const sendLocal =
  (respond: NonNullable<Provider['respond']>, body: unknown): Send =>
  (request, sink) => {
    const abort = new AbortController();
    let wake: (() => void) | null = null;
    run(respond, request, body, sink, abort, (callback) => {
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
  respond: NonNullable<Provider['respond']>,
  request: UpstreamRequest,
  body: unknown,
  sink: UpstreamSink,
  abort: AbortController,
  onPause: (wake: () => void) => void,
): void {
  const exchange = async () => {
    const answer = await respond({ method: request.method, path: request.path, body, signal: abort.signal });
    if (!sink.head(answer.status, answer.headers)) return;
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
      const reason = abort.signal.aborted ? (abort.signal.reason as UpstreamFailure) : 'transport';
      sink.fail(reason, error instanceof Error ? error : new Error(String(error)));
    },
  );
}
