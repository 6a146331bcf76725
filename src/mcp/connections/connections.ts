import type { Connection } from 'mongoose';
import { ownUser, type Principal } from '../../auth/index.ts';
import type { Changes } from '../../storage/changes.ts';
import type { Leases } from '../../storage/leases.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { createFlows, type Flows } from './flows.ts';
import { createLiveTokens, type LiveTokens } from './live-tokens.ts';
import { type ConnectionOwner, createConnectionStore } from './store.ts';
import { revokeTokens } from './tokens.ts';

/** The connections of users to servers at which each of them signs in (`oauth_auto`). */
export type McpConnections = Flows & {
  live: LiveTokens;
  /** Whether a user has let the gateway act for them. */
  has(owner: ConnectionOwner): Promise<boolean>;
  /** A token with which the server of an integration can be read: that of whoever connected last; null for none. */
  anyToken(integrationId: string): Promise<string | null>;
  /** Takes the tokens of a user back at their issuer, before they are forgotten; false where that did not work. */
  revoke(owner: ConnectionOwner): Promise<boolean>;
};

export type McpConnectionsOptions = {
  db: Connection;
  secrets: Secrets;
  leases: Leases;
  changes: Changes;
  /** Connections that judge each address. */
  send: typeof fetch;
  /** Told once somebody has connected to the server of an integration. */
  connected(integrationId: string): Promise<void>;
  now: () => Date;
};

export function createMcpConnections(options: McpConnectionsOptions): McpConnections {
  const { db, secrets, leases, changes, send } = options;
  const now = () => options.now().getTime();
  const store = createConnectionStore(db, secrets);
  const live = createLiveTokens({ db, store, leases, changes, send, now });
  const flows = createFlows({
    ...{ db, secrets, store, send, now },
    async connected({ mcpIntegrationId }) {
      await changes.publish('mcp_connection');
      await options.connected(mcpIntegrationId);
    },
  });
  return {
    ...flows,
    live,
    has: async (owner) => (await live.get(owner)) !== null,
    async anyToken(integrationId) {
      const found = await store.readAny(integrationId);
      if (!found) return null;
      const { organisationId, mcpIntegrationId, userId } = found.document;
      return live.get({ organisationId, mcpIntegrationId, userId });
    },
    async revoke(owner) {
      const found = await store.read(owner);
      return found === null || revokeTokens(found.tokens, send);
    },
  };
}

/** The user whose connection counts for a caller; null for one that stands for no user. */
export function connectionOwner(principal: Principal, mcpIntegrationId: string): ConnectionOwner | null {
  const [userId] = ownUser(principal);
  return userId === undefined ? null : { organisationId: principal.organisationId, mcpIntegrationId, userId };
}
