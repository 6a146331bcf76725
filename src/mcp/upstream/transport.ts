import type { RpcRequest, RpcResponse } from './message.ts';

/** An answer of an MCP server to one message. */
export type Exchanged = {
  status: number;
  /** The answer to the message's id; null for a notice, and where the server sent none. */
  response: RpcResponse | null;
  /** The session that the server opened with its answer; null for none. */
  sessionId: string | null;
};

/** One way of exchanging messages with an MCP server. Everything rejects with an UpstreamProblem. */
export type UpstreamTransport = {
  exchange(message: RpcRequest, headers: Readonly<Record<string, string>>): Promise<Exchanged>;
  /** Ends a session that the server has opened, and whatever connection is held open. */
  close(headers: Readonly<Record<string, string>>): Promise<void>;
};

/** Bytes of one result of a server. */
export const MAX_RESULT = 16 * 1024 * 1024;
/** Characters of one event of a stream. */
export const MAX_EVENT = 8 * 1024 * 1024;
