import { grownCache } from '../../lib/grown-cache.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpSession, SessionStore, UpstreamSession } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { Era } from '../upstream/index.ts';
import { type Handshakes, LATEST } from './handshake.ts';
import { pooledSession } from './pooled-session.ts';

/** Over what a message goes to a server. */
export type ServerLine = {
  era: Era;
  /** Null in the modern era, and for a server without sessions. */
  session: UpstreamSession | null;
  /** The session was opened for this message alone, and is to be ended behind it. */
  isOwn: boolean;
  /** The session is that of all requests of a caller without one of its own. */
  isPooled?: boolean;
};

export type Lines = {
  lineFor(
    visit: McpVisit,
    server: McpServerRecord,
    headers: Readonly<Record<string, string>>,
  ): ServerLine | Promise<ServerLine>;
  /** Opens another session in the place of one that the server has lost; null where that helps nobody. */
  repair(
    visit: McpVisit,
    server: McpServerRecord,
    headers: Readonly<Record<string, string>>,
    lost: ServerLine,
  ): Promise<ServerLine | null>;
  /** Ends what was opened for one message. */
  leave(server: McpServerRecord, headers: Readonly<Record<string, string>>, line: ServerLine): void;
};

/** Servers of the older era of which it is known whether they open sessions. */
const REMEMBERED = 5000;

const MODERN: ServerLine = { era: 'modern', session: null, isOwn: false };

export function createLines(handshakes: Handshakes, store: SessionStore): Lines {
  /** The revision of servers that open no sessions, by their integration. */
  const sessionless = grownCache<string>(REMEMBERED);
  const keyOf = ({ upstream: { id, url } }: McpServerRecord) => `${id} ${url}`;
  const plain = (version: string): ServerLine => ({
    ...{ era: 'legacy', isOwn: false },
    session: { version, id: null },
  });

  /** Of a caller with a session: the upstream session that belongs to it, opened now where none was. */
  async function opened(
    session: McpSession,
    server: McpServerRecord,
    headers: Readonly<Record<string, string>>,
    lost: UpstreamSession | null,
  ): Promise<ServerLine> {
    const known = await store.read(session);
    const isNews = known !== null && known.id !== lost?.id;
    if (isNews) return { era: 'legacy', session: known, isOwn: false };
    const { upstream } = await handshakes.open(server, headers, session);
    const counts = await store.replace(session, lost, upstream);
    if (counts.id !== upstream.id) handshakes.close(server, headers, upstream);
    return { era: 'legacy', session: counts, isOwn: false };
  }

  async function own(
    { era, route }: McpVisit,
    server: McpServerRecord,
    headers: Readonly<Record<string, string>>,
  ): Promise<ServerLine> {
    const said = { version: LATEST, capabilities: {}, clientInfo: null };
    const { upstream } = await handshakes.open(server, headers, said);
    if (upstream.id === null) {
      sessionless.set(keyOf(server), upstream.version);
      return plain(upstream.version);
    }
    if (era === 'modern' || route === 'aggregate') return { era: 'legacy', session: upstream, isOwn: true };
    handshakes.close(server, headers, upstream);
    throw new RpcFailure(rpc.transport, 'Bad Request: Mcp-Session-Id header is required', { status: 400 });
  }

  /** The session that a caller's requests share; a server that opens none is asked without. */
  async function shared(
    pool: McpSession,
    server: McpServerRecord,
    headers: Readonly<Record<string, string>>,
    lost: UpstreamSession | null,
  ): Promise<ServerLine> {
    const line = await opened(pool, server, headers, lost);
    if (line.session?.id != null) return { ...line, isPooled: true };
    const version = line.session?.version ?? LATEST;
    sessionless.set(keyOf(server), version);
    return plain(version);
  }

  return {
    lineFor(visit, server, headers) {
      const { session } = visit;
      const upstream = session?.serverId != null ? store.current(session) : null;
      if (server.hello?.era === 'modern' && upstream === null) return MODERN;
      if (session && session.serverId !== null) {
        return upstream
          ? { era: 'legacy', session: upstream, isOwn: false }
          : opened(session, server, headers, null);
      }
      const version = sessionless.get(keyOf(server));
      if (version !== undefined) return plain(version);
      const pool = pooledSession(visit, server);
      if (pool === null) return own(visit, server, headers);
      const known = store.current(pool);
      if (known === null || known.id === null) return shared(pool, server, headers, null);
      return { era: 'legacy', session: known, isOwn: false, isPooled: true };
    },
    async repair(visit, server, headers, lost) {
      if (lost.era === 'modern' || lost.isOwn) return null;
      sessionless.delete(keyOf(server));
      const { session } = visit;
      const pool = pooledSession(visit, server);
      if (pool) return shared(pool, server, headers, lost.session);
      if (session === null || session.serverId === null) return own(visit, server, headers);
      return opened(session, server, headers, lost.session);
    },
    leave(server, headers, { isOwn, session }) {
      if (isOwn && session) handshakes.close(server, headers, session);
    },
  };
}
