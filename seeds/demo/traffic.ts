import { uuid } from '../../src/lib/ids.ts';
import { recordOf } from '../../src/recording/log/blank-record.ts';
import type { LogRecord } from '../../src/recording/log/record.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETENTION_MS = 90 * DAY_MS;
/** What the logs of the demo name as the caller's program. */
export const DEMO_SOURCE = 'sluice-demo/1';

type Model = {
  aiProvider: string;
  aiModel: string;
  provider: string;
  /** US dollars a million tokens of the request and of the answer; null for a model without a known price. */
  price: readonly [number, number] | null;
  /** Milliseconds that a usual answer takes. */
  speed: number;
};

const models = {
  'gpt-4o': { aiProvider: 'openai', aiModel: 'gpt-4o', provider: 'main', price: [2.5, 10], speed: 900 },
  'gpt-4o-mini': {
    aiProvider: 'openai',
    aiModel: 'gpt-4o-mini',
    provider: 'main',
    price: [0.15, 0.6],
    speed: 500,
  },
  claude: {
    aiProvider: 'anthropic',
    aiModel: 'claude-sonnet-4',
    provider: 'claude',
    price: [3, 15],
    speed: 1400,
  },
  gemini: {
    aiProvider: 'google',
    aiModel: 'gemini-2.5-flash',
    provider: 'gemini',
    price: [0.3, 2.5],
    speed: 600,
  },
  mistral: {
    aiProvider: 'mistral-ai',
    aiModel: 'mistral-large',
    provider: 'mistral',
    price: [2, 6],
    speed: 1100,
  },
  trial: {
    aiProvider: 'mistral-ai',
    aiModel: 'house-trial-7b',
    provider: 'mistral',
    price: null,
    speed: 700,
  },
} satisfies Record<string, Model>;

/** How a key is used: how much of all traffic, through which config, and which models answer. */
type Habit = { share: number; config: string; models: readonly (keyof typeof models)[]; team: string };

export const habits: Readonly<Record<string, Habit>> = {
  'search-api': {
    share: 34,
    config: 'pc-search-main',
    models: ['gpt-4o', 'gpt-4o', 'claude'],
    team: 'ranking',
  },
  'search-ranking': { share: 14, config: 'pc-search-cheap', models: ['gpt-4o-mini'], team: 'ranking' },
  'search-nightly': { share: 6, config: 'pc-search-cheap', models: ['gpt-4o-mini'], team: 'crawl' },
  'alan-laptop': { share: 2, config: 'pc-search-main', models: ['gpt-4o', 'claude'], team: 'ranking' },
  'support-bot': {
    share: 24,
    config: 'pc-support-split',
    models: ['gpt-4o', 'gemini', 'gpt-4o'],
    team: 'chat',
  },
  'support-replies': {
    share: 9,
    config: 'pc-support-by-plan',
    models: ['claude', 'gpt-4o-mini'],
    team: 'mail',
  },
  'research-evals': { share: 7, config: 'pc-research-retry', models: ['mistral', 'trial'], team: 'evals' },
  'research-batch': { share: 3, config: 'pc-research-retry', models: ['mistral'], team: 'evals' },
  'katherine-notebook': {
    share: 1,
    config: 'pc-research-retry',
    models: ['mistral', 'trial'],
    team: 'evals',
  },
};

/** Whose traffic it is. */
export type Caller = { organisationId: string; workspaceId: string; apiKeyId: string; name: string };

type Random = () => number;

