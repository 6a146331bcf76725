import type { IncomingMessage } from 'node:http';
import type { Connection } from 'mongoose';
import { type Principal, sleep as realSleep, type Sleep, throttleGauge } from '../auth/index.ts';
import { dataplaneGauges } from '../dataplane/gauges.ts';
import { createDataplane } from '../dataplane/index.ts';
import { createRealtime } from '../dataplane/realtime/index.ts';
import { createDirectory } from '../directory/memory.ts';
import { graphGauges } from '../graph/index.ts';
import { allowOrigins } from '../http/cors.ts';
import { createHeaderAliases } from '../http/header-aliases.ts';
import type { Listener, UpgradeListener } from '../http/listener.ts';
import { createMetrics } from '../http/metrics.ts';
import { createOperationsAccess } from '../http/operations-access.ts';
import { requestFacts } from '../http/request-facts.ts';
import { createListener, createSubgraphListener, createUpgradeListener } from '../http/server.ts';
import { bodyGauge, createBodyBudget } from '../lib/bodies/index.ts';
import type { Logger } from '../lib/logger.ts';
import { requestLogGauges } from '../recording/log/thread/gauges.ts';
import { noteBeginning } from '../recording/rollups/beginning.ts';
import type { Settings } from '../settings/index.ts';
import { changesGauge, createChanges } from '../storage/changes.ts';
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
import { type Lifecycle, startAll, stopAll } from './lifecycle.ts';
import { createRecording } from './recording.ts';

export type AppDependencies = {
  settings: Settings;
  storage: Pick<Storage, 'db' | 'uri'>;
  secrets: Secrets;
  log: Logger;
  /** How an answer to a wrong credential is delayed, and a failed attempt before it is repeated. */
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
  /** Tells the app a port on which it is reached, so that it never sends a provider's request to itself. */
  listensOn(port: number): void;
  /**
   * Ends subscriptions and realtime sessions, which would keep their connections open for ever. New ones are refused.
   */
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
    authenticate: access.forInference,
    directory,
    requestLog,
    bodies,
    settings,
    ownPorts,
    db,
    sleep,
    now,
    log,
  });
  const realtime = createRealtime(inference, now);
  const leases = createLeases(log);
  const exports = createLogExports(settings, { db, leases, now, log });
  const services = {
    db,
    secrets,
    changes,
    audit,
    events,
    logs,
    log,
    signingKeys,
    throttle,
    leases,
    exports,
    now,
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
  const metrics = createMetrics(
    [
      ...dataplaneGauges({ ...inference, realtime }),
      ...requestLogGauges(requestLog),
      ...graphGauges(subscriptions, remotes),
      changesGauge(changes),
      bodyGauge(bodies),
      throttleGauge(throttle),
    ],
    requestLog.metrics,
  );
  /** In the order of the start; each needs what stands above it, also while it stops. */
  const lifecycle: Lifecycle = [
    { start: () => checkMasterKey(db, secrets.fingerprint) },
    { start: () => withPatientConnection(storage.uri, ensureCollections) },
    { start: () => noteBeginning(nativeDb(db), now()) },
    disk,
    events,
    notes,
    { start: audit.replay, stop: audit.stop },
    changes,
    signingKeys,
    requestLog,
    exports,
    inference.breakers,
    logs,
    inference.cache,
    inference.http,
    issuers,
    throttle,
    remotes,
    graphHttp,
    standalone,
    subscriptions,
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
    start: () => startAll(lifecycle),
    settle: () => requestLog.drain(),
    stop: () => stopAll(lifecycle),
  };
}

function bodyLimits({ limits }: Settings): { sum: number; largest: number } {
  const { maxBodyBytes, maxJsonBytes, maxReplayBytes, bodyMemoryBytes } = limits;
  return { sum: bodyMemoryBytes, largest: Math.min(maxBodyBytes, Math.max(maxJsonBytes, maxReplayBytes)) };
}

/**
 * Whether a load balancer should send requests here. Without the database the service still answers from memory, but
 * it is not ready. A full disk leaves the service ready: inference and reads go on, and every other instance has the
 * same store.
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
