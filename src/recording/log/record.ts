import type { Binary } from 'mongodb';

/** Collections of request logs. */
export const LOGS_COLLECTION = 'logs';
export const LOG_BODIES_COLLECTION = 'log_bodies';

/** What the cache did about a call (spec/data-plane.md, section 4). */
export type CacheStatus = 'DISABLED' | 'MISS' | 'HIT' | 'SEMANTIC HIT' | 'SEMANTIC MISS' | 'REFRESH';

/** What happened on one attempt at one provider: the metadata of a request log, without headers and bodies. */
export type LogRecord = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  apiKeyId: string;
  userId: string | null;
  createdAt: Date;
  /** When the record may be removed by the store; null keeps it. */
  expiresAt: Date | null;

  traceId: string;
  spanId: string;
  spanName: string | null;
  parentSpanId: string | null;
  /** Parent of the request's span, of which the tries of a config with several targets are children. */
  callerSpanId: string | null;

  requestMethod: string;
  /** The path and query that the caller asked for. */
  requestUrl: string;
  /** `chatComplete`, `complete`, `embed`, `models` or `proxy`. */
  endpoint: string;
  isProxyCall: boolean;
  source: string | null;
  /** The SDK that made the request, in its own words. */
  runtime: string | null;
  runtimeVersion: string | null;
  sdkVersion: string | null;

  /** Provider kind, e.g. `openai`; null when no provider could be chosen. */
  aiProvider: string | null;
  aiModel: string | null;
  /** Catalogue provider that supplied the credential, when one did. */
  providerId: string | null;
  providerSlug: string | null;
  integrationId: string | null;
  configId: string | null;
  configSlug: string | null;
  configVersionId: string | null;
  /** `single`, `fallback`, `loadbalance` or `conditional`: the innermost strategy above the target. */
  mode: string;
  /** Index of the target in its group, 0 without one. */
  lastUsedOptionIndex: number;
  /** JSON path of the target in the config, e.g. `config.targets[1]`. */
  lastUsedOptionJsonPath: string;
  /** Retries used; -1 when they were used up or abandoned. */
  retryAttemptCount: number;

  responseStatusCode: number;
  isSuccess: boolean;
  /** 1 for a streamed answer, else 0. */
  streamMode: number;
  /** Milliseconds from the arrival of the request to the last byte of this target's answer. */
  responseTime: number;
  /** Milliseconds from sending the request upstream to the first byte of its body. */
  timeToFirstToken: number | null;
  /** Milliseconds that this target took, retries and waits included. */
  upstreamResponseTime: number;
  /** Milliseconds of `responseTime` in which no provider was at work; null for logs from elsewhere. */
  gatewayProcessingTime: number | null;

  cacheStatus: CacheStatus;
  /** Null where the call asked for no cache. */
  cacheMode: 'simple' | 'semantic' | null;

  /** Tokens as the provider counted them; null when it did not say. */
  promptTokens: number | null;
  completionTokens: number | null;
  totalTokens: number | null;
  /** Null where nobody counted; the gateway itself estimates nothing. */
  usageSource: 'provider' | null;
  /** What was used, in units of the price list that do not overlap (spec/data-plane.md, section 7.1); null without usage. */
  tokenClasses: Record<string, number> | null;
  /** Billionths of a US dollar, an integer so that sums do not drift; null where the price or the usage is not known. */
  costNanodollars: number | null;
  /** What an answer from the cache would have cost; null for every other. */
  savingsNanodollars: number | null;
  metadata: Record<string, string>;
  /** True when the caller hung up before the answer was complete. */
  clientAborted: boolean;
  /** Why the provider gave no complete answer, in the gateway's words. */
  error: string | null;
  /** The pack that holds headers and bodies; null when they are not stored. */
  bodiesId: string | null;
  /** The batch by which the record came into the store, and into the roll-ups; see `rollups/batches.ts`. */
  batchId: string | null;
};

/** Headers and bodies of a log, kept apart with a retention of their own. Headers are already redacted. What is optional is not stored where there was none. */
export type LogBodies = {
  expiresAt: Date | null;
  request: LogMessage;
  /** The body in the caller's format after the config's parameters, where it was then translated to another format. */
  finalUntransformedRequest?: LogMessage | undefined;
  /** What went to the provider, when it differs from what the caller sent. */
  transformedRequest: LogMessage | null;
  response: LogMessage;
  /** What the provider answered, where that was translated for the caller. */
  originalResponse?: LogMessage | undefined;
};

/** A log as it is handed to the store. */
export type LogEntry = { record: LogRecord; bodies: LogBodies | null };

/**
 * Bodies of several logs of one workspace in one document: a request then costs the store one small insert, and a look
 * at one log reads one member of one pack.
 */
export type LogBodiesPack = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  createdAt: Date;
  expiresAt: Date | null;
  /** Zstandard-compressed JSON: an object of `LogBodies` by the log's id. */
  entries: Binary;
};

export type LogMessage = {
  headers: Record<string, string>;
  /** Text as it went over the wire; null when there was none, when it is binary, or when bodies are not stored. */
  body: string | null;
  /** True when the stored text is only the beginning. */
  truncated: boolean;
};
