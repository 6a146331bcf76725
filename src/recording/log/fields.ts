/** What the types of the table are in TypeScript. */
export type FieldTypes = {
  text: string;
  number: number;
  flag: boolean;
  time: Date;
  labels: Record<string, string>;
  counts: Record<string, number>;
};

/**
 * `default`: the value of a record that says nothing of it; null makes the field nullable, and without a default every
 * record sets the field. `oneOf`: all values of a text. `secret`: where a caller may have written a secret, which the log
 * masks. `isDerived`: the log works the field out away from the request, so that it does not cross to the log's thread.
 */
export type LogField = {
  type: keyof FieldTypes;
  default?: unknown;
  oneOf?: readonly string[];
  secret?: 'text' | 'url' | 'labels';
  isDerived?: true;
};

/**
 * The fields of a request log, in the order in which they are stored. Those that the store indexes come first: it reads a
 * document no further than it has to. The record's type, its form between threads and on disk, the shape in the store, the
 * masking of secrets and the blank record all follow from this table.
 */
export const fields = {
  _id: { type: 'text' },
  organisationId: { type: 'text' },
  workspaceId: { type: 'text' },
  createdAt: { type: 'time' },
  /** When the store may remove the record; null keeps it. */
  expiresAt: { type: 'time', default: null, isDerived: true },
  traceId: { type: 'text', secret: 'text' },

  apiKeyId: { type: 'text' },
  userId: { type: 'text', default: null },
  spanId: { type: 'text', secret: 'text' },
  spanName: { type: 'text', default: null, secret: 'text' },
  parentSpanId: { type: 'text', default: null, secret: 'text' },
  /** Parent of the request's span, of which the tries of a config with several targets are children. */
  callerSpanId: { type: 'text', default: null, secret: 'text' },

  requestMethod: { type: 'text' },
  /** The path and query that the caller asked for. */
  requestUrl: { type: 'text', secret: 'url' },
  /** `chatComplete`, `complete`, `embed`, `models`, `mcp` or `proxy`. */
  endpoint: { type: 'text' },
  isProxyCall: { type: 'flag', default: false },
  /** The caller's user agent, or `inserted` for a log from elsewhere. */
  source: { type: 'text', default: null, secret: 'text' },
  /** The SDK that made the request, in its own words. */
  runtime: { type: 'text', default: null, secret: 'text' },
  runtimeVersion: { type: 'text', default: null, secret: 'text' },
  sdkVersion: { type: 'text', default: null, secret: 'text' },

  /** Provider kind, e.g. `openai`; null when no provider could be chosen. */
  aiProvider: { type: 'text', default: null },
  aiModel: { type: 'text', default: null, secret: 'text' },
  /** Catalogue provider that supplied the credential, when one did. */
  providerId: { type: 'text', default: null },
  providerSlug: { type: 'text', default: null },
  integrationId: { type: 'text', default: null },
  configId: { type: 'text', default: null },
  configSlug: { type: 'text', default: null },
  configVersionId: { type: 'text', default: null },
  /** `single`, `fallback`, `loadbalance` or `conditional`: the innermost strategy above the target. */
  mode: { type: 'text', default: 'single' },
  /** Index of the target in its group, 0 without one. */
  lastUsedOptionIndex: { type: 'number', default: 0 },
  /** JSON path of the target in the config, e.g. `config.targets[1]`. */
  lastUsedOptionJsonPath: { type: 'text', default: 'config' },
  /** How the call came to the target, as `routing.ts` encodes it; null without a choice. */
  routing: { type: 'text', default: null },
  /** Retries used; -1 when they were used up or abandoned. */
  retryAttemptCount: { type: 'number', default: 0 },

  responseStatusCode: { type: 'number' },
  isSuccess: { type: 'flag' },
  /** 1 for a streamed answer, else 0. */
  streamMode: { type: 'number', default: 0 },
  /** Milliseconds from the arrival of the request to the last byte of this target's answer. */
  responseTime: { type: 'number' },
  /** Milliseconds from sending the request upstream to the first byte of its body. */
  timeToFirstToken: { type: 'number', default: null },
  /** Milliseconds that this target took, retries and waits included. */
  upstreamResponseTime: { type: 'number', default: 0 },
  /** Milliseconds of `responseTime` in which no provider was at work; null for logs from elsewhere. */
  gatewayProcessingTime: { type: 'number', default: null },

  /** What the cache did about a call. */
  cacheStatus: {
    type: 'text',
    oneOf: ['DISABLED', 'MISS', 'HIT', 'SEMANTIC HIT', 'SEMANTIC MISS', 'REFRESH'],
    default: 'DISABLED',
  },
  /** Null where the call asked for no cache. */
  cacheMode: { type: 'text', oneOf: ['simple', 'semantic'], default: null },

  /** Tokens as the provider counted them; null when it did not say. */
  promptTokens: { type: 'number', default: null, isDerived: true },
  completionTokens: { type: 'number', default: null, isDerived: true },
  totalTokens: { type: 'number', default: null, isDerived: true },
  /** Null where nobody counted; the gateway itself estimates nothing. */
  usageSource: { type: 'text', oneOf: ['provider'], default: null, isDerived: true },
  /** What was used, in units of the price list that do not overlap; null without usage. */
  tokenClasses: { type: 'counts', default: null, isDerived: true },
  /** Billionths of a US dollar, an integer so that sums do not drift; null where the price or the usage is not known. */
  costNanodollars: { type: 'number', default: null, isDerived: true },
  /** What the cost adds up from, as `pricing/cost-lines.ts` encodes it; null where nothing was billed. */
  costLines: { type: 'text', default: null, isDerived: true },
  /** What an answer from the cache would have cost; null for every other. */
  savingsNanodollars: { type: 'number', default: null, isDerived: true },
  metadata: { type: 'labels', default: {}, secret: 'labels' },
  /** True when the caller hung up before the answer was complete. */
  clientAborted: { type: 'flag', default: false },
  /** The limits that the attempts at the target were counted by, as `limits.ts` encodes them; null without any. */
  limits: { type: 'text', default: null },
  /** The limit that refused the call, as `limits.ts` encodes it; null where none did. */
  refusal: { type: 'text', default: null, secret: 'text' },
  /** What guardrails came to, as `guardrails.ts` encodes it; null where the call came under none. */
  guardrails: { type: 'text', default: null },
  /** What is known of a request to an MCP server, as `mcp.ts` encodes it; null for every other. */
  mcp: { type: 'text', default: null, secret: 'text' },
  /** Why the provider gave no complete answer, in the gateway's words. */
  error: { type: 'text', default: null, secret: 'text' },
  /** The pack that holds headers and bodies; null when they are not stored. */
  bodiesId: { type: 'text', default: null, isDerived: true },
  /** The batch by which the record came into the store, and into the roll-ups; see `rollups/batches.ts`. */
  batchId: { type: 'text', default: null, isDerived: true },
} as const satisfies Record<string, LogField>;

/** The table as rows, in its order. */
export const fieldRows = Object.entries(fields) as [keyof typeof fields, LogField][];
