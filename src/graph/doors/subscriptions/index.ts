import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../../auth/index.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { GraphContext } from '../../../subgraphs/context.ts';
import type { Graph } from '../../composition/graph.ts';
import { type ServedGraph, servedAlone } from '../../composition/served-graph.ts';
import type { Safety } from '../../safety/index.ts';
import { createEventStreams, type EventStreams } from './event-streams.ts';
import { createOperations } from './operations.ts';
import { createSessions, type Knock } from './sessions.ts';
import { createWebSocketDoor, type WebSocketDoor } from './websocket.ts';

export type { EventStreams } from './event-streams.ts';
export type { Knock } from './sessions.ts';
export { refuseUpgrade } from './websocket.ts';

export type Subscriptions = {
  handleUpgrade: WebSocketDoor['handleUpgrade'];
  streams: EventStreams & {
    /** Authenticates a caller who asks for a stream; refusals count at the door of streams. */
    authenticate(knock: Knock): Promise<Principal | null>;
  };
  /** Subscriptions that are open, over both transports. */
  open(): number;
  /** Looks at the credentials of all of them soon, since something that these stand on has changed. */
  lookAgain(): void;
  /** Ends all of them and takes no new ones; resolves when their connections are closed. */
  stop(): Promise<void>;
};

/** The graph for connections that stay: over WebSocket at `/graphql`, over server-sent events at `/graphql/stream`. */
export function createSubscriptions(options: {
  graph: Graph;
  /** The graph with its remote subgraphs, when there are any. */
  served?: ServedGraph | undefined;
  safety: Safety;
  /** Throws UNAUTHENTICATED for a credential that is not valid; null when there is none. */
  authenticate(knock: Knock): Promise<Principal | null>;
  createContext(principal: Principal, request: IncomingMessage): GraphContext;
  log: Logger;
}): Subscriptions {
  const { graph, served = servedAlone(graph), safety } = options;
  const operations = createOperations(graph, served, safety);
  const sessions = createSessions(options);
  const sockets = createWebSocketDoor(operations, sessions, options.log);
  const streams = createEventStreams(operations, sessions);
  return {
    handleUpgrade: sockets.handleUpgrade,
    streams: { ...streams, authenticate: options.authenticate },
    open: operations.open,
    lookAgain: sessions.lookAgain,
    async stop() {
      streams.stop();
      await sockets.stop();
      sessions.stop();
    },
  };
}
