import { performance } from 'node:perf_hooks';
import type { Capture } from '../recording/capture.ts';
import type { Relay } from './relay.ts';
import type {
  Send,
  UpstreamControl,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamRequest,
} from './upstream/upstream.ts';

/** What one request to a provider came to. */
export type AttemptResult = {
  /** The provider's status; 0 when it gave none. */
  status: number;
  headers: UpstreamHeaders;
  relayed: boolean;
  failure: UpstreamFailure | null;
  cause: Error | null;
  /** Milliseconds to the first byte of the body; null when there was none. */
  firstByte: number | null;
};

export type AttemptOptions = {
  send: Send;
  request: UpstreamRequest;
  /** Milliseconds until the status and headers must be here; null waits. */
  timeout: number | null;
  signal: AbortSignal;
  relay: Relay;
  capture: Capture;
  /** Once the status is known: true streams the answer to the caller, false throws it away. */
  accept: (status: number, headers: UpstreamHeaders) => boolean;
  /** Called before the first byte goes to the caller; gives the gateway's own headers. */
  gatewayHeaders: () => Record<string, string>;
};

/** Sends one request and, when its answer is accepted, streams it to the caller. Never rejects. */
export function attempt(options: AttemptOptions): Promise<AttemptResult> {
  const { send, request, timeout, signal, relay, capture, accept, gatewayHeaders } = options;
  const startedAt = performance.now();
  const result: AttemptResult = {
    status: 0,
    headers: {},
    relayed: false,
    failure: null,
    cause: null,
    firstByte: null,
  };
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let control: UpstreamControl | null = null;
    let finished = false;
    const abort = () => control?.abort('aborted');
    const finish = () => {
      finished = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(result);
    };
    control = send(request, {
      head(status, headers) {
        clearTimeout(timer);
        result.status = status;
        result.headers = headers;
        result.relayed = accept(status, headers);
        if (result.relayed) {
          capture.begin(headers);
          relay.start(status, headers, gatewayHeaders());
        }
        return result.relayed;
      },
      data(chunk) {
        result.firstByte ??= performance.now() - startedAt;
        capture.add(chunk);
        if (relay.write(chunk)) return true;
        relay.onDrain(() => control?.resume());
        return false;
      },
      end() {
        if (result.relayed) relay.end();
        finish();
      },
      fail(failure, cause, lastWords) {
        result.failure = failure;
        result.cause = cause;
        if (result.relayed && lastWords) {
          capture.add(lastWords);
          relay.end(lastWords);
        } else if (result.relayed) relay.breakOff();
        finish();
      },
    });
    // A request that cannot even be written has failed by now.
    if (finished) return;
    if (timeout !== null) timer = setTimeout(() => control.abort('timeout'), timeout);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
