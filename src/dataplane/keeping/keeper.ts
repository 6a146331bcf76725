import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Principal } from '../../auth/index.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A response that the gateway itself is to keep, as its caller asks for it. */
export type KeptCall = {
  principal: Principal;
  workspaceId: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
  /** Characters of the body, about. */
  size: number;
  traceId: string;
  /** Aborted when the caller leaves. */
  signal: AbortSignal;
};

/** `text`: the data as JSON, where somebody has it already. */
export type KeptEvent = { event: string; data: unknown; text?: string };

export type ResponseAnswer =
  | { kind: 'whole'; status: number; headers: OutgoingHttpHeaders; body: string | Buffer }
  | { kind: 'events'; events: AsyncIterable<KeptEvent> };

/** Has the model answer, and keeps what it was asked and what it said. Throws GatewayError for what is not taken. */
export type ResponseKeeper = (call: KeptCall) => Promise<ResponseAnswer>;
