import { buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici';
import type { HostPolicy } from '../../lib/http/custom-host.ts';
import { createGuard, type Guard, guardedConnector } from './address-guard.ts';
import { type Connections, createConnections } from './connections.ts';
import { HttpExchange } from './http-exchange.ts';
import { endingInSilence } from './idle-timeout.ts';
import { WatchedHandler } from './keep-alive-race.ts';
import type { Send } from './upstream.ts';

export type HttpUpstream = {
  send: Send;
  /** The same connections for code that speaks `fetch`. */
  fetch: typeof fetch;
  /** Judges connections of another kind by the same rules. */
  guard: Guard;
  stop(): Promise<void>;
};

// A model may think for minutes before the first byte and between two; a config's request_timeout is the caller's limit.
const SILENCE_LIMIT = 600_000;

/** Providers over HTTP: one keep-alive pool per origin, every address checked when the connection is made. */
export function createHttpUpstream(options: {
  hostPolicy: HostPolicy;
  /** Where this process listens itself. */
  ownPorts: ReadonlySet<number>;
  connectTimeout: number;
  silenceLimit?: number;
}): HttpUpstream {
  const { hostPolicy, ownPorts, connectTimeout, silenceLimit = SILENCE_LIMIT } = options;
  const guard = createGuard(hostPolicy, ownPorts);
  // HTTP/2 was measured as sound, streams and aborts included; but a lost connection would end a hundred streams and not one.
  const connect = guardedConnector(guard, (lookup) =>
    buildConnector({ lookup, timeout: connectTimeout, keepAlive: true, allowH2: false }),
  );
  const connections = createConnections(endingInSilence(connect, silenceLimit));
  return {
    send(request, sink) {
      const options = {
        origin: request.origin ?? '',
        path: request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body: request.body,
      } satisfies Dispatcher.DispatchOptions;
      const exchange = new HttpExchange(sink, options, connections, request.mayRepeat === true);
      exchange.start();
      return exchange;
    },
    fetch: fetchOver(connections),
    guard,
    stop: connections.stop,
  };
}

/** A request of a provider's own code asks a model or for a credential: it may be sent twice, unless its body is a stream. */
function fetchOver({ kept, fresh }: Connections): typeof fetch {
  const crossed = new WeakSet<Error>();
  const watched = kept.compose(
    (dispatch) => (request, handler) => dispatch(request, new WatchedHandler(handler, crossed)),
  );
  const send = (input: unknown, init: unknown, dispatcher: Dispatcher) =>
    undiciFetch(input as string, { ...(init as object), dispatcher, redirect: 'manual' });
  return (async (input, init) => {
    try {
      return await send(input, init, watched);
    } catch (error) {
      const wasCrossed = crossed.has((error as Error).cause as Error);
      if (!wasCrossed || init?.body instanceof ReadableStream) throw error;
      return send(input, init, fresh);
    }
  }) as typeof fetch;
}
