import { resolve } from 'node:path';
import { isLoopbackHost } from '../lib/http/addresses.ts';
import { hostnameOf } from '../lib/http/custom-host.ts';
import type { LogLevel } from '../lib/logger.ts';
import type { EmbeddingSettings } from './cache.ts';
import { type CloudIdentity, cloudIdentityOf, lentIdentityOf } from './cloud-identity.ts';
import type { ConsoleOidc } from './console-oidc.ts';
import { type EnvironmentValues, environmentOf } from './environment.ts';
import type { S3Bucket } from './exports.ts';
import { exportBucket, missingOfBucket } from './exports.ts';
import { anyHouse, type House } from './house.ts';
import type { JwtIssuer } from './jwt-issuers.ts';
import { type MailServerSettings, mailServerOf, missingOfMail } from './mail.ts';
import type { RemoteSubgraph } from './remote-subgraphs.ts';
import { type SecretManagerSettings, secretManagersOf } from './secret-managers.ts';
import { collectorOf, type OtlpCollector } from './traces.ts';

export type { CloudIdentity } from './cloud-identity.ts';

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
    /** Bytes of the indexes that one process keeps. */
    cacheBytes: number;
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
  };
  files: {
    /** Bytes of the largest file that one request brings. */
    maxBytes: number;
    /** Bytes of all files of a workspace. */
    workspaceBytes: number;
    /** Calls that one process makes for batches at the same time. */
    batchCallsAtOnce: number;
  };
  /** Days after which a thread is erased on which nothing was said since; null for never. */
  threadRetentionDays: number | null;
  codeInterpreter: {
    isOn: boolean;
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
  /** Milliseconds that open requests get after SIGTERM. */
  /** Milliseconds. */
  drainDelay: number;
  shutdownTimeout: number;
};

const builtConsole = resolve(import.meta.dirname, '../../console/dist');
const localHosts = ['localhost', '127.0.0.1', '::1', 'host.docker.internal'];

/** Thrown with every mistake in the environment at once, one line each. */
export class SettingsError extends Error {}

