/** What a log knows of a request to an MCP server, beside what all logs have. */
export type McpFacts = {
  /** Of the protocol, e.g. `tools/call`; of HTTP for a request that was refused before it was read. */
  method: string;
  /** The name of the tool or prompt, or the address of the resource; null where the request is about none. */
  subject: string | null;
  status: 'success' | 'tool_error' | 'error' | 'denied' | 'cancelled' | 'timeout';
  /** Of the JSON-RPC error; null without one. */
  errorCode: number | null;
  /** Null where the caller knows of no such server. */
  serverId: string | null;
  serverSlug: string;
  integrationId: string | null;
  /** At which door it came: one of MCP, or one of models whose model called the tool. */
  route: 'endpoint' | 'aggregate' | 'chat' | 'responses' | 'messages' | 'run';
  eraClient: 'modern' | 'legacy';
  eraUpstream: 'modern' | 'legacy' | null;
  protocolVersion: string;
  /** Null for a request that was not read. */
  requestId: string | null;
  /** Null for a request without a session. */
  sessionId: string | null;
  authType: string;
  clientId: string | null;
  /** As the client calls itself, which nobody has checked. */
  clientName: string | null;
  clientVersion: string | null;
  /** HTTP status of the server; null where it was not asked. */
  upstreamStatus: number | null;
  /** `door`, `capability`, `limit` or `guardrail`; null for what was not refused. */
  refusedBy: string | null;
  progressCount: number;
  /** How often the server asked the caller for something before it answered. */
  rounds: number;
  retried: 'session' | 'token' | 'none';
  sessionReinitialised: boolean;
  /** Whether a token for the server had to be got anew before the call could be made. */
  tokenRefreshed: boolean;
  /** Milliseconds from the arrival until it was sent to the server first; null where it was not. */
  queueMs: number | null;
  /** The process that has answered, as `host:pid`. */
  instance: string;
  inputBytes: number | null;
  outputBytes: number;
  definitionHash: string | null;
  /** What in the result does not fit the tool's `outputSchema`; absent where nothing does, or nobody has compared them. */
  outputProblem?: string;
  costNanodollars: number;
};

/** As a log stores it: text takes half the room of documents. */
export const encodeMcpFacts = (facts: McpFacts): string => JSON.stringify(facts);

export const decodeMcpFacts = (text: string): McpFacts => JSON.parse(text) as McpFacts;
