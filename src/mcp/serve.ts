import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import type { DoorAuthenticate } from '../authentication/authenticate.ts';
import type { ToolRunner } from '../dataplane/own-tools/runner.ts';
import type { Send } from '../dataplane/send/upstream.ts';
import type { Directory } from '../directory/memory.ts';
import type { CheckHouse } from '../guardrails/engine/index.ts';
import type { BodyBudget } from '../lib/bodies/index.ts';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import type { LimitEngine } from '../limits/engine.ts';
import type { RequestLog } from '../recording/log/thread/log-thread.ts';
import type { SecretMemory } from '../secret-managers/memory.ts';
import type { Settings } from '../settings/index.ts';
import type { Changes } from '../storage/changes.ts';
import { nativeDb } from '../storage/native-db.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { SigningKeys } from '../storage/signing-keys/index.ts';
import type { ClientTokens } from './auth/index.ts';
import type { McpConnections } from './connections/index.ts';
import { tellChanges } from './door/changes-told.ts';
import { createMcpAuthenticate, createMcpDoor, type DoorDependencies, type McpDoor } from './door/index.ts';
import { McpStreams } from './door/open-streams.ts';
import { createToolGuardrails } from './governance/guardrails.ts';
import { createToolLimits } from './governance/limits.ts';
import { createMessageGuards } from './governance/message-guards.ts';
import { createProofs, withIdentity } from './identity/index.ts';
import { createBreaker } from './lines/breaker.ts';
import { createHandshakes } from './lines/handshake.ts';
import { createHealthBook, type UpstreamHealth } from './lines/health.ts';
import { createLines } from './lines/lines.ts';
import { createOwnViews, type OffersTo } from './lines/own-views.ts';
import { createSharedCredentials } from './lines/shared-credentials.ts';
import { createSubscribe } from './lines/subscription.ts';
import { createUserCredentials } from './lines/user-credentials.ts';
import { createUpstreamWatch } from './lines/watch.ts';
import { withMock } from './mock/index.ts';
import {
  createApprovals,
  createResultsBeside,
  createServerTools,
  createToolRunner,
  createVerdictUses,
  type RunToolsDependencies,
  type ServerTools,
} from './models/index.ts';
import type { McpOauth } from './oauth/index.ts';
import type { RelayCall } from './relay/call.ts';
import { createInterim } from './relay/interim.ts';
import { createRelay, createResume, type RelayDependencies } from './relay/relay.ts';
import {
  createEventSeal,
  createReplies,
  createResourceLinks,
  createSessionDurations,
  createSessionSeal,
  createSessionStore,
  createTaskSeal,
} from './session/index.ts';
import type { McpSnapshot } from './snapshot/index.ts';
import { createUpstreamWire, judging } from './upstream/index.ts';

export type McpServing = {
  settings: Pick<Settings, 'mcp' | 'identity' | 'listen' | 'corsOrigins' | 'requestLogs'>;
  db: Connection;
  secrets: Secrets;
  changes: Changes;
  send: Send;
  /** For servers of 2024-11-05. */
  fetch: typeof fetch;
  hostPolicy: HostPolicy;
  secretMemory: SecretMemory;
  signingKeys: Pick<SigningKeys, 'current'>;
  tokens: ClientTokens;
  oauth: Pick<McpOauth, 'tokens'>;
  connections: Pick<McpConnections, 'live'>;
  offersTo: OffersTo;
  snapshot: McpSnapshot;
  /** Has the server behind an integration read again. */
  readAgain(id: string): void;
  directory: Pick<Directory, 'workspaces' | 'users' | 'limitsOf' | 'guardrailsOf' | 'guardrailById'>;
  limitEngine: LimitEngine;
  /** How checks of guardrails run. */
  checkHouse: CheckHouse;
  authenticate: DoorAuthenticate;
  requestLog: RequestLog;
  bodies: BodyBudget;
  now: () => Date;
  log: Logger;
};

export type McpServed = McpDoor & {
  /** Runs tools for models. `ask`: has the data plane answer a call of this process. */
  toolRunner(ask: RunToolsDependencies['ask']): ToolRunner;
  /** Runs tools for runs. `authenticate`: knows whoever began one. */
  serverTools(authenticate: DoorAuthenticate): ServerTools;
  /** The same door for other credentials; whoever has it in use sees to it that no foreign page asks. */
  doorFor(authenticate: DoorAuthenticate): McpDoor;
  /** How the server behind an integration answers; null for one that this process has not asked. */
  healthOf(integrationId: string): UpstreamHealth | null;
  /** Metrics that no row of the log gives. */
  metrics: Registry;
  start(): Promise<void>;
  stop(): void;
};

