import type { Connection } from 'mongoose';
import { GatewayError } from '../../errors/index.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import type { Changes } from '../../storage/changes.ts';
import type { Leases } from '../../storage/leases.ts';
import { connectionProblem } from './discovery.ts';
import type { ConnectionOwner, ConnectionStore, HeldConnection } from './store.ts';
import { GrantRefused, requestTokens } from './tokens.ts';

/** Access tokens of users at servers, in memory while they last. */
export type LiveTokens = {
  /**
   * An access token that is good for a while; null where the user has to sign in. A promise only where the token is not in
   * memory or ends soon, of which `onRenewal` is told. Rejects with an UpstreamProblem where the issuer cannot be asked.
   */
  get(owner: ConnectionOwner, onRenewal?: (() => void) | undefined): string | null | Promise<string | null>;
  /** Another token than one that the server has refused; null where the user has to sign in. */
  renew(owner: ConnectionOwner, refused: string): Promise<string | null>;
  /** The scopes that the user's sign-in asked for; null for none. */
  askedScope(owner: ConnectionOwner): Promise<string | null>;
};

type Deps = {
  db: Connection;
  store: ConnectionStore;
  leases: Leases;
  changes: Pick<Changes, 'publish' | 'subscribe'>;
  send: typeof fetch;
  now(): number;
};

/** Milliseconds before its end from which a token is not used any more. */
const EARLY_MS = 60_000;
/** Milliseconds to wait for a refresh in another process. */
const PATIENCE_MS = 20_000;
const REMEMBERED = 10_000;

export function createLiveTokens({ db, store, leases, changes, send, now }: Deps): LiveTokens {
  const known = grownCache<HeldConnection>(REMEMBERED);
  const asking = new Map<string, Promise<string | null>>();
  let generation = 0;
  changes.subscribe(async (kind) => {
    // A change of an integration may end its connections.
    if (kind !== 'mcp_connection' && kind !== 'mcp_integration' && kind !== 'mcp_server') return;
    generation++;
    known.clear();
  });
  const keyOf = ({ organisationId, mcpIntegrationId, userId }: ConnectionOwner) =>
    `${organisationId} ${mcpIntegrationId} ${userId}`;

  const isGood = ({ tokens: { expiresAt } }: HeldConnection) =>
    expiresAt === null || expiresAt - EARLY_MS > now();

  async function read(owner: ConnectionOwner): Promise<HeldConnection | null> {
    const began = generation;
    const found = await store.read(owner);
    // A change during the read may be missing in its result.
    if (found && began === generation) known.set(keyOf(owner), found);
    return found;
  }

  /** At most one refresh of a connection is under way, in whatever process: each waits, and reads what came of it. */
  function refreshed(owner: ConnectionOwner, refused: string | null): Promise<string | null> {
    const key = keyOf(owner);
    const before = asking.get(key);
    if (before) return before;
    const work = leases
      .hold(db, `mcp connection ${key}`, PATIENCE_MS, () => refresh(owner, refused))
      .catch((error: unknown) => {
        // Another process has waited for the issuer all the while.
        if (error instanceof GatewayError && error.code === 'IN_PROGRESS')
          throw connectionProblem('its token is being renewed', error);
        throw error;
      })
      .finally(() => asking.delete(key));
    asking.set(key, work);
    return work;
  }

  async function refresh(owner: ConnectionOwner, refused: string | null): Promise<string | null> {
    const held = await read(owner);
    if (!held) return null;
    const { accessToken, refreshToken } = held.tokens;
    if (accessToken !== refused && isGood(held)) return accessToken;
    if (refreshToken === null) {
      // A token that ended by itself, or that its server takes no more, and nothing to get another one with.
      await end(held);
      return null;
    }
    const tokens = await requestTokens(
      held.tokens,
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      send,
      now(),
    ).catch((error: unknown) => {
      if (error instanceof GrantRefused) return null;
      throw error;
    });
    if (tokens === null) {
      await end(held);
      return null;
    }
    // Somebody may have signed in anew, or the connection may be gone: then these tokens are nobody's.
    if (!(await store.replace(held, tokens))) return (await read(owner))?.tokens.accessToken ?? null;
    await changes.publish('mcp_connection');
    await read(owner);
    return tokens.accessToken;
  }

  async function end(held: HeldConnection): Promise<void> {
    await store.replace(held, null);
    await changes.publish('mcp_connection');
  }

  return {
    get(owner, onRenewal) {
      const held = known.get(keyOf(owner));
      if (held && isGood(held)) return held.tokens.accessToken;
      const renewed = () => {
        onRenewal?.();
        return refreshed(owner, null);
      };
      if (held) return renewed();
      return read(owner).then((found) =>
        found === null || isGood(found) ? (found?.tokens.accessToken ?? null) : renewed(),
      );
    },
    async askedScope(owner) {
      const held = known.get(keyOf(owner)) ?? (await read(owner));
      return held?.tokens.askedScope ?? null;
    },
    async renew(owner, refused) {
      // Calls that were under way together come with the same token, and the first of them has had it renewed.
      const held = known.get(keyOf(owner));
      if (held && held.tokens.accessToken !== refused && isGood(held)) return held.tokens.accessToken;
      return refreshed(owner, refused);
    },
  };
}
