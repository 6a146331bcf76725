import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers one request of Node's server. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
