import { resolve } from 'node:path';
import { isLoopbackHost } from '../lib/http/addresses.ts';
import { hostnameOf } from '../lib/http/custom-host.ts';
import { boxServerOf, missingOfBoxServer } from './assistants/code-interpreter.ts';
import { runSlotsOf } from './assistants/runs.ts';
import { type EnvironmentValues, environmentOf } from './environment.ts';
import { exportBucket, mistakesOfContents } from './exports.ts';
import { anyHouse, type House } from './house.ts';
import { cloudIdentityOf, lentIdentityOf } from './identity/cloud-identity.ts';
import { secretManagersOf } from './identity/secret-managers.ts';
import { mailServerOf, missingOfMail } from './mail.ts';
import type { Settings } from './settings.ts';
import { collectorOf } from './traces.ts';

export type { CloudIdentity } from './identity/cloud-identity.ts';
export type { Settings } from './settings.ts';

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
  const mistakes = [
    ...(parsed.error?.issues ?? []),
    ...mistakesOfContents(given),
    ...missingOfMail(given),
    ...missingOfBoxServer(given),
  ];
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
      models: {
        rerank: values.VECTOR_STORE_RERANK_MODEL ?? null,
        rewrite: values.VECTOR_STORE_REWRITE_MODEL ?? null,
      },
      cacheBytes: values.VECTOR_CACHE_BYTES,
      engine:
        values.QDRANT_URL === undefined
          ? null
          : {
              url: values.QDRANT_URL,
              apiKey: values.QDRANT_API_KEY ?? null,
              prefix: values.QDRANT_COLLECTION_PREFIX,
            },
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
    exports: { bucket: exportBucket(values), isInDatabase: values.CONTENTS_IN_DATABASE },
    files: {
      maxBytes: values.FILE_MAX_BYTES,
      workspaceBytes: values.FILE_WORKSPACE_BYTES,
      scanUrl: values.FILE_SCAN_URL ?? null,
      batchCallsAtOnce: values.BATCH_CALLS_AT_ONCE,
    },
    runs: runSlotsOf(values),
    threadRetentionDays: values.THREAD_RETENTION_DAYS ?? null,
    codeInterpreter: {
      runs: values.CODE_INTERPRETER,
      python: values.CODE_INTERPRETER_PYTHON,
      server: boxServerOf(values),
      token: values.CODE_INTERPRETER_TOKEN ?? null,
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
