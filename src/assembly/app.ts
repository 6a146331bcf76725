import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Principal, sleep as realSleep } from '../auth/index.ts';
import { createConsoleDocuments } from '../console/documents.ts';
import { createAdmissionCheck } from '../dataplane/admission/check.ts';
import type { ResponseKeeper } from '../dataplane/keeping/keeper.ts';
import { createProbe } from '../dataplane/probe/probe.ts';
import { createRealtime } from '../dataplane/realtime/index.ts';
import { createHeaderAliases } from '../http/header-aliases.ts';
import { readiness } from '../http/readiness.ts';
import { requestFacts } from '../http/request-facts.ts';
import { createBodyBudget } from '../lib/bodies/index.ts';
import { countersById, createCounterStore, createLimitEngine } from '../limits/engine/index.ts';
import { createMcpServing } from '../mcp/index.ts';
import { createKeyUses } from '../recording/key-use/index.ts';
import { noteBeginning } from '../recording/rollups/beginning.ts';
import type { Settings } from '../settings/index.ts';
import { createChanges } from '../storage/changes.ts';
import { withPatientConnection } from '../storage/connection.ts';
import { createDiskWatch } from '../storage/disk-watch.ts';
import { createLeases } from '../storage/leases.ts';
import { checkMasterKey } from '../storage/master-key.ts';
import { nativeDb } from '../storage/native-db.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { existingKeys } from '../subgraphs/identity/api-key/index.ts';
import { createInstallationFacts } from '../subgraphs/identity/installation/facts.ts';
import { createSightings } from '../subgraphs/identity/sign-in/sightings.ts';
import { createLogExports } from '../subgraphs/insights/log-export/index.ts';
import { createAccess } from './access.ts';
import type { App, AppDependencies } from './app-contract.ts';
import { createAssistants } from './assistants.ts';
import { ensureCollections, ownership } from './collections.ts';
import { createDataplanes } from './dataplanes.ts';
import { createTenantDirectory } from './directory.ts';
import { createAuthorizeDoor, createConsoleDoor } from './doors/console.ts';
import { createDoors } from './doors/doors.ts';
import { createListeners } from './doors/listeners.ts';
import { createFileService, forgetDeletedFiles } from './files.ts';
import { createInference } from './inference.ts';
import { runningFacts } from './installation.ts';
import { type Lifecycle, startAll, stopAll } from './lifecycle.ts';
import { createMcp } from './mcp.ts';
import { createAppMetrics } from './metrics.ts';
import { createNotices } from './notices.ts';
import { createRecording } from './recording.ts';

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
      offersTo: mcp.offersTo,
      authenticate: access.forMcp,
    },
    ...{ limitEngine: limits, checkHouse: inference.checkHouse },
  });
  const keepResponse: ResponseKeeper = (call) => assistants.keepResponse(call);
  const dataplanes = createDataplanes({ inference, access, keepResponse, toolRunner: mcpDoor.toolRunner });
  const { dataplane } = dataplanes;
  const assistants = createAssistants({
    ...{ settings, db, dataplane: dataplanes.onBehalf, files, directory, changes, secrets, leases, now, log },
    openCalls: inference.openCalls.limits,
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
    ...{ throttle, changes },
    createContext,
    bodies,
    aliases,
    log,
  });
  const { remotes, subscriptions, graphHttp, consoleGraph, standalone, rest } = doors;
  const consoleDoor = createConsoleDoor({
    settings,
    secrets,
    directory,
    bodies,
    graphHttp: consoleGraph,
    dataplane: dataplanes.ofConsole,
    mcp: mcpDoor.doorFor(access.forConsoleInference),
    rest,
    authenticate: access.atConsole,
    createContext,
    now,
    log,
  });
  const metrics = createAppMetrics({
    ...{ inference, realtime, requestLog, limits, subscriptions, remotes, changes, bodies, throttle },
    mcpMetrics: mcpDoor.metrics,
  });
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
    threads.late,
    mcp,
    mcpDoor,
    batches,
    remotes,
    graphHttp,
    consoleGraph,
    standalone,
    ...subscriptions,
  ];

  const isReady = () => ({
    ...readiness({
      ...{ databaseUp: databaseUp(), diskFull: disk.isFull(), isStopping },
      ...{ limitsLost: limits.isLost(), clockSkew: limits.clockSkew() },
    }),
    ...(remotes && { subgraphs: remotes.states() }),
  });

  return {
    ...createListeners({
      ...{ settings, doors, dataplane, realtime, metrics, isReady, aliases, log },
      ...{ console: consoleDoor, mcp: mcpDoor },
      authorize: createAuthorizeDoor({ settings, directory, bodies, snapshot: mcp.snapshot, createContext }),
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

function bodyLimits({ limits }: Settings): { sum: number; largest: number } {
  const { maxBodyBytes, maxJsonBytes, maxReplayBytes, bodyMemoryBytes } = limits;
  return { sum: bodyMemoryBytes, largest: Math.min(maxBodyBytes, Math.max(maxJsonBytes, maxReplayBytes)) };
}