/** Of numbers from 0 to 1, the same ones in every run. */
export function sequence(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Times of `count` calls in the `days` before `end`, the oldest first: nights and weekends are quiet. */
export function timesBefore(
  end: Date,
  { count, days }: { count: number; days: number },
  random: Random,
): Date[] {
  const times: Date[] = [];
  while (times.length < count) {
    const time = new Date(end.getTime() - random() * days * DAY_MS);
    const hour = time.getUTCHours() + time.getUTCMinutes() / 60;
    const isWeekend = time.getUTCDay() % 6 === 0;
    const busy = (0.25 + 0.75 * Math.sin((Math.PI * (hour - 3)) / 24) ** 2) * (isWeekend ? 0.45 : 1);
    if (random() < busy) times.push(time);
  }
  return times.sort((one, other) => one.getTime() - other.getTime());
}

const chosen = <T>(of: readonly T[], random: Random): T => of[Math.floor(random() * of.length)] as T;

/** One of the callers, the busy ones more often. */
export function callerOf(callers: readonly Caller[], random: Random): Caller {
  const shares = callers.map(({ name }) => habits[name]?.share ?? 0);
  const drawn = random() * shares.reduce((sum, share) => sum + share, 0);
  let passed = 0;
  const found = callers.find((_caller, index) => {
    passed += shares[index] ?? 0;
    return passed > drawn;
  });
  return found ?? (callers[0] as Caller);
}

/** A call of a demo key. `incident`: when one of the providers refuses most calls, for three hours. */
export function recordAt(createdAt: Date, caller: Caller, random: Random, incident: Date): LogRecord {
  const habit = habits[caller.name];
  if (!habit) throw new Error(`The demo does not know what ${caller.name} calls.`);
  const model: Model = models[chosen(habit.models, random)];
  const since = createdAt.getTime() - incident.getTime();
  const isRefused = model.provider === 'claude' && since > 0 && since < 3 * HOUR_MS && random() < 0.7;
  const chance = random();
  const status = isRefused ? 429 : chance < 0.985 ? 200 : chance < 0.99 ? 429 : chance < 0.995 ? 503 : 400;
  const isHit = status === 200 && habit.config === 'pc-search-cheap' && random() < 0.35;
  const isStreamed = random() < 0.6;
  const prompt = Math.floor(600 * Math.exp(random() * 3.4));
  const completion = status === 200 ? Math.floor(60 * Math.exp(random() * 3)) : 0;
  // A dollar a million tokens is a thousand nanodollars a token.
  const price = model.price && Math.round((prompt * model.price[0] + completion * model.price[1]) * 1000);
  const isPriced = status === 200 && price !== null;
  const time = isHit
    ? 2 + random() * 6
    : status === 200
      ? model.speed * Math.exp(random() * 1.6 - 0.6)
      : 40 + random() * 90;
  return recordOf({
    organisationId: caller.organisationId,
    workspaceId: caller.workspaceId,
    apiKeyId: caller.apiKeyId,
    _id: uuid(),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + RETENTION_MS),
    traceId: uuid(),
    spanId: uuid(),
    requestMethod: 'POST',
    requestUrl: '/v1/chat/completions',
    endpoint: 'chatComplete',
    source: DEMO_SOURCE,
    aiProvider: model.aiProvider,
    aiModel: model.aiModel,
    providerSlug: model.provider,
    configSlug: habit.config,
    mode: habit.config === 'pc-search-main' ? 'fallback' : 'single',
    lastUsedOptionIndex: model.provider === 'claude' && habit.config === 'pc-search-main' ? 1 : 0,
    lastUsedOptionJsonPath: 'config.targets[0]',
    retryAttemptCount: status === 200 && random() < 0.03 ? 1 : 0,
    responseStatusCode: status,
    isSuccess: status === 200,
    error: status === 200 ? null : `The provider answered ${status}.`,
    streamMode: isStreamed ? 1 : 0,
    responseTime: time,
    timeToFirstToken: status === 200 && isStreamed ? time * 0.3 : null,
    upstreamResponseTime: isHit ? 0 : time,
    gatewayProcessingTime: 0.4 + random(),
    cacheStatus: isHit ? 'HIT' : habit.config === 'pc-search-cheap' ? 'MISS' : 'DISABLED',
    cacheMode: habit.config === 'pc-search-cheap' ? 'simple' : null,
    ...(status === 200 && {
      promptTokens: prompt,
      completionTokens: completion,
      totalTokens: prompt + completion,
      usageSource: 'provider',
      tokenClasses: { request_token: prompt, response_token: completion },
    }),
    costNanodollars: isPriced ? (isHit ? 0 : price) : null,
    savingsNanodollars: isPriced && isHit ? price : null,
    metadata: {
      _user: `user-${Math.floor(random() ** 2 * 40)}`,
      team: habit.team,
      _environment: random() < 0.85 ? 'production' : 'staging',
    },
  });
}