/** Everything that answers callers of MCP servers. */
export function createMcpServing(given: McpServing): McpServed {
  const { settings, db, secrets, changes, hostPolicy, snapshot, directory, requestLog, bodies } = given;
  const { readAgain, now, log } = given;
  const baseUrl = settings.mcp.baseUrl ?? settings.identity.publicUrl;
  const wire = withMock(createUpstreamWire(given.send, hostPolicy));
  const sessions = createSessionStore({
    sessions: () => nativeDb(db).collection('mcp_sessions'),
    ...{ secrets, changes, now },
  });
  const durations = createSessionDurations();
  const replies = createReplies(() => nativeDb(db).collection('mcp_replies'), secrets);
  const { users } = directory;
  const proofs = createProofs({
    services: given.checkHouse.services,
    secretMemory: given.secretMemory,
  });
  const proveIdentity = proofs.prove;
  const signedIn = createUserCredentials({
    shared: createSharedCredentials(given),
    connections: given.connections,
    ...{ secrets, now: () => now().getTime() },
  });
  const credentials = withIdentity(signedIn, {
    ...{ prove: proofs.lately, users, signingKeys: given.signingKeys, now },
  });
  const handshakes = createHandshakes(wire, log);
  const breaker = createBreaker(() => performance.now());
  const health = createHealthBook(breaker, now);
  const lines = createLines(handshakes, sessions);
  const events = createEventSeal(secrets);
  const tasks = createTaskSeal(secrets);
  const links = createResourceLinks(() => nativeDb(db).collection('mcp_links'), log, now);
  const relaying: RelayDependencies = {
    ...{ events, tasks, links, readAgain },
    ...{ wire, credentials, lines, breaker, health, replies, interim: createInterim(wire, readAgain, log) },
    fetch: judging(given.fetch, hostPolicy),
    limits: createToolLimits(directory, given.limitEngine, log),
    guardrails: createToolGuardrails(directory, given.checkHouse),
  };
  const relay = createRelay(relaying);
  const pagesUrl = settings.identity.publicUrl;
  const authenticateBy = (authenticate: DoorAuthenticate) =>
    createMcpAuthenticate({ authenticate, tokens: given.oauth.tokens, baseUrl, pagesUrl });
  const authenticate = authenticateBy(given.authenticate);
  const record = {
    ...{ requestLog, maxLoggedBytes: settings.requestLogs.maxBodyBytes, logs: settings.mcp.logs },
  };
  const subscribe = createSubscribe({ wire, credentials, log });
  const streams = new McpStreams(createUpstreamWatch(subscribe, readAgain));
  const telling = tellChanges({ changes, snapshot, authenticate, proveIdentity, streams, sessions, log });
  const doorDependencies: DoorDependencies = {
    async requireSignIn(server, { caller }) {
      if (server.upstream.authType === 'oauth_auto') await credentials.headersFor(server, caller);
    },
    ...{
      authenticate,
      streams,
      subscribe,
      replies,
      relay,
      sessions,
      durations,
      handshakes,
      credentials,
      wire,
      snapshot,
      bodies,
      readAgain,
      events,
      tasks,
      links,
      views: createOwnViews({
        ...{ offersTo: given.offersTo, connections: given.connections, now: () => now().getTime() },
      }),
      resume: createResume(relaying),
      log,
    },
    messageGuards: createMessageGuards(directory, given.checkHouse),
    seal: createSessionSeal(secrets, () => now().getTime()),
    record,
    running: new Map<string, RelayCall>(),
    isResting: breaker.isOpen,
    ...{ workspaces: directory.workspaces, proveIdentity },
    guard: { corsOrigins: settings.corsOrigins, listenHost: settings.listen.host },
    baseUrl,
  };
  const listenHost = settings.listen.host;
  return {
    ...createMcpDoor(doorDependencies),
    doorFor: (own) =>
      createMcpDoor({
        ...doorDependencies,
        authenticate: authenticateBy(own),
        guard: { corsOrigins: ['*'], listenHost },
      }),
    toolRunner: (ask) =>
      createToolRunner({
        ...{ ask, relay, record, snapshot, proveIdentity, pagesUrl },
        approvals: createApprovals(secrets, () => now().getTime()),
        usesIn: createVerdictUses(() => nativeDb(db).collection('mcp_verdicts'), secrets, log),
        beside: createResultsBeside(() => nativeDb(db).collection('mcp_replies'), secrets, now),
      }),
    serverTools: (authenticate) =>
      createServerTools({ authenticate, relay, record, snapshot, proveIdentity }),
    healthOf: health.of,
    metrics: durations.registry,
    start: sessions.start,
    stop: telling.stop,
  };
}
