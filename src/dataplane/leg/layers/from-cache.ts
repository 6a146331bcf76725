import type { Lookup } from '../../cache/index.ts';
import type { Send } from '../../send/upstream.ts';
import type { SendLayer } from './send-layer.ts';

/** Answers with what the cache has, as if it came from the provider. */
export const fromCache: SendLayer = (send, { cache }) => (cache?.found ? sendFound(cache.found) : send);

const sendFound =
  ({ contentType, body }: NonNullable<Lookup['found']>): Send =>
  (_request, sink) => {
    let isOver = false;
    const answer = () => {
      if (isOver) return;
      isOver = true;
      const headers = { 'content-type': contentType, 'content-length': String(body.length) };
      if (sink.head(200, headers)) sink.data(body);
      sink.end();
    };
    // The sender is in the caller's hands before anything happens.
    queueMicrotask(answer);
    return {
      resume: () => undefined,
      abort(reason) {
        if (isOver) return;
        isOver = true;
        sink.fail(reason, new Error('The call was ended before its answer.'));
      },
    };
  };
