import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Principal, sleep as realSleep, type Sleep, throttleGauge } from '../auth/index.ts';
import { createConsoleDocuments } from '../console/documents.ts';
import { createAdmissionCheck } from '../dataplane/admission/check.ts';
import { dataplaneGauges } from '../dataplane/gauges.ts';
import type { ResponseKeeper } from '../dataplane/keeping/keeper.ts';
import { createProbe } from '../dataplane/probe/probe.ts';
import { createRealtime } from '../dataplane/realtime/index.ts';
import { graphGauges, type TrustedDocuments } from '../graph/index.ts';
import { allowOrigins } from '../http/cors.ts';
import { createHeaderAliases } from '../http/header-aliases.ts';
import type { Listener, UpgradeListener } from '../http/listener.ts';
import { createMetrics } from '../http/metrics.ts';
import { createOperationsAccess } from '../http/operations-access.ts';
import { readiness } from '../http/readiness.ts';
import { requestFacts } from '../http/request-facts.ts';
import { createListener, createSubgraphListener, createUpgradeListener } from '../http/server.ts';
import { createProxyTrust } from '../http/trusted-proxies.ts';
import { bodyGauge, createBodyBudget } from '../lib/bodies/index.ts';
import type { Logger } from '../lib/logger.ts';
import { countersById, createCounterStore, createLimitEngine } from '../limits/engine/index.ts';
import { createMcpServing } from '../mcp/index.ts';
import { createKeyUses } from '../recording/key-use/index.ts';
import { requestLogGauges } from '../recording/log/thread/gauges.ts';
import type { StartLogWorker } from '../recording/log/thread/worker-port.ts';
import { noteBeginning } from '../recording/rollups/beginning.ts';
import type { HostedTool } from '../runs/index.ts';
import { secretGauge } from '../secret-managers/memory.ts';
import type { Settings } from '../settings/index.ts';
import { changesGauge, createChanges } from '../storage/changes.ts';
import { type Storage, withPatientConnection } from '../storage/connection.ts';
import { createDiskWatch } from '../storage/disk-watch.ts';
import { createLeases } from '../storage/leases.ts';
import { checkMasterKey } from '../storage/master-key.ts';
import { nativeDb } from '../storage/native-db.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { existingKeys } from '../subgraphs/identity/api-key/index.ts';
import { createInstallationFacts } from '../subgraphs/identity/installation/facts.ts';
import { createSightings } from '../subgraphs/identity/sign-in/sightings.ts';
import { createLogExports } from '../subgraphs/insights/log-export/index.ts';
import { createAccess } from './access.ts';
import { createAssistants } from './assistants.ts';
import { ensureCollections, ownership } from './collections.ts';
import { createAuthorizeDoor, createConsoleDoor } from './console.ts';
import { createDataplanes } from './dataplanes.ts';
import { createTenantDirectory } from './directory.ts';
import { createDoors } from './doors.ts';
import { createFileService, forgetDeletedFiles } from './files.ts';
import { createInference } from './inference.ts';
import { runningFacts } from './installation.ts';
import { type Lifecycle, startAll, stopAll } from './lifecycle.ts';
import { createMcp } from './mcp.ts';
import { createNotices } from './notices.ts';
import { createRecording } from './recording.ts';

