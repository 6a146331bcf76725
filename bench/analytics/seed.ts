import type { Db } from 'mongodb';
import { uuid } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { recordOf as completeRecord } from '../../src/recording/log/blank-record.ts';
import type { LogEntry, LogRecord } from '../../src/recording/log/record.ts';
import { createLogWriter } from '../../src/recording/log/writer.ts';

const DAY = 24 * 3_600_000;
const BATCH = 500;
/** Batches between two updates of the roll-ups, as at a few thousand requests a second. */
const SETTLED = 10;

/** A pseudo-random sequence of its own, so that every run has the same logs. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const models = [
  ['openai', 'gpt-4o', 'main'],
  ['openai', 'gpt-4o-mini', 'main'],
  ['anthropic', 'claude-sonnet-4', 'claude'],
  ['google', 'gemini-2.5-flash', 'gemini'],
  ['mistral-ai', 'mistral-large', 'mistral'],
] as const;
const KEYS = 20;
const CONFIGS = 8;
const USERS = 500;
const TEAMS = 40;

export type Owner = { organisationId: string; workspaceId: string };

/** Writes logs evenly over the `days` before now, by the code that writes those of requests. */
export async function seed(
  db: Db,
  owner: Owner,
  { logs, days }: { logs: number; days: number },
): Promise<void> {
  const writer = createLogWriter({ database: async () => db, log: createLogger('warn') });
  const random = sequence(7);
  const end = Date.now();
  for (let start = 0; start < logs; start += BATCH) {
    const size = Math.min(BATCH, logs - start);
    const entries = Array.from({ length: size }, (_, index): LogEntry => {
      const createdAt = new Date(end - days * DAY * (1 - (start + index) / logs));
      return { record: recordOf(owner, createdAt, random), bodies: null };
    });
    await writer.write(entries);
    if ((start / BATCH) % SETTLED === 0) await writer.settle();
  }
  await writer.stop();
}

/** Small numbers are frequent, as a few keys and users make most of the requests. */
const skewed = (random: () => number, count: number): number => Math.floor(random() ** 2 * count);

function recordOf(owner: Owner, createdAt: Date, random: () => number): LogRecord {
  const key = skewed(random, KEYS);
  // A key uses two of the models, and one config.
  const [aiProvider, aiModel, providerSlug] = models[(key + skewed(random, 2)) % models.length] ?? models[0];
  const chance = random();
  const status = chance < 0.96 ? 200 : chance < 0.98 ? 429 : chance < 0.99 ? 500 : 400;
  const isHit = status === 200 && random() < 0.1;
  const promptTokens = 50 + Math.floor(random() * 2000);
  const completionTokens = Math.floor(random() * 800);
  const price = promptTokens * 2500 + completionTokens * 10_000;
  const latency = isHit ? 2 + random() * 6 : 200 * Math.exp(random() * 3);
  return completeRecord({
    ...owner,
    _id: uuid(),
    apiKeyId: `00000000-0000-7000-8000-${String(key).padStart(12, '0')}`,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 90 * DAY),
    traceId: uuid(),
    spanId: uuid(),
    requestMethod: 'POST',
    requestUrl: '/v1/chat/completions',
    endpoint: 'chatComplete',
    source: 'bench/1',
    aiProvider,
    aiModel,
    providerId: providerSlug,
    providerSlug,
    integrationId: providerSlug,
    configSlug: `pc-${key % CONFIGS}`,
    mode: 'fallback',
    lastUsedOptionIndex: random() < 0.03 ? 1 : 0,
    lastUsedOptionJsonPath: 'config.targets[0]',
    retryAttemptCount: random() < 0.05 ? 1 + skewed(random, 3) : 0,
    responseStatusCode: status,
    isSuccess: status === 200,
    responseTime: latency,
    upstreamResponseTime: latency,
    gatewayProcessingTime: 0.4,
    cacheStatus: isHit ? (random() < 0.8 ? 'HIT' : 'SEMANTIC HIT') : random() < 0.5 ? 'MISS' : 'DISABLED',
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    usageSource: 'provider',
    tokenClasses: { request_token: promptTokens, response_token: completionTokens },
    costNanodollars: isHit ? 0 : price,
    savingsNanodollars: isHit ? price : null,
    metadata: {
      _user: `user-${skewed(random, USERS)}`,
      team: `team-${skewed(random, TEAMS)}`,
      _environment: random() < 0.8 ? 'production' : 'staging',
    },
  });
}
