import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers each request of a server. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes over the socket of each request that asks for a WebSocket. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
