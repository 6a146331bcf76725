import type { JsonObject } from '../../lib/json.ts';

/** A session that an MCP server has opened. */
export type UpstreamSession = {
  /** The revision that the server speaks in it. */
  version: string;
  /** Null where the server has opened none. */
  id: string | null;
};

/** A session of a caller of the era with a handshake. Its id carries all of it, so that any process can serve it. */
export type McpSession = {
  uuid: string;
  organisationId: string;
  workspaceId: string | null;
  /** Id of the MCP server; null for all servers together. */
  serverId: string | null;
  /** Whose session it is. */
  caller: string;
  /** The revision that the caller speaks. */
  version: string;
  /** What the caller has declared. */
  capabilities: JsonObject;
  clientInfo: JsonObject;
  /** Null where nothing was opened yet: the first request does. */
  upstream: UpstreamSession | null;
  /** Seconds since the epoch. */
  expiresAt: number;
};
