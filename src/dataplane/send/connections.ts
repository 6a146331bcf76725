import type { Socket } from 'node:net';
import { Agent, type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { GatewayError } from '../../errors/index.ts';

/** The connection that a client of undici has at the moment. */
export type Line = { socket: Socket | null };

/** A handler that wants to know over which line its request goes. */
export type LineHolder = Dispatcher.DispatchHandler & { line: Line | null };

export type Connections = {
  /** Kept alive, used again and again. */
  kept: Agent;
  /** A new one for each request, which closes behind it. */
  fresh: Dispatcher;
  /** Ends what is open, with STOPPING as the reason. */
  stop(): Promise<void>;
};

/** Bytes of the head of an answer. */
const MAX_HEAD_BYTES = 64 * 1024;

/** Connections to providers, one pool for each origin. */
export function createConnections(connect: buildConnector.connector): Connections {
  const options = {
    connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    maxHeaderSize: MAX_HEAD_BYTES,
    pipelining: 1,
    allowH2: false,
  };
  const factory = (origin: string | URL, given: object) =>
    new Pool(origin, {
      ...given,
      factory: (at: URL, clientOptions: object) => new LineClient(at, clientOptions),
    } as Pool.Options);
  const kept = new Agent({ ...options, factory });
  const once = new Agent(options);
  return {
    kept,
    fresh: once.compose((dispatch) => (request, handler) => dispatch({ ...request, reset: true }, handler)),
    async stop() {
      const reason = new GatewayError('STOPPING');
      await Promise.all([kept.destroy(reason), once.destroy(reason)]);
    },
  };
}

class LineClient extends Client {
  readonly #line: Line;

  constructor(origin: URL, options: Client.Options) {
    const line: Line = { socket: null };
    const connect = options.connect as buildConnector.connector;
    const connectLine: buildConnector.connector = (place, callback) =>
      connect(place, (...connected) => {
        line.socket = connected[1];
        callback(...connected);
      });
    super(origin, { ...options, connect: connectLine });
    this.#line = line;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if ('line' in handler) (handler as LineHolder).line = this.#line;
    return super.dispatch(options, handler);
  }
}
