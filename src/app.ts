import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { createThrottle, type Principal, type Sleep, sleep } from './auth/index.ts';
import { allowOrigins } from './cors.ts';
import {
  type Authenticate,
  createAccountAuthenticate,
  createAuthenticate,
  credentialOf,
  throttled,
} from './dataplane/authenticate.ts';
import { circuitModel, createBreakers } from './dataplane/breaker/index.ts';
import { createEmbedder } from './dataplane/cache/embedder.ts';
import { createEntries } from './dataplane/cache/entries.ts';
import { createCache } from './dataplane/cache/index.ts';
import { cacheEntryModel } from './dataplane/cache/model.ts';
import type { DataplaneDependencies } from './dataplane/dependencies.ts';
import { createDirectory } from './dataplane/directory.ts';
import { createDataplane } from './dataplane/index.ts';
import { createJwtIssuers } from './dataplane/jwt/index.ts';
import { createRealtime } from './dataplane/realtime/index.ts';
import { createStickyTargets, stickyTargetModel } from './dataplane/strategy/sticky.ts';
import { createAccessTokenVerifier } from './dataplane/tokens/access-token.ts';
import { createHttpUpstream } from './dataplane/upstream/http.ts';
import { createDoors } from './doors.ts';
import type { Knock } from './graph/index.ts';
import { createHeaderAliases } from './header-aliases.ts';
import { createHostPolicy, ownHosts } from './lib/custom-host.ts';
import type { Logger } from './lib/logger.ts';
import { createMetrics } from './metrics.ts';
import { createAuditChain } from './recording/audit-chain.ts';
import { createAuditTrail } from './recording/audit-trail.ts';
import { createLogThread } from './recording/handover/log-thread.ts';
import { createLogWriter } from './recording/log-writer.ts';
import { noteBeginning } from './recording/rollups/beginning.ts';
import { createSpool } from './recording/spool.ts';
import { factsOf } from './request-facts.ts';
import {
  createListener,
  createSubgraphListener,
  createUpgradeListener,
  type Listener,
  type UpgradeListener,
} from './server.ts';
import type { Settings } from './settings.ts';
import { createChanges } from './storage/changes.ts';
import { type Storage, withPatientConnection } from './storage/connection.ts';
import { createEvents } from './storage/events/index.ts';
import { keptAnswerModel } from './storage/kept-answers.ts';
import { createLeases, leaseModel } from './storage/leases.ts';
import { checkMasterKey } from './storage/master-key.ts';
import { nativeDb } from './storage/native-db.ts';
import type { Secrets } from './storage/secrets.ts';
import { createSigningKeys, signingKeyModel } from './storage/signing-keys/index.ts';
import { loadCatalogues, loadProviderRecords } from './subgraphs/catalog/provider/directory.ts';
import type { GraphContext } from './subgraphs/context.ts';
import { loadAccountRecords } from './subgraphs/identity/access-policy/index.ts';
import { loadKeyRecords } from './subgraphs/identity/api-key/directory.ts';
import { loadWorkspaceRecords } from './subgraphs/identity/workspace/directory.ts';
import { subgraphs } from './subgraphs/index.ts';
import { createLogExports } from './subgraphs/insights/log-export/index.ts';
import { loadConfigRecords } from './subgraphs/routing/config/directory.ts';

export type AppDependencies = {
  settings: Settings;
  storage: Pick<Storage, 'db' | 'uri'>;
  secrets: Secrets;
  log: Logger;
  /** How answers to wrong credentials wait, and attempts before they are repeated. */
  sleep?: Sleep;
  now?: () => Date;
};

export type App = {
  /** Answers every request of the one listener. */
  handle: Listener;
  /** Answers federation routers, when they have a listener of their own. */
  subgraphListener: { handle: Listener; host: string; port: number } | null;
  /** Takes over the connections of the one listener that ask for a WebSocket. */
  handleUpgrade: UpgradeListener;
  /** Ends subscriptions and realtime sessions, which would otherwise keep their connections open for ever, and takes no new ones. */
  endSubscriptions(): Promise<void>;
  start(): Promise<void>;
  /** Resolves when everything recorded until now is durable. */
  settle(): Promise<void>;
  /** Ends what `start` began, in the opposite order; everything recorded is durable afterwards. */
  stop(): Promise<void>;
};