export type AppDependencies = {
  settings: Settings;
  storage: Pick<Storage, 'db' | 'uri'>;
  secrets: Secrets;
  log: Logger;
  /** How an answer to a wrong credential is delayed, and a failed attempt before it is repeated. */
  sleep?: Sleep;
  now?: () => Date;
  /** Tools that runs have beside those of the house. */
  hostedTools?: readonly HostedTool[];
  /** The only documents that the console's graph runs, where not those of the built console; null for any. */
  consoleDocuments?: TrustedDocuments | null;
  /** Starts the thread in which request logs are worked out; each app has one of its own where this is left out. */
  startLogWorker?: StartLogWorker;
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
  /** From now on `/readyz` sends load balancers elsewhere; requests are still answered. */
  announceStop(): void;
  /** Ends the calls that are open; a stream gets an error as its last event. */
  endCalls(): void;
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
  const { events, audit, notes, requestLog, logs } = createRecording(
    settings,
    storage,
    secrets,
    disk,
    log,
    dependencies.startLogWorker,
  );
  const changes = createChanges(db, log);
  const directory = createTenantDirectory({
    ...{ db, secrets, changes, log },
    secretMemory: () => inference.secretMemory,
  });
  const keyUses = createKeyUses({ db, existing: (ids) => existingKeys(db, ids), now, log });
  const onUse = keyUses.note;
  const sightings = createSightings(db, { now, log });
  const onSignInUse = sightings.note;
  const uses = { onUse, onSignInUse };
  const access = createAccess({ settings, db, secrets, changes, directory, sleep, now, log, ...uses });
  const { signingKeys, issuers, throttle } = access;
  const bodies = createBodyBudget(bodyLimits(settings));
  const ownPorts = new Set<number>();
  let isStopping = false;
  const limits = createLimitEngine({
    store: createCounterStore(() => nativeDb(db)),
    leaseMs: settings.callLimits.leaseMs,
    journalDirectory: join(settings.storage.dataDirectory, 'limits'),
    onRead: (slot) => alarms.watch(slot),
    log,
  });
  const inference = createInference({
    authenticate: access.forInference,
    directory,
    requestLog,
    bodies,
    limitEngine: limits,
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
  const files = createFileService(settings, { db, leases, now, log });
  forgetDeletedFiles(db, files);
  const { mail, webhooks, alarms, keyUpkeep } = createNotices({
    ...{ settings, db, secrets, changes, audit, events, leases, now, log },
    http: inference.http,
    hostPolicy: inference.hostPolicy,
  });
  const mcp = createMcp({
    ...{ settings: settings.mcp, db, secrets, changes, audit, leases, now, log },
    ...{ directory, signingKeys },
    ...{ send: inference.http.fetch, hostPolicy: inference.hostPolicy, secretMemory: inference.secretMemory },
  });
  const mcpDoor = createMcpServing({
    ...{ settings, db, secrets, changes, directory, requestLog, bodies, signingKeys, now, log },
    ...{ send: inference.http.send, fetch: inference.http.fetch, hostPolicy: inference.hostPolicy },
    secretMemory: inference.secretMemory,
    ...{
      tokens: mcp.tokens,
      oauth: mcp.oauth,
      connections: mcp.connections,
      snapshot: mcp.snapshot,
      readAgain: mcp.readAgain,
      authenticate: access.forMcp,
    },
    ...{ limitEngine: limits, checkHouse: inference.checkHouse },
  });
  const keepResponse: ResponseKeeper = (call) => assistants.keepResponse(call);
  const dataplanes = createDataplanes({ inference, access, keepResponse, toolRunner: mcpDoor.toolRunner });
  const { dataplane } = dataplanes;
  const assistants = createAssistants({
    ...{ settings, db, dataplane: dataplanes.onBehalf, files, directory, changes, secrets, leases, now, log },
    serverTools: mcpDoor.serverTools(access.onBehalf),
    furtherTools: dependencies.hostedTools ?? [],
  });
  const { boxes, codeTool, knowledge, runs, batches, threads } = assistants;
  const databaseUp = () => db.readyState === 1 && !changes.isStale();
  const startedAt = now();
  const services = {
    db,
    secrets,
    changes,
    audit,
    events,
    logs,
    log,
    secretManagers: inference.secretManagers,
    signingKeys,
    throttle,
    leases,
    mail,
    webhooks,
    limitAlarms: alarms,
    keyUses,
    exports,
    files,
    batches,
    runs,
    threadErasure: threads.erasure,
    mcp: { ...mcp, healthOf: mcpDoor.healthOf },
    knowledge,
    vectorStores: settings.vectorStores,
    probe: createProbe(inference),
    guardrails: { lookup: directory, checkHouse: inference.checkHouse },
    checkAdmission: createAdmissionCheck(inference, (organisationId, ids) =>
      countersById(nativeDb(db), organisationId, ids),
    ),
    now,
    installation: createInstallationFacts(db, () =>
      runningFacts({ settings, startedAt, databaseUp: databaseUp(), requestLog, remotes: doors.remotes }),
    ),
    ...ownership,
    requestLogs: settings.requestLogs,
    identity: settings.identity,
  };
  const createContext = (principal: Principal | null, request: IncomingMessage): GraphContext => ({
    ...services,
    operations: doors.operations,
    principal,
    request: requestFacts(request),
    memo: new Map(),
  });
  const proxies = createProxyTrust(settings.trustedProxies);
  const aliases = createHeaderAliases(settings.headerPrefixAliases);
  const doors = createDoors({
    settings,
    authenticate: access.at,
    authenticateSignIn: access.atConsole,
    consoleDocuments:
      dependencies.consoleDocuments === undefined
        ? createConsoleDocuments(settings.console.directory)
        : dependencies.consoleDocuments,
    authenticateAccount: access.ofAccount,
    throttle,
    createContext,
    bodies,
    aliases,
    log,
  });
  const { remotes, subscriptions, graphHttp, consoleGraph, standalone, rest, oauth2, scim, reference } =
    doors;
  const consoleDoor = createConsoleDoor({
    settings,
    secrets,
    directory,
    bodies,
    graphHttp: consoleGraph,
    dataplane: dataplanes.ofConsole,
    rest,
    authenticate: access.atConsole,
    createContext,
    now,
    log,
  });
  const routersOnly = settings.subgraphs.listen;
  const metrics = createMetrics(
    [
      ...dataplaneGauges({ ...inference, realtime }),
      ...requestLogGauges(requestLog),
      ...limits.gauges,
      ...graphGauges({ open: () => sumOf(subscriptions.map(({ open }) => open())) }, remotes),
      changesGauge(changes),
      secretGauge(inference.secretMemory),
      bodyGauge(bodies),
      throttleGauge(throttle),
    ],
    requestLog.metrics,
    [mcpDoor.metrics],
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
    files,
    mail,
    webhooks,
    alarms,
    limits,
    keyUpkeep,
    keyUses,
    inference.breakers,
    logs,
    inference.cache,
    inference.http,
    inference.checkHouse,
    inference.secretMemory,
    issuers,
    throttle,
    sightings,
    boxes,
    codeTool,
    knowledge,
    runs,
    threads.retention,
    mcp,
    mcpDoor,
    batches,
    remotes,
    graphHttp,
    consoleGraph,
    standalone,
    ...subscriptions,
  ];

  return {
    handle: allowOrigins(
      settings.corsOrigins,
      proxies.around(
        aliases.around(
          createListener({
            dataplane,
            rest,
            oauth2,
            scim,
            reference,
            graphHttp,
            console: consoleDoor,
            mcp: mcpDoor,
            authorize: createAuthorizeDoor({
              ...{ settings, directory, bodies, snapshot: mcp.snapshot, createContext },
            }),
            standalone: routersOnly ? null : standalone,
            metrics,
            isReady: () => ({
              ...readiness({
                databaseUp: databaseUp(),
                diskFull: disk.isFull(),
                limitsLost: limits.isLost(),
                clockSkew: limits.clockSkew(),
                isStopping,
              }),
              ...(remotes && { subgraphs: remotes.states() }),
            }),
            seesOperations: createOperationsAccess(settings.metricsToken),
            log,
          }),
        ),
      ),
    ),
    subgraphListener:
      standalone && routersOnly
        ? {
            handle: proxies.around(aliases.around(createSubgraphListener({ standalone, metrics }))),
            ...routersOnly,
          }
        : null,
    handleUpgrade: createUpgradeListener({
      adopt(request) {
        proxies.adopt(request);
        aliases.adopt(request);
      },
      graph: doors.handleUpgrade,
      realtime,
    }),
    listensOn: (port) => void ownPorts.add(port),
    announceStop: () => {
      isStopping = true;
    },
    endCalls: () => void inference.http.stop(),
    async endSubscriptions() {
      mcpDoor.endStreams();
      await Promise.all([...subscriptions.map(({ stop }) => stop()), realtime.stop()]);
    },
    start: () => startAll(lifecycle),
    settle: () => requestLog.drain(),
    stop: () => stopAll(lifecycle),
  };
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function bodyLimits({ limits }: Settings): { sum: number; largest: number } {
  const { maxBodyBytes, maxJsonBytes, maxReplayBytes, bodyMemoryBytes } = limits;
  return { sum: bodyMemoryBytes, largest: Math.min(maxBodyBytes, Math.max(maxJsonBytes, maxReplayBytes)) };
}
