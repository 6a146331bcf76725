import type { IncomingMessage } from 'node:http';
import type { Connection } from 'mongoose';
import { type Principal, sleep as realSleep, type Sleep } from '../auth/index.ts';
import { createDataplane } from '../dataplane/index.ts';
import { createRealtime } from '../dataplane/realtime/index.ts';
import { createDirectory } from '../directory/memory.ts';
import { allowOrigins } from '../http/cors.ts';
import { createHeaderAliases } from '../http/header-aliases.ts';
import type { Listener, UpgradeListener } from '../http/listener.ts';
import { createMetrics } from '../http/metrics.ts';
import { createOperationsAccess } from '../http/operations-access.ts';
import { requestFacts } from '../http/request-facts.ts';
import { createListener, createSubgraphListener, createUpgradeListener } from '../http/server.ts';
import { createBodyBudget } from '../lib/bodies/index.ts';
import type { Logger } from '../lib/logger.ts';
import { noteBeginning } from '../recording/rollups/beginning.ts';
import type { Settings } from '../settings/index.ts';
import { createChanges } from '../storage/changes.ts';
import { type Storage, withPatientConnection } from '../storage/connection.ts';
import { createDiskWatch } from '../storage/disk-watch.ts';
import { createLeases } from '../storage/leases.ts';
import { checkMasterKey } from '../storage/master-key.ts';
import { nativeDb } from '../storage/native-db.ts';
import type { Secrets } from '../storage/secrets.ts';
import { loadCatalogues, loadProviderRecords } from '../subgraphs/catalog/provider/records.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { loadAccountRecords } from '../subgraphs/identity/access-policy/index.ts';
import { loadKeyRecords } from '../subgraphs/identity/api-key/records.ts';
import { loadWorkspaceRecords } from '../subgraphs/identity/workspace/records.ts';
import { createLogExports } from '../subgraphs/insights/log-export/index.ts';
import { loadConfigRecords } from '../subgraphs/routing/config/records.ts';
import { createAccess } from './access.ts';
import { ensureCollections, ownership } from './collections.ts';
import { createDoors } from './doors.ts';
import { createInference } from './inference.ts';
import { createRecording } from './recording.ts';

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
  /** Tells on which port the app was given a listener, main or not: it never calls itself there. */
  listensOn(port: number): void;
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
  const { settings, storage, secrets, log, sleep = realSleep, now = () => new Date() } = dependencies;
  const { db } = storage;
  const disk = createDiskWatch(settings.storage.dataDirectory, log);
  const { events, audit, notes, requestLog, logs } = createRecording(settings, storage, secrets, disk, log);
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
  const access = createAccess({ settings, db, secrets, changes, directory, sleep, now, log });
  const { signingKeys, issuers, throttle } = access;
  const bodies = createBodyBudget(bodyLimits(settings));
  const ownPorts = new Set<number>();
  const inference = createInference({
    ...{ authenticate: access.forInference, directory, requestLog, bodies },
    ...{ settings, ownPorts, db, sleep, now, log },
  });
  const { streams, openCalls, cache, breakers, http } = inference;
  const realtime = createRealtime(inference, now);
  const leases = createLeases(log);
  const exports = createLogExports(settings, { db, leases, now, log });
  const services = {
    ...{ db, secrets, changes, audit, events, logs, log },
    ...{ signingKeys, throttle, leases, exports, now },
    ...ownership,
    requestLogs: settings.requestLogs,
    identity: settings.identity,
  };
  const createContext = (principal: Principal | null, request: IncomingMessage): GraphContext => ({
    ...services,
    principal,
    request: requestFacts(request),
    memo: new Map(),
  });
  const aliases = createHeaderAliases(settings.headerPrefixAliases);
  const { remotes, subscriptions, graphHttp, standalone, rest, oauth2, reference } = createDoors({
    settings,
    authenticate: access.at,
    authenticateAccount: access.ofAccount,
    throttle,
    createContext,
    bodies,
    aliases,
    log,
  });
  const routersOnly = settings.subgraphs.listen;
  const metrics = createMetrics({
    ...{ streams, openCalls, requestLog, cache, changes, bodies },
    ...{ subscriptions, realtime, remotes, throttle },
  });
  const lifecycle = [
    { start: () => checkMasterKey(db, secrets.fingerprint), stop: async () => undefined },
    { start: () => withPatientConnection(storage.uri, ensureCollections), stop: async () => undefined },
    { start: () => noteBeginning(nativeDb(db), now()), stop: async () => undefined },
    { start: () => disk.start(), stop: async () => disk.stop() },
    { start: async () => undefined, stop: () => events.stop() },
    { start: async () => undefined, stop: () => notes.stop() },
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

  return {
    handle: allowOrigins(
      settings.corsOrigins,
      aliases.around(
        createListener({
          dataplane: createDataplane(inference),
          rest,
          oauth2,
          reference,
          graphHttp,
          standalone: routersOnly ? null : standalone,
          metrics,
          isReady: () => ({
            ...ready(db, changes.isStale(), disk.isFull()),
            ...(remotes && { subgraphs: remotes.states() }),
          }),
          seesOperations: createOperationsAccess(settings.metricsToken),
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
    listensOn: (port) => void ownPorts.add(port),
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

function bodyLimits({ limits }: Settings): { sum: number; largest: number } {
  const { maxBodyBytes, maxJsonBytes, maxReplayBytes, bodyMemoryBytes } = limits;
  return { sum: bodyMemoryBytes, largest: Math.min(maxBodyBytes, Math.max(maxJsonBytes, maxReplayBytes)) };
}

/**
 * Serving goes on from memory while the database is away; what a load balancer should know is whether it is. A full disk is
 * no reason to take the instance out: inference and reads go on, and another one has the same store.
 */
const ready = (db: Connection, isStale: boolean, isDiskFull: boolean) => {
  const up = db.readyState === 1 && !isStale;
  return {
    ready: up,
    status: up ? (isDiskFull ? 'degraded' : 'ok') : 'down',
    database: up ? 'up' : 'down',
    disk: isDiskFull ? 'full' : 'ok',
  };
};
