import type { LogLevel } from '../lib/logger.ts';
import type { EmbeddingSettings } from './cache.ts';
import type { S3Bucket } from './exports.ts';
import type { RemoteSubgraph } from './graph/remote-subgraphs.ts';
import type { CloudIdentity } from './identity/cloud-identity.ts';
import type { ConsoleOidc } from './identity/console-oidc.ts';
import type { JwtIssuer } from './identity/jwt-issuers.ts';
import type { SecretManagerSettings } from './identity/secret-managers.ts';
import type { MailServerSettings } from './mail.ts';
import type { OtlpCollector } from './traces.ts';

/** Everything an operator can set, read once. No other file reads the environment. */
export type Settings = {
  listen: { host: string; port: number };
  /** Processes that answer requests. */
  workers: number;
  subgraphs: {
    /** Names of the built-in subgraphs that this process serves; null for all. */
    served: string[] | null;
    /** What a federation router sends to be let in at `/subgraphs/<name>/graphql`. */
    routerSecret: string | null;
    /** A listener of its own for these endpoints; null puts them, behind the secret, on the main one. */
    listen: { host: string; port: number } | null;
  };
  /** Prefixes, in lower case, that stand for `x-gateway-`. */
  headerPrefixAliases: string[];
  storage: {
    dataDirectory: string;
    /** Null starts the embedded store in the data directory. */
    mongodbUri: string | null;
    /** Null reads, or on first start makes, `DATA_DIR/encryption.key`. */
    encryptionKey: Buffer | null;
  };
  limits: {
    /** Bytes of the largest request body on the data plane. */
    maxBodyBytes: number;
    /** Bytes of the largest JSON body: it is parsed while everybody waits. */
    maxJsonBytes: number;
    /** Bytes up to which a body that is not JSON is held in memory, so that it can be sent again on retry or fallback. */
    maxReplayBytes: number;
    /** Bytes of request bodies that one process holds in memory at the same time, at all doors. */
    bodyMemoryBytes: number;
  };
  callLimits: {
    /** Milliseconds of its demand that a process takes out of a limit's counter beforehand. */
    leaseMs: number;
    /** Milliseconds for which calls wait for a budget that others hold, where a limit says nothing else. */
    waitMs: number;
    /** Output tokens that a call without a cap of its own gets under a limit in cost or tokens, at most. */
    defaultOutputCap: number;
  };
  openCalls: {
    /** Calls that one process may have on their way to providers; null: as many as its open files allow. */
    total: number | null;
    /** The same of one credential; null: three quarters of them, 4000 at most. */
    perKey: number | null;
  };
  upstream: {
    /** Milliseconds for the TCP and TLS handshake with a provider. */
    connectTimeout: number;
    /** Private hosts that callers may name as custom host. */
    trustedHosts: string[];
    /** Redirects to other places on paths that are passed on: the caller gets them, or a 502. */
    redirects: 'pass' | 'refuse';
    /** Who the gateway itself is in a cloud; null lends that to nobody. */
    cloudIdentity: CloudIdentity | null;
  };
  cache: {
    /** Seconds that an answer is kept where its config does not say, and the most where it does; null: a week, and ninety days. */
    maxAge: number | null;
    /** Bytes of kept answers in the memory of one process. */
    memoryBytes: number;
    /** Null: semantic caches compare equal questions only. */
    embeddings: EmbeddingSettings | null;
    /** Cosine above which two questions count as the same. */
    threshold: number;
  };
  vectorStores: {
    /** The model that makes the vectors of new stores, as calls name it; `local` needs none. */
    embeddingModel: string;
    /** Numbers of a vector that it is asked for; null: as many as it gives. */
    embeddingDimensions: number | null;
    /** The models that rank results and rewrite queries, as calls name them; null for none. */
    models: { rerank: string | null; rewrite: string | null };
    /** Bytes of the indexes that one process keeps. */
    cacheBytes: number;
    /** The engine that keeps the index of all processes; null where each has its own. */
    engine: { url: string; apiKey: string | null; prefix: string } | null;
  };
  /** Requests may name configs, providers and hosts only by what an administrator has saved. */
  savedConfigsOnly: boolean;
  /** Origins whose pages may call from a browser; `*` stands for all. */
  corsOrigins: string[];
  headers: {
    /** Lower-case names of headers that become metadata of their request. */
    toMetadata: string[];
    /** Lower-case names of headers that no proxied request takes to its provider. */
    toIgnore: string[];
  };
  requestLogs: {
    /** Lower-case names of headers whose values no log shows, beside those that look like secrets. */
    maskedHeaders: string[];
    bodies: 'full' | 'none';
    maxBodyBytes: number;
    retentionDays: number;
    bodyRetentionDays: number;
  };
  exports: {
    /** Where finished log exports and files go; null keeps them in the data directory. */
    bucket: S3Bucket | null;
    /** Whether they lie in the database instead. */
    isInDatabase: boolean;
  };
  files: {
    /** Bytes of the largest file that one request brings. */
    maxBytes: number;
    /** Bytes of all files of a workspace. */
    workspaceBytes: number;
    /** Where a scanner is asked about files that callers bring; null for nowhere. */
    scanUrl: string | null;
    /** Calls that one process makes for batches at the same time. */
    batchCallsAtOnce: number;
  };
  runs: {
    /** Runs that one process executes at a time, and those of one workspace among them. */
    slots: { all: number; ofWorkspace: number };
    /** Runs of a workspace that may wait for a place. */
    mostQueued: number;
  };
  /** Days after which a thread is erased on which nothing was said since; null for never. */
  threadRetentionDays: number | null;
  codeInterpreter: {
    /** `deno`: Pyodide in Deno; `native`: Python of this machine in bubblewrap; `remote`: on box servers; `off`: none. */
    runs: 'deno' | 'native' | 'remote' | 'off';
    /** The path of the native Python. */
    python: string;
    /** The box server of `remote`; null for the others. */
    server: { url: URL; token: string } | null;
    /** What a box server asks for; null where none is run here. */
    token: string | null;
    /** Containers of threads that one process keeps at a time. */
    places: number;
    /** Whether one more is kept ready once one was taken. */
    keepsWarm: boolean;
  };
  graph: {
    /** Whether browsers see Apollo Sandbox, which runs scripts from Apollo's CDN. */
    sandbox: boolean;
    introspection: boolean;
    maxDepth: number;
    maxCost: number;
    /** Milliseconds that an operation and the body it comes in may take. */
    timeout: number;
    /** File with the only documents that may run; null lets any run. */
    trustedDocuments: string | null;
  };
  console: {
    /** Whether there is anything at `/console`. */
    isOn: boolean;
    /** Folder with the built console. */
    directory: string;
  };
  remoteSubgraphs: {
    list: RemoteSubgraph[];
    /** Milliseconds between two looks at a remote subgraph's SDL. */
    pollInterval: number;
  };
  identity: {
    /** Where callers reach this installation, without a slash at the end; null answers with the address that they asked at. */
    publicUrl: string | null;
    /** Of the names of service accounts: `<name>@<tsg_id>.iam.<domain>`. */
    serviceAccountDomain: string;
    jwtIssuers: JwtIssuer[];
    /** Where people sign in to the console; null: by links and credentials alone. */
    consoleOidc: ConsoleOidc | null;
  };
  mcp: {
    /** Where callers reach MCP servers, without a slash at the end; null is the address of the installation. */
    baseUrl: string | null;
    /** Milliseconds between two readings of what each server offers; 0 for never. */
    syncMs: number;
    /** Requests that have a row in the log: all, or those alone that go to a server. */
    logs: 'all' | 'calls';
    /** Schemes of addresses at which programs on people's machines take the answers to authorizations. */
    redirectSchemes: string[];
    /** Hosts whose documents describe clients; null for every public one. */
    clientHosts: string[] | null;
  };
  /** Addresses and networks of proxies whose word about clients counts. */
  trustedProxies: string[];
  /** Who sends the gateway's mails; null keeps them in the outbox. */
  mailServer: MailServerSettings | null;
  secretManagers: SecretManagerSettings;
  /** What is told of every try at a provider; null tells nobody. */
  traceCollector: OtlpCollector | null;
  /** Shows metrics and the details of readiness to those who are not on this machine; null shows them to nobody else. */
  metricsToken: string | null;
  logLevel: LogLevel;
  /** Milliseconds after SIGTERM in which new requests are still taken. */
  drainDelay: number;
  /** Milliseconds that open requests get after that. */
  shutdownTimeout: number;
};