/** `house`: what names in the settings have to be known there. */
export function readSettings(
  env: Record<string, string | undefined> = process.env,
  house: House = anyHouse,
): Settings {
  // An empty variable means "not set", as in compose files and CI.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentOf(house).safeParse(given);
  const mistakes = [...(parsed.error?.issues ?? []), ...missingOfBucket(given), ...missingOfMail(given)];
  if (!parsed.success || mistakes.length > 0) {
    const lines = mistakes.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new SettingsError(`These settings are not valid:\n${lines.join('\n')}`);
  }
  const values = parsed.data;
  return {
    listen: { host: values.HOST, port: values.PORT },
    workers: values.WORKERS,
    subgraphs: {
      served: values.SUBGRAPHS ?? null,
      routerSecret: values.SUBGRAPH_SECRET ?? null,
      listen:
        values.SUBGRAPH_PORT === undefined
          ? null
          : { host: values.SUBGRAPH_HOST, port: values.SUBGRAPH_PORT },
    },
    headerPrefixAliases: values.HEADER_PREFIX_ALIASES,
    storage: {
      dataDirectory: resolve(values.DATA_DIR),
      mongodbUri: values.MONGODB_URI ?? null,
      encryptionKey: values.ENCRYPTION_KEY ?? null,
    },
    limits: {
      maxBodyBytes: values.MAX_BODY_BYTES,
      maxJsonBytes: values.MAX_JSON_BYTES,
      maxReplayBytes: values.MAX_REPLAY_BYTES,
      bodyMemoryBytes: values.BODY_MEMORY_BYTES,
    },
    callLimits: {
      leaseMs: values.LIMITS_LEASE_SECONDS * 1000,
      waitMs: values.LIMITS_WAIT_MS,
      defaultOutputCap: values.LIMITS_DEFAULT_OUTPUT_CAP,
    },
    openCalls: {
      total: values.MAX_OPEN_CALLS ?? null,
      perKey: values.MAX_OPEN_CALLS_PER_KEY ?? null,
    },
    upstream: {
      connectTimeout: values.CONNECT_TIMEOUT_MS,
      trustedHosts: trustedHosts(values),
      redirects: values.PROVIDER_REDIRECTS,
      cloudIdentity: lentIdentityOf(values),
    },
    cache: {
      maxAge: values.CACHE_MAX_AGE_SECONDS ?? null,
      memoryBytes: values.CACHE_MEMORY_BYTES,
      embeddings: values.SEMANTIC_CACHE_EMBEDDINGS ?? null,
      threshold: values.SEMANTIC_CACHE_THRESHOLD,
    },
    vectorStores: {
      embeddingModel: values.VECTOR_STORE_EMBEDDING_MODEL,
      embeddingDimensions: values.VECTOR_STORE_EMBEDDING_DIMENSIONS ?? null,
      cacheBytes: values.VECTOR_CACHE_BYTES,
    },
    savedConfigsOnly: values.SAVED_CONFIGS_ONLY,
    corsOrigins: values.CORS_ORIGINS,
    headers: { toMetadata: values.HEADERS_TO_METADATA, toIgnore: values.HEADERS_TO_IGNORE },
    requestLogs: {
      maskedHeaders: values.HEADERS_TO_MASK,
      bodies: values.LOG_BODIES,
      maxBodyBytes: values.LOG_BODY_MAX_BYTES,
      retentionDays: values.LOG_RETENTION_DAYS,
      bodyRetentionDays: values.LOG_BODY_RETENTION_DAYS,
    },
    exports: { bucket: exportBucket(values) },
    files: {
      maxBytes: values.FILE_MAX_BYTES,
      workspaceBytes: values.FILE_WORKSPACE_BYTES,
      batchCallsAtOnce: values.BATCH_CALLS_AT_ONCE,
    },
    threadRetentionDays: values.THREAD_RETENTION_DAYS ?? null,
    codeInterpreter: {
      isOn: values.CODE_INTERPRETER === 'deno',
      places: values.CODE_INTERPRETER_BOXES,
      keepsWarm: values.CODE_INTERPRETER_WARM,
    },
    graph: {
      sandbox: values.GRAPHQL_SANDBOX ?? values.NODE_ENV !== 'production',
      introspection: values.GRAPHQL_INTROSPECTION,
      maxDepth: values.GRAPHQL_MAX_DEPTH,
      maxCost: values.GRAPHQL_MAX_COST,
      timeout: values.GRAPHQL_TIMEOUT_MS,
      trustedDocuments: values.TRUSTED_DOCUMENTS ?? null,
    },
    console: { isOn: values.CONSOLE === 'on', directory: values.CONSOLE_DIR ?? builtConsole },
    remoteSubgraphs: { list: values.REMOTE_SUBGRAPHS ?? [], pollInterval: values.REMOTE_SUBGRAPH_POLL_MS },
    identity: {
      publicUrl: values.PUBLIC_URL ?? null,
      serviceAccountDomain: values.SERVICE_ACCOUNT_DOMAIN,
      jwtIssuers: values.JWT_ISSUERS ?? [],
      consoleOidc: values.CONSOLE_OIDC ?? null,
    },
    mcp: {
      baseUrl: values.MCP_BASE_URL ?? null,
      syncMs: values.MCP_SYNC_SECONDS * 1000,
      logs: values.MCP_LOGS,
      redirectSchemes: values.MCP_REDIRECT_SCHEMES,
      clientHosts: values.MCP_CLIENT_HOSTS ?? null,
    },
    trustedProxies: values.TRUSTED_PROXIES,
    mailServer: mailServerOf(values),
    secretManagers: secretManagersOf(values, cloudIdentityOf(values)),
    traceCollector: collectorOf(values),
    metricsToken: values.METRICS_TOKEN ?? null,
    logLevel: values.LOG_LEVEL,
    drainDelay: values.DRAIN_DELAY_MS,
    shutdownTimeout: values.SHUTDOWN_TIMEOUT_MS,
  };
}

/** Unset: this machine is trusted where nobody else can reach the gateway, and elsewhere nothing is. */
function trustedHosts(values: EnvironmentValues): string[] {
  if (values.TRUSTED_HOSTS === undefined) return isReachedFromHereAlone(values) ? localHosts : [];
  return values.TRUSTED_HOSTS.split(',')
    .map((host) =>
      host
        .trim()
        .toLowerCase()
        .replace(/^\[|\]$/g, ''),
    )
    .filter((host) => host !== '');
}

/** A public URL says that something on this machine, such as a reverse proxy, lets others in. */
function isReachedFromHereAlone({ HOST, PUBLIC_URL, NODE_ENV }: EnvironmentValues): boolean {
  if (NODE_ENV === 'production' || !isLoopbackHost(HOST)) return false;
  return PUBLIC_URL === undefined || isLoopbackHost(hostnameOf(new URL(PUBLIC_URL)));
}
