import type { IncomingHttpHeaders } from 'node:http';
import type { Connection, Model } from 'mongoose';
import type { Principal, Throttle } from '../auth/index.ts';
import type { BatchEngine } from '../batches/index.ts';
import type { AdmissionCheck } from '../dataplane/admission/admission.ts';
import type { Probe } from '../dataplane/probe/probe.ts';
import type { FileService } from '../files/index.ts';
import type { CheckHouse } from '../guardrails/engine/index.ts';
import type { GuardrailLookup } from '../guardrails/index.ts';
import type { Knowledge } from '../knowledge/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { LimitAlarms } from '../limits/alarms/index.ts';
import type { Outbox } from '../mail/index.ts';
import type { McpHouse, McpServed } from '../mcp/index.ts';
import type { McpSnapshot } from '../mcp/snapshot/index.ts';
import type { AuditTrail } from '../recording/audit/trail.ts';
import type { KeyUses } from '../recording/key-use/index.ts';
import type { LogWriter } from '../recording/log/writer.ts';
import type { ThreadErasure } from '../runs/erasure/index.ts';
import type { RunEngine } from '../runs/index.ts';
import type { SecretManagers } from '../secret-managers/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Changes } from '../storage/changes.ts';
import type { Contents } from '../storage/contents/index.ts';
import type { Events } from '../storage/events/index.ts';
import type { Leases } from '../storage/leases.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { SigningKeys } from '../storage/signing-keys/index.ts';
import type { Webhooks } from '../webhooks/index.ts';
import type { InstallationFacts } from './installation-facts.ts';

/** What is known of the HTTP request that an operation came with. */
export type RequestFacts = {
  id: string;
  method: string;
  /** Path without the query string. */
  path: string;
  /** Query string without the question mark. */
  query: string;
  headers: IncomingHttpHeaders;
  clientIp: string;
  /** Where a trusted proxy says that the client is: two letters, or null. */
  country: string | null;
  /** Base URL of the address at which the connection came in. */
  arrivedAt(): string;
};

export type AuditedDocuments = {
  // biome-ignore lint/suspicious/noExplicitAny: each model has its own document type
  model: (db: Connection) => Model<any>;
  /** The part of a query that says which of them a credential reaches; absent, those of its organisation and workspace. */
  reach?: (principal: Principal) => object;
};

/** Long-lived things that services need; built once by `createApp`. */
export type ServiceDependencies = {
  db: Connection;
  secrets: Secrets;
  changes: Changes;
  audit: AuditTrail;
  /** What subscribers are told, in this process and the others. */
  events: Pick<Events, 'append' | 'subscribe' | 'newest' | 'after'>;
  /** Models whose documents keep their workspace from being deleted. */
  // biome-ignore lint/suspicious/noExplicitAny: each model has its own document type
  workspaceOwned: ((db: Connection) => Model<any>)[];
  /** Models whose documents are deleted with their workspace. */
  // biome-ignore lint/suspicious/noExplicitAny: each model has its own document type
  goingWithWorkspace: ((db: Connection) => Model<any>)[];
  /** Where the documents of a resource are, by the first part of its audited actions (`api_key`). */
  audited: ReadonlyMap<string, AuditedDocuments>;
  /** These, and the models whose documents keep their organisation's tenant from being deleted. */
  // biome-ignore lint/suspicious/noExplicitAny: each model has its own document type
  organisationOwned: ((db: Connection) => Model<any>)[];
  /** Stores logs of requests that did not pass through here. */
  logs: Pick<LogWriter, 'write' | 'settle'>;
  /** Retention and size bounds of request logs. */
  requestLogs: Settings['requestLogs'];
  /** Where the contents of log exports are, and what looks for those that were started. */
  exports: { files: Contents; wake(): void };
  /** Works on batches. */
  batches: Pick<BatchEngine, 'create' | 'cancel'>;
  /** The files of all workspaces, and uploads that become some. */
  files: Omit<FileService, 'start' | 'stop' | 'tidy'>;
  /** Where secret references lead. */
  secretManagers: SecretManagers;
  /** What access tokens are signed with. */
  signingKeys: Pick<SigningKeys, 'current' | 'published'>;
  /** Where this installation is reached, and the domain of its service accounts. */
  identity: Settings['identity'];
  /** Slows down whoever brings a wrong secret to a service. */
  throttle: Pick<Throttle, 'isSlowed' | 'isAddressSlowed' | 'refuse' | 'slow'>;
  /** When keys were used, as far as this process has not written it yet. */
  keyUses: Pick<KeyUses, 'unwritten'>;
  /** Tells people of what happened. */
  mail: Outbox;
  /** Tells programs outside of what happened. */
  webhooks: Webhooks;
  /** What happens to limits, for whoever is told of it. */
  limitAlarms: Pick<LimitAlarms, 'raise'>;
  /** For work that must not run twice at the same time, in whatever process. */
  leases: Leases;
  /** The installation that this process belongs to. */
  installation: InstallationFacts;
  /** Executes runs of assistants. */
  runs: Pick<
    RunEngine,
    | 'create'
    | 'submit'
    | 'cancel'
    | 'current'
    | 'activeRun'
    | 'follow'
    | 'forgetRun'
    | 'forgetThread'
    | 'hostedTools'
  >;
  /** Removes conversations for good. */
  threadErasure: ThreadErasure;
  /** Indexes the files of vector stores and searches them. */
  knowledge: Omit<Knowledge, 'start' | 'stop'>;
  /** How new vector stores are made. */
  vectorStores: Settings['vectorStores'];
  /** Asks a provider one small question. */
  probe: Probe;
  /** Guardrails as calls have them in memory, and what their checks run with. */
  guardrails: { lookup: GuardrailLookup; checkHouse: CheckHouse };
  /** What reaches MCP servers, those of them in memory that calls may use, and how they answer. */
  mcp: McpHouse & { snapshot: Pick<McpSnapshot, 'server'> } & Pick<McpServed, 'healthOf'>;
  /** Says what limits would do to a call. */
  checkAdmission: AdmissionCheck;
  /**
   * Runs other fields of the graph for a caller, so that their scopes, bounds and audit entries hold. A document has one
   * root field, called `result`.
   */
  operations: {
    /** False where this process does not serve the subgraph of the document. */
    knows(document: string): boolean;
    run<T>(document: string, variables: Record<string, unknown>, context: GraphContext): Promise<T>;
  };
  log: Logger;
  now: () => Date;
};

/** What every resolver and service gets: who calls, with what request, and the services' dependencies. */
export type GraphContext = ServiceDependencies & {
  principal: Principal | null;
  request: RequestFacts;
  /** Takes events that answer the request in place of the value; absent where the door cannot send any. */
  answerEvents?: (events: AsyncIterable<{ event: string; data: unknown }>) => void;
  /** Aborts when the client is gone. */
  signal?: AbortSignal;
  /** When the resource that is to be changed was last updated: a write of it fails once that is another moment. */
  unchangedSince?: Date;
  /** Per-request values (loaders), keyed by the factory that makes them. */
  memo: Map<unknown, unknown>;
};

/** Makes a value once per request: `const configById = perRequest((context) => new DataLoader(...))`. */
export function perRequest<T>(create: (context: GraphContext) => T): (context: GraphContext) => T {
  return (context) => {
    if (!context.memo.has(create)) context.memo.set(create, create(context));
    return context.memo.get(create) as T;
  };
}
