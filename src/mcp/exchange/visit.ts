import type { IncomingHttpHeaders } from 'node:http';
import type { Trace } from '../../dataplane/call/trace.ts';
import type { McpSession } from '../session/index.ts';
import type { Era } from '../upstream/index.ts';
import type { McpCaller } from './caller.ts';

/** How a request came: at an endpoint of MCP, or for a model that has tools. */
export type McpRoute = 'endpoint' | 'aggregate' | 'chat' | 'responses' | 'messages' | 'run';

/** One HTTP request of a caller, with all that is known before its messages are looked at. */
export type McpVisit = {
  readonly caller: McpCaller;
  readonly headers: IncomingHttpHeaders;
  /** Path and query as they came. */
  readonly url: string;
  /** The endpoint, as clients know it. */
  readonly resourceUrl: string;
  readonly trace: Trace;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly createdAt: Date;
  readonly route: McpRoute;
  readonly era: Era;
  /** The revision that the caller speaks. */
  readonly version: string;
  readonly session: McpSession | null;
  /** Names and values of what the request is logged and limited with. */
  readonly metadata: Readonly<Record<string, string>>;
};
