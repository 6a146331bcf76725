import { grownCache } from '../../lib/grown-cache.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { uuid } from '../../lib/ids.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { isAggregate } from '../aggregate/index.ts';
import { callerKey } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { UpstreamCredentials } from '../lines/credentials.ts';
import type { Handshakes } from '../lines/handshake.ts';
import { agreedVersion, helloOf, initialized } from '../relay/hello.ts';
import {
  type McpSession,
  SESSION_SECONDS,
  type SessionSeal,
  type UpstreamSession,
} from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { UpstreamProblem } from '../upstream/index.ts';

export type InitializeDependencies = {
  handshakes: Handshakes;
  credentials: UpstreamCredentials;
  seal: SessionSeal;
};

/** Opens a session for a caller; answers the result of `initialize` and the id of the session. */
export async function openSession(
  visit: Omit<McpVisit, 'session'>,
  server: McpServerRecord,
  params: JsonObject,
  { handshakes, credentials, seal }: InitializeDependencies,
): Promise<{ result: JsonObject; id: string; session: McpSession }> {
  // Of a server that tells those alone what it offers who have signed in, this says where.
  if (server.hello === null && server.upstream.authType === 'oauth_auto')
    await credentials.headersFor(server, visit.caller);
  helloOf(server);
  const version = agreedVersion(params.protocolVersion);
  const session: McpSession = {
    uuid: uuid(),
    organisationId: server.organisationId,
    workspaceId: server.workspaceId,
    serverId: sessionServer(server),
    caller: callerKey(visit.caller),
    version,
    capabilities: isObject(params.capabilities) ? params.capabilities : {},
    clientInfo: isObject(params.clientInfo) ? params.clientInfo : {},
    upstream: null,
    expiresAt: Math.floor(Date.now() / 1000) + SESSION_SECONDS,
  };
  if (!isAggregate(server) && server.upstream.transport === 'http')
    session.upstream = await mirrored(visit, server, session, { handshakes, credentials });
  const hasUpstream = session.upstream?.id != null;
  return { result: initialized(server, version, hasUpstream), id: seal.seal(session), session };
}

/** The server that a session is bound to; null for all together. */
export const sessionServer = (server: McpServerRecord): string | null =>
  isAggregate(server) ? null : server.id;

/** Servers of the modern era that open no sessions, by their address: they need not be asked again for a while. */
const withoutSessions = grownCache<true>(5000, { ttl: 3_600_000 });

/**
 * The session of the server behind it. Null where the server cannot be reached now: the first call tries again. A server of the
 * modern era that also has sessions serves callers of the older one best within them; every other is asked in its own era.
 */
async function mirrored(
  visit: Omit<McpVisit, 'session'>,
  server: McpServerRecord,
  session: McpSession,
  { handshakes, credentials }: Pick<InitializeDependencies, 'handshakes' | 'credentials'>,
): Promise<UpstreamSession | null> {
  const isModern = server.hello?.era === 'modern';
  const { url } = server.upstream;
  if (isModern && withoutSessions.has(url)) return null;
  try {
    const headers = await credentials.headersFor(server, visit.caller);
    const { upstream } = await handshakes.open(server, headers, session, { callerGoesOn: true });
    if (upstream.id !== null || !isModern) return upstream;
  } catch (error) {
    // Lists are there all the same, so that the caller gets its session.
    if (!(error instanceof RpcFailure || error instanceof UpstreamProblem)) throw error;
    if (error instanceof RpcFailure && error.code !== rpc.upstream) return null;
  }
  if (isModern) withoutSessions.set(url, true);
  return null;
}

/** The session that a request belongs to; null where it names none. Throws for one that is not the caller's. */
export function sessionOf(
  { headers, caller }: Pick<McpVisit, 'headers' | 'caller'>,
  serverId: string | null,
  seal: SessionSeal,
  hasEnded: (uuid: string) => boolean,
): McpSession | null {
  const text = headerOf(headers, 'mcp-session-id');
  if (text === undefined) return null;
  const session = seal.open(text);
  const isOwn =
    session !== null &&
    session.organisationId === caller.key.principal.organisationId &&
    session.serverId === serverId &&
    session.caller === callerKey(caller) &&
    !hasEnded(session.uuid);
  if (!isOwn) throw new RpcFailure(rpc.sessionNotFound, 'Session not found', { status: 404 });
  return session;
}
