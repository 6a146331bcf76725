import type { Send, UpstreamFailure } from './upstream.ts';

/** Fails like a provider that cannot be reached. */
export const unreachable =
  (cause: Error): Send =>
  (_request, sink) => {
    let isOver = false;
    const fail = (failure: UpstreamFailure) => {
      if (isOver) return;
      isOver = true;
      sink.fail(failure, cause);
    };
    // The sender is in the caller's hands before anything happens.
    queueMicrotask(() => fail('connect'));
    return { resume: () => undefined, abort: fail };
  };
