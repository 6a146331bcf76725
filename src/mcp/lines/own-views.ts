import { createHash } from 'node:crypto';
import { grownCache } from '../../lib/grown-cache.ts';
import { aggregateOf, isAggregate } from '../aggregate/index.ts';
import type { CapabilityType, ServerOffers } from '../catalogue/index.ts';
import { type ConnectionOwner, connectionOwner, type McpConnections } from '../connections/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { type McpServerRecord, placeOf } from '../snapshot/index.ts';
import { UpstreamProblem } from '../upstream/index.ts';

/**
 * What lists show of servers at which each user signs in: of what is known of such a server, the part that it offers to the caller.
 * Another user's files are nobody else's business, and their names neither.
 */
export type OwnViews = {
  /** The same record where all callers see the same. Rejects with an RpcFailure where the server cannot be asked. */
  of(server: McpServerRecord, caller: McpCaller): McpServerRecord | Promise<McpServerRecord>;
};

/** What a server offers to a user; rejects with an UpstreamProblem. */
export type OffersTo = (server: McpServerRecord, token: string) => Promise<ServerOffers>;

type Given = { offersTo: OffersTo; connections: Pick<McpConnections, 'live'>; now(): number };

/** `places`: as in `byPlace`. `revision`: of the server when it was asked. */
type View = { places: ReadonlySet<string>; mark: string; revision: string; until: number };

/**
 * Milliseconds until a server is asked again: what it says itself, within bounds, and else the default. A client reads its lists one
 * after the other, and many servers say 0, so that the least keeps each of those from asking for all of them.
 */
const FRESH_MS = { least: 1000, default: 60_000, most: 300_000 };
const REMEMBERED = 2000;

export function createOwnViews({ offersTo, connections, now }: Given): OwnViews {
  const views = grownCache<View>(REMEMBERED);
  const asking = new Map<string, Promise<View | null>>();
  const keyOf = ({ upstream }: McpServerRecord, { organisationId, userId }: ConnectionOwner) =>
    JSON.stringify([organisationId, userId, upstream.id, upstream.url]);

  /** Null where the user has to sign in again. */
  async function asked(server: McpServerRecord, owner: ConnectionOwner, token: string): Promise<View | null> {
    const found = await offersTo(server, token).catch(async (error: unknown) => {
      if (!(error instanceof UpstreamProblem) || error.fault !== 'unauthorized') throw error;
      // The token may have ended before its time.
      const other = await connections.live.renew(owner, token);
      return other === null ? null : offersTo(server, other);
    });
    if (found === null) return null;
    const places = new Set(found.offers.map((offer) => placeOf(offer.type, offer.key)));
    const mark = createHash('sha256')
      .update([...places].join('\n'))
      .digest('base64url');
    const fresh = Math.min(Math.max(found.ttlMs ?? FRESH_MS.default, FRESH_MS.least), FRESH_MS.most);
    const view = { places, mark, revision: server.revision, until: now() + fresh };
    views.set(keyOf(server, owner), view);
    return view;
  }

  function viewOf(
    server: McpServerRecord,
    owner: ConnectionOwner,
    token: string,
  ): View | Promise<View | null> {
    const key = keyOf(server, owner);
    const known = views.get(key);
    if (known && known.until > now() && known.revision === server.revision) return known;
    const before = asking.get(key);
    if (before) return before;
    const work = asked(server, owner, token).finally(() => asking.delete(key));
    asking.set(key, work);
    return work;
  }

  async function single(server: McpServerRecord, caller: McpCaller): Promise<McpServerRecord> {
    const owner = connectionOwner(caller.key.principal, server.upstream.id);
    if (owner === null) return unasked(server);
    try {
      const token = await connections.live.get(owner);
      const view = token === null ? null : await viewOf(server, owner, token);
      return view === null ? unasked(server) : narrowed(server, view);
    } catch (error) {
      if (!(error instanceof UpstreamProblem)) throw error;
      if (error.fault === 'unauthorized') return unasked(server);
      // What the server said last is better than nothing, which clients would take for the truth.
      const known = views.get(keyOf(server, owner));
      if (known) return narrowed(server, known);
      throw unreachable(server, error);
    }
  }

  return {
    of(server, caller) {
      if (!isAggregate(server)) return isPerUser(server) ? single(server, caller) : server;
      if (!server.servers.some(isPerUser)) return server;
      const shown = server.servers.map((one) =>
        isPerUser(one) ? single(one, caller).catch(() => unasked(one)) : one,
      );
      return Promise.all(shown).then((servers) => aggregateOf(server, servers));
    },
  };
}

/** Whether a server may offer another thing to each user. */
export const isPerUser = ({ upstream }: McpServerRecord): boolean => upstream.authType === 'oauth_auto';

function narrowed(server: McpServerRecord, { places, mark }: View): McpServerRecord {
  const own = (type: CapabilityType) =>
    server.usable[type].filter(({ key }) => places.has(placeOf(type, key)));
  return {
    ...server,
    usable: {
      tool: own('tool'),
      prompt: own('prompt'),
      resource: own('resource'),
      resource_template: own('resource_template'),
    },
    revision: `${server.revision} ${mark}`,
  };
}

/** For somebody who has not signed in: tools, whose call leads there, and nothing that somebody owns. */
const unasked = (server: McpServerRecord): McpServerRecord => ({
  ...server,
  usable: { ...server.usable, resource: [] },
  revision: `${server.revision} unasked`,
});

const unreachable = ({ slug }: McpServerRecord, cause: UpstreamProblem): RpcFailure =>
  new RpcFailure(rpc.unreachable, `The MCP server ${slug} does not say what it offers you now.`, {
    data: { server: slug, maybe_executed: false },
    cause,
  });
