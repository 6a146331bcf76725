import type { Leaf } from '../../routing-config/plan.ts';
import type { Settled } from '../answer/settled.ts';
import { cachingOf } from '../cache/caching.ts';
import type { Cache, Lookup } from '../cache/index.ts';
import { MAX_ENTRY_BYTES } from '../cache/whole-answer.ts';
import type { Call } from '../call/call.ts';
import type { Send } from '../send/upstream.ts';
import type { Target } from '../target/target.ts';
import type { Exchange } from './make-request.ts';

export type ThroughCache = {
  exchange: Exchange;
  /** Keeps what the provider answered, when that is a complete success. */
  keep(settled: Settled): void;
};

/** An exchange that may find its answer in the cache, and otherwise leaves it there. */
export async function throughCache(
  exchange: Exchange,
  leaf: Leaf,
  target: Target,
  call: Call,
  cache: Cache,
): Promise<ThroughCache> {
  const caching = cachingOf(call, leaf, target, exchange, cache.maxAge);
  if (caching === null) return { exchange, keep: () => undefined };
  const { status, found, keep } = await cache.lookUp(caching);
  const part = { status, mode: caching.mode, captureBytes: MAX_ENTRY_BYTES };
  return {
    exchange: { ...exchange, cache: part, send: found ? sendFound(found) : exchange.send },
    keep({ status: code, relayed, result, capture }) {
      if (relayed && result.failure === null && result.defect === null) keep(code, capture.taken());
    },
  };
}

/** Answers with what was kept, as if it came from the provider. */
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
