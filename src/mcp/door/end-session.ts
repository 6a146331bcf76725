import type { ServerResponse } from 'node:http';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { UpstreamCredentials } from '../lines/credentials.ts';
import type { Handshakes } from '../lines/handshake.ts';
import type { SessionDurations, SessionStore } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

export type EndDependencies = {
  sessions: SessionStore;
  durations: SessionDurations;
  handshakes: Handshakes;
  credentials: UpstreamCredentials;
};

/** Ends a caller's session, and the one behind it. */
export async function endSession(
  visit: McpVisit,
  server: McpServerRecord,
  response: ServerResponse,
  given: EndDependencies,
): Promise<void> {
  const { session, caller } = visit;
  if (session === null)
    throw new RpcFailure(rpc.transport, 'Method not allowed: there is no session to end.', {
      status: 405,
      headers: { allow: 'POST' },
    });
  const { sessions, durations, handshakes, credentials } = given;
  const upstream = sessions.current(session);
  await sessions.end(session);
  durations.ended(session, Date.now());
  if (upstream?.id != null) handshakes.close(server, await credentials.headersFor(server, caller), upstream);
  response.writeHead(200).end();
}
