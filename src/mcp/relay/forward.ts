import type { JsonObject } from '../../lib/json.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { type AskedServer, ask } from '../lines/ask.ts';
import type { UpstreamCredentials } from '../lines/credentials.ts';
import { sessionHeaders } from '../lines/handshake.ts';
import { timeoutsOf } from '../lines/timeouts.ts';
import type { SessionStore } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { UpstreamWire } from '../upstream/index.ts';

export type ForwardDependencies = {
  wire: UpstreamWire;
  credentials: UpstreamCredentials;
  sessions: SessionStore;
};

/** Sends a message of a caller to the session behind its own; null where there is none. */
export async function forward(
  visit: McpVisit,
  server: McpServerRecord,
  message: JsonObject,
  { wire, credentials, sessions }: ForwardDependencies,
): Promise<AskedServer | null> {
  const upstream = visit.session && sessions.current(visit.session);
  if (!upstream) return null;
  const headers = await credentials.headersFor(server, visit.caller);
  return ask(
    {
      method: 'POST',
      url: server.upstream.url,
      headers: { ...headers, ...sessionHeaders(upstream) },
      body: JSON.stringify(message),
    },
    {
      wire,
      ...timeoutsOf(server, undefined),
      isAnswer: ({ id, method }) => message.id !== undefined && id === message.id && method === undefined,
    },
  );
}
