import type { Connection } from 'mongoose';
import type { Directory } from '../directory/memory.ts';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import type { SecretMemory } from '../secret-managers/memory.ts';
import type { Settings } from '../settings/index.ts';
import type { Changes } from '../storage/changes.ts';
import type { Leases } from '../storage/leases.ts';
import { nativeDb } from '../storage/native-db.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { SigningKeys } from '../storage/signing-keys/index.ts';
import { type ClientTokens, createClientTokens } from './auth/index.ts';
import {
  type CatalogueDocument,
  createCatalogueUpkeep,
  createReadAgain,
  type DefinitionChange,
  readOffers,
  type SyncTarget,
} from './catalogue/index.ts';
import { createMcpConnections, type McpConnections } from './connections/index.ts';
import type { OffersTo } from './lines/own-views.ts';
import { createMcpOauth, type McpOauth } from './oauth/index.ts';
import { reachUpstream } from './reach.ts';
import type { UpstreamTarget } from './target.ts';
import { type TryOut, tryUpstream } from './try-out.ts';
import { judging, upstreamUrlProblem } from './upstream/index.ts';

/** What the administration of MCP servers needs of the network. */
export type McpHouse = {
  /** Where callers reach MCP servers, without a slash at the end; null is the address of the installation. */
  baseUrl: string | null;
  /** Why no integration may have this address, or null. */
  urlProblem(url: string): string | null;
  /** Tries to reach a server; 10 seconds at most. */
  tryOut(target: UpstreamTarget): Promise<TryOut>;
  /** Lets MCP clients in for people. */
  oauth: McpOauth;
  /** Lets the gateway in at servers for people. */
  connections: McpConnections;
  /** Looks now for servers that are to be read. */
  wake(): void;
};

export type McpHouseOptions = {
  settings: Settings['mcp'];
  db: Connection;
  send: typeof fetch;
  hostPolicy: HostPolicy;
  secretMemory: SecretMemory;
  leases: Leases;
  changes: Changes;
  targets(ids: readonly string[]): Promise<SyncTarget[]>;
  onChange(change: DefinitionChange): Promise<void>;
  directory: Pick<Directory, 'keys' | 'users' | 'workspaces'>;
  signingKeys: Pick<SigningKeys, 'current' | 'find'>;
  secrets: Secrets;
  now: () => Date;
  log: Logger;
};

/** Milliseconds in which a server must say what it offers to somebody who waits for a list. */
const OFFERS_MS = 10_000;

/** Everything around MCP servers that runs by itself or asks them something. */
export function createMcpHouse(options: McpHouseOptions): McpHouse & {
  tokens: ClientTokens;
  /** Has the server behind an integration read again, since it says that it has changed. */
  readAgain(id: string): void;
  /** What a server offers to whoever has a token. */
  offersTo: OffersTo;
  start(): void;
  stop(): Promise<void>;
} {
  const { settings, db, hostPolicy, secretMemory, leases, changes, targets, onChange, now, log } = options;
  const send = judging(options.send, hostPolicy);
  const tokens = createClientTokens(send, () => now().getTime());
  const catalogues = () => nativeDb(db).collection<CatalogueDocument>('mcp_catalogues');
  async function readSoon(integrationId: string): Promise<void> {
    await catalogues().updateOne({ _id: integrationId }, { $set: { nextSyncAt: now() } });
    if (reads) upkeep.wake();
  }
  // What a server offers, it may tell those alone who have signed in.
  const connections = createMcpConnections({ ...options, send, connected: readSoon });
  const readAgain = createReadAgain((id) => {
    readSoon(id).catch((error: unknown) => {
      log.warn({ error, mcpIntegration: id }, 'A changed MCP server could not be marked for reading.');
    });
  });
  const reach = { send, secretMemory, tokens, userToken: connections.anyToken };
  const upkeep = createCatalogueUpkeep({
    ...reach,
    ...{ db, leases, targets, onChange, now, log, everyMs: settings.syncMs },
    catalogues,
    capabilities: () => nativeDb(db).collection('mcp_capabilities'),
    published: () => changes.publish('mcp_catalogue'),
  });
  const reads = settings.syncMs > 0;
  return {
    baseUrl: settings.baseUrl,
    tokens,
    urlProblem: (url) => upstreamUrlProblem(url, hostPolicy),
    tryOut: (target) => tryUpstream(target, reach),
    oauth: createMcpOauth({ ...options, send }),
    connections,
    readAgain,
    async offersTo({ upstream, hello }, token) {
      const signal = AbortSignal.timeout(OFFERS_MS);
      const own = { ...reach, userToken: async () => token };
      const server = await reachUpstream(upstream, own, { signal, era: hello?.era ?? null });
      try {
        return await readOffers(server);
      } finally {
        await server.close();
      }
    },
    wake: () => {
      if (reads) upkeep.wake();
    },
    start: () => {
      if (reads) upkeep.start();
    },
    stop: upkeep.stop,
  };
}