/** Builds the whole service around a database. Opens no port. */
export function createApp(dependencies: AppDependencies): App {
  const { settings, storage, secrets, log } = dependencies;
  const { db } = storage;
  const resources = subgraphs.flatMap((subgraph) => subgraph.resources);
  const spoolDirectory = join(settings.storage.dataDirectory, 'spool');
  const events = createEvents(db, log);
  const audit = createAuditTrail({
    chain: createAuditChain({
      db: () => nativeDb(db),
      sign: (text) => secrets.sign('audit chain', text),
      log,
    }),
    onAppended(entries) {
      for (const { _id, organisationId, workspaceId } of entries)
        events.append({ kind: 'audit_entry', organisationId, workspaceId, ids: [_id] });
    },
    spool: createSpool(spoolDirectory, 'audit'),
    log,
  });
  const requestLog = createLogThread(
    {
      ...settings.requestLogs,
      traceCollector: settings.traceCollector,
      uri: storage.uri,
      spoolDirectory,
      overflowKey: secrets.fileKey('request log overflow 3'),
      logLevel: settings.logLevel,
    },
    log,
    events.wake,
  );
  const logs = createLogWriter({ database: async () => nativeDb(db), log });
  const changes = createChanges(db, log);
  const directory = createDirectory(
    {
      keys: (hashes) => loadKeyRecords(db, hashes),
      providers: (ids) => loadProviderRecords(db, secrets, ids),
      configs: (ids) => loadConfigRecords(db, { secrets, log }, ids),
      catalogues: (ids) => loadCatalogues(db, ids),
      accounts: (ids) => loadAccountRecords(db, ids),
      workspaces: (ids) => loadWorkspaceRecords(db, ids),
    },
    changes,
  );
  const hostPolicy = createHostPolicy(
    settings.upstream.trustedHosts,
    ownHosts(settings.listen, settings.identity.publicUrl),
  );
  const http = createHttpUpstream({ hostPolicy, connectTimeout: settings.upstream.connectTimeout });
  const now = dependencies.now ?? (() => new Date());
  const signingKeys = createSigningKeys({ db, secrets, changes, now, log });
  const accessTokens = createAccessTokenVerifier({ directory, keys: signingKeys, now });
  const issuers = createJwtIssuers(settings.identity.jwtIssuers, {
    workspaces: directory.workspaces,
    now,
    log,
  });
  const authenticate = createAuthenticate(directory, secrets, [accessTokens, issuers.verifier]);
  const authenticateAccount = createAccountAuthenticate(accessTokens);
  const throttle = createThrottle({
    log,
    sleep: dependencies.sleep ?? sleep,
    now: () => performance.now(),
  });
  const breakers = createBreakers(db, { now, log });
  const { cache: cacheSettings } = settings;
  const cache = createCache({
    entries: createEntries(() => nativeDb(db), { memoryBytes: cacheSettings.memoryBytes, log }),
    embedder: cacheSettings.embeddings && createEmbedder(cacheSettings.embeddings, http),
    threshold: cacheSettings.threshold,
    maxAge: cacheSettings.maxAge,
    log,
  });
  const streams = { count: 0 };
  const dataplaneDependencies: DataplaneDependencies = {
    authenticate: throttled(authenticate, throttle, 'inference'),
    directory,
    http,
    hostPolicy,
    breakers,
    sticky: createStickyTargets(db, { now, log }),
    random: Math.random,
    streams,
    savedConfigsOnly: settings.savedConfigsOnly,
    cache,
    requestLog,
    maxLoggedBytes: settings.requestLogs.maxBodyBytes,
    limits: settings.limits,
    headers: settings.headers,
    log,
    sleep: dependencies.sleep ?? sleep,
  };
  const dataplane = createDataplane(dataplaneDependencies);
  const realtime = createRealtime(dataplaneDependencies, now);

  const principalBy = (own: Authenticate, door: string) => {
    const authenticateHere = throttled(own, throttle, door);
    return async ({ headers, socket }: Knock): Promise<Principal> =>
      (await authenticateHere(credentialOf(headers), socket?.remoteAddress)).principal;
  };
  const leases = createLeases(log);
  const exports = createLogExports(settings, { db, leases, now, log });
  const services = {
    db,
    secrets,
    changes,
    audit,
    events,
    logs,
    requestLogs: settings.requestLogs,
    identity: settings.identity,
    log,
    signingKeys,
    throttle,
    leases,
    exports,
    now,
    workspaceOwned: resources
      .filter((resource) => resource.ownedByWorkspace)
      .flatMap((resource) => resource.models),
    audited: new Map(
      resources.flatMap(({ name, models: [model], reach }) =>
        model ? [[name.replaceAll('-', '_'), { model, reach }]] : [],
      ),
    ),
    organisationOwned: resources
      .filter((resource) => resource.ownedByWorkspace || resource.ownedByOrganisation)
      .flatMap((resource) => resource.models),
  };
  const createContext = (principal: Principal | null, request: IncomingMessage): GraphContext => ({
    ...services,
    principal,
    request: factsOf(request),
    memo: new Map(),
  });
  const aliases = createHeaderAliases(settings.headerPrefixAliases);
  const { remotes, subscriptions, graphHttp, standalone, rest, oauth2, reference } = createDoors({
    settings,
    authenticate(door) {
      const principalOf = principalBy(authenticate, door);
      return async (knock) => (credentialOf(knock.headers) ? principalOf(knock) : null);
    },
    authenticateAccount: principalBy(authenticateAccount, 'rest'),
    throttle,
    createContext,
    aliases,
    log,
  });
  const routersOnly = settings.subgraphs.listen;
  const metrics = createMetrics({
    streams,
    requestLog,
    cache,
    changes,
    subscriptions,
    realtime,
    remotes,
    throttle,
  });

  const lifecycle = [
    { start: () => checkMasterKey(db, secrets.fingerprint), stop: async () => undefined },
    { start: () => withPatientConnection(storage.uri, ensureIndexes), stop: async () => undefined },
    { start: () => noteBeginning(nativeDb(db), now()), stop: async () => undefined },
    { start: async () => undefined, stop: () => events.stop() },
    { start: () => audit.replay(), stop: () => audit.stop() },
    { start: () => changes.start(), stop: () => changes.stop() },
    { start: () => signingKeys.start(), stop: async () => signingKeys.stop() },
    { start: async () => requestLog.start(), stop: () => requestLog.stop() },
    { start: async () => exports.start(), stop: () => exports.stop() },
    { start: async () => undefined, stop: () => breakers.stop() },
    { start: async () => undefined, stop: () => logs.stop() },
    { start: async () => undefined, stop: () => cache.stop() },
    { start: async () => undefined, stop: () => http.stop() },
    { start: async () => issuers.start(), stop: () => issuers.stop() },
    { start: async () => undefined, stop: async () => throttle.stop() },
    { start: async () => remotes?.start(), stop: async () => remotes?.stop() },
    { start: () => graphHttp.start(), stop: () => graphHttp.stop() },
    { start: async () => standalone?.start(), stop: async () => standalone?.stop() },
    { start: async () => undefined, stop: () => subscriptions.stop() },
  ];

  async function ensureIndexes(connection: Connection): Promise<void> {
    const models = [
      ...resources.flatMap((resource) => resource.models),
      leaseModel,
      keptAnswerModel,
      circuitModel,
      stickyTargetModel,
      signingKeyModel,
      cacheEntryModel,
    ];
    // Together, so that the store makes them durable in few writes: one after the other took half of the start.
    await Promise.all(
      models.map(async (modelOf) => {
        const model = modelOf(connection);
        await model.createCollection();
        await model.createIndexes();
      }),
    );
  }

  return {
    handle: allowOrigins(
      settings.corsOrigins,
      aliases.around(
        createListener({
          dataplane,
          rest,
          oauth2,
          reference,
          graphHttp,
          standalone: routersOnly ? null : standalone,
          metrics,
          isReady: () => ({
            ...ready(db, changes.isStale()),
            ...(remotes && { subgraphs: remotes.states() }),
          }),
          log,
        }),
      ),
    ),
    subgraphListener:
      standalone && routersOnly
        ? { handle: aliases.around(createSubgraphListener({ standalone, metrics })), ...routersOnly }
        : null,
    handleUpgrade: createUpgradeListener({
      adopt: aliases.adopt,
      graph: subscriptions.handleUpgrade,
      realtime,
    }),
    async endSubscriptions() {
      await Promise.all([subscriptions.stop(), realtime.stop()]);
    },
    async start() {
      for (const part of lifecycle) await part.start();
    },
    settle: () => requestLog.drain(),
    async stop() {
      for (const part of lifecycle.toReversed()) await part.stop();
    },
  };
}

/** Serving goes on from memory while the database is away; what a load balancer should know is whether it is. */
const ready = (db: Connection, stale: boolean): { ready: boolean; database: 'up' | 'down' } => {
  const up = db.readyState === 1 && !stale;
  return { ready: up, database: up ? 'up' : 'down' };
};
