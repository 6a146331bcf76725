// That sums equal a recount whatever happens is proved in test/recording/rollups.test.ts.
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { operationFiles } from '../../../rest-compat/index.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { LogRecord } from '../../../src/recording/log/record.ts';
import { writeLogs } from '../../../src/recording/log/write-logs.ts';
import { createLogWriter, type LogWriter } from '../../../src/recording/log/writer.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { feedbackModel } from '../../../src/subgraphs/insights/feedback/index.ts';
import { analyticsQuery } from '../../support/analytics.ts';
import type { Tenant } from '../../support/app.ts';
import { type CountedApp, startCountedApp } from '../../support/counted-app.ts';
import { logEntry } from '../../support/logs.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf } from '../support.ts';

let app: CountedApp;
let neighbour: Tenant;
let other: { id: string; slug: string };
let writer: LogWriter;

const at = (time: string, day = '01') => new Date(`2026-03-${day}T${time}:00.000Z`);
/** The points that are hours: 09 to 20. */
const DAYTIME = { min: at('09:00'), max: at('20:00') };
const hour = (number: number) => at(`${String(number).padStart(2, '0')}:00`).toISOString();

const logs: Partial<LogRecord>[] = [
  {
    createdAt: at('10:05'),
    traceId: 'first',
    responseTime: 100,
    cacheStatus: 'MISS',
    promptTokens: 10,
    completionTokens: 20,
    totalTokens: 30,
    costNanodollars: 20_000_000,
    configSlug: 'pc-1',
    metadata: { _user: 'ann', team: 'ads', _prompt: 'hello' },
  },
  {
    createdAt: at('10:40'),
    responseTime: 10,
    cacheStatus: 'HIT',
    promptTokens: 10,
    completionTokens: 20,
    totalTokens: 30,
    costNanodollars: 0,
    savingsNanodollars: 20_000_000,
    metadata: { _user: 'ann', team: 'ads' },
  },
  {
    createdAt: at('11:15'),
    aiProvider: 'anthropic',
    aiModel: 'claude',
    providerSlug: 'spare',
    responseTime: 300,
    responseStatusCode: 500,
    retryAttemptCount: -1,
    promptTokens: null,
    completionTokens: null,
    totalTokens: null,
    costNanodollars: null,
    metadata: { _user: 'bob' },
  },
  {
    createdAt: at('11:20'),
    traceId: 'rescued',
    aiProvider: 'anthropic',
    aiModel: 'claude',
    providerSlug: 'spare',
    apiKeyId: 'key-2',
    mode: 'fallback',
    lastUsedOptionIndex: 1,
    retryAttemptCount: 2,
    responseTime: 190,
    cacheStatus: 'SEMANTIC HIT',
    promptTokens: 30,
    completionTokens: 10,
    totalTokens: 40,
    costNanodollars: 40_000_000,
    savingsNanodollars: 10_000_000,
    metadata: { _user: 'bob', team: 'ops' },
  },
  // On the next day, outside of the daytime.
  { createdAt: at('09:30', '02'), responseStatusCode: 429, metadata: {} },
];

beforeAll(async () => {
  app = await startCountedApp({});
  neighbour = await app.createTenant();
  const made = await app.graphql('mutation { createWorkspace(input: { name: "Other" }) { id slug } }');
  other = dataOf(made).createWorkspace;
  writer = createLogWriter({ database: async () => nativeDb(app.db), log: createLogger('silent') });
  await store(app, logs);
  await store({ ...app, workspaceId: other.id }, [{ createdAt: at('10:30') }]);
  await store(neighbour, [{ createdAt: at('10:30') }, { createdAt: at('10:31') }]);
  const given = { organisationId: app.organisationId, workspaceId: app.workspaceId, apiKeyId: 'key-1' };
  await feedbackModel(app.db).collection.insertMany([
    {
      ...given,
      _id: '1',
      traceId: 'first',
      value: 5,
      weight: 1,
      aiModel: 'gpt-4o',
      createdAt: at('12:10'),
    },
    {
      ...given,
      _id: '2',
      traceId: 'first',
      value: 1,
      weight: 0.5,
      aiModel: 'gpt-4o',
      createdAt: at('12:20'),
    },
    {
      ...given,
      _id: '3',
      traceId: 'rescued',
      value: -4,
      weight: 0.5,
      aiModel: 'claude',
      createdAt: at('13:00'),
    },
    { ...given, _id: '4', traceId: 'unknown', value: 5, weight: 0, aiModel: null, createdAt: at('13:30') },
  ] as never);
});
afterAll(async () => {
  await writer.stop();
  await app.stop();
});

async function store(owner: { organisationId: string; workspaceId: string }, records: Partial<LogRecord>[]) {
  await writer.write(records.map((record) => logEntry(owner, record)));
  await writer.settle();
}

type Asked = {
  min?: Date;
  max?: Date;
  workspace?: string;
  filters?: object;
  logFilters?: object;
  zone?: string;
};

const ask = (selection?: string, asked: Asked = {}, key = app.workspaceKey) =>
  app.graphql(analyticsQuery(selection), { ...DAYTIME, ...asked }, key);

const analytics = async (selection?: string, asked?: Asked, key?: string) =>
  dataOf(await ask(selection, asked, key)).analytics;

const totalOf = async (asked?: Asked, key?: string): Promise<number> =>
  (await analytics('requests { summary { total } }', asked, key)).requests.summary.total;

describeAccess(() => ({ app, neighbour }), 'workspace-service', {
  analytics: {
    document: analyticsQuery('requests { object }'),
    scopes: ['analytics.view'],
    variables: () => DAYTIME,
  },
});

/** Field, its summary, and its points that are not as the first one, where there is no request. */
const graphs: [string, string, string, object, object[], number?][] = [
  [
    'requests',
    'total',
    'timestamp total',
    { total: 4 },
    [
      { timestamp: hour(10), total: 2 },
      { timestamp: hour(11), total: 2 },
    ],
  ],
  [
    'cost',
    'total avg',
    'timestamp total avg',
    { total: 6, avg: 1.5 },
    [
      { timestamp: hour(10), total: 2, avg: 1 },
      { timestamp: hour(11), total: 4, avg: 2 },
    ],
  ],
  [
    'tokens',
    'total avg',
    'timestamp total avg',
    { total: 100, avg: 25 },
    [
      { timestamp: hour(10), total: 60, avg: 30 },
      { timestamp: hour(11), total: 40, avg: 20 },
    ],
  ],
  [
    'users',
    'total',
    'timestamp total',
    { total: 2 },
    [
      { timestamp: hour(10), total: 1 },
      { timestamp: hour(11), total: 1 },
    ],
  ],
  [
    'userRequests',
    'total unique avg',
    'timestamp avg',
    { total: 4, unique: 2, avg: 2 },
    [
      { timestamp: hour(10), avg: 2 },
      { timestamp: hour(11), avg: 2 },
    ],
  ],
  ['errors', 'total', 'timestamp total', { total: 1 }, [{ timestamp: hour(11), total: 1 }]],
  ['errorRate', 'rate', 'timestamp rate', { rate: 25 }, [{ timestamp: hour(11), rate: 50 }]],
  [
    'errorStacks',
    'total',
    'timestamp stats { responseStatusCode count }',
    { total: 1 },
    [{ timestamp: hour(11), stats: [{ responseStatusCode: 500, count: 1 }] }],
  ],
  [
    'rescuedRequests',
    'retry fallback',
    'timestamp retry { retrySuccessCount count } fallback',
    { retry: 1, fallback: 1 },
    [{ timestamp: hour(11), retry: [{ retrySuccessCount: 2, count: 1 }], fallback: 1 }],
  ],
  [
    'cacheLatency',
    'avg',
    'timestamp avg',
    { avg: 100 },
    [
      { timestamp: hour(10), avg: 10 },
      { timestamp: hour(11), avg: 190 },
    ],
  ],
  [
    'feedback',
    'total',
    'timestamp total',
    { total: 4 },
    [
      { timestamp: hour(12), total: 2 },
      { timestamp: hour(13), total: 2 },
    ],
  ],
  [
    'weightedFeedback',
    'avg',
    'timestamp avg',
    { avg: (5 + 0.5 - 2 + 0) / 4 },
    [
      { timestamp: hour(12), avg: 2.75 },
      { timestamp: hour(13), avg: -1 },
    ],
  ],
];

describe('the graph of', () => {
  it.each(graphs)(
    '%s sums up the requests, hour by hour, with zeros between',
    async (field, sums, points, summary, met) => {
      const graph = (await analytics(`${field} { object summary { ${sums} } dataPoints { ${points} } }`))[
        field
      ];
      expect(graph).toMatchObject({ object: 'analytics-graph', summary });
      expect(graph.dataPoints.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual(
        Array.from({ length: 12 }, (_, index) => hour(9 + index)),
      );
      const { timestamp: _first, ...empty } = graph.dataPoints[0];
      for (const value of Object.values(empty)) expect([0, []]).toContainEqual(value);
      const isEmpty = ({ timestamp: _at, ...point }: { timestamp: string }) =>
        JSON.stringify(point) === JSON.stringify(empty);
      expect(graph.dataPoints.filter((point: { timestamp: string }) => !isEmpty(point))).toEqual(met);
    },
  );

  it('response times has averages that are exact, and percentiles within 2 %', async () => {
    const { latency } = await analytics(`latency { summary { avg p50 p90 p99 } dataPoints { avg p50 } }`);
    expect(latency.summary.avg).toBe(150);
    expect(Math.abs(latency.summary.p50 / 100 - 1)).toBeLessThan(0.02);
    expect(Math.abs(latency.summary.p90 / 300 - 1)).toBeLessThan(0.02);
    expect(Math.abs(latency.summary.p99 / 300 - 1)).toBeLessThan(0.02);
    expect(latency.dataPoints[0]).toEqual({ avg: 0, p50: 0 });
  });

  it('the cache has hits of both kinds, savings that add up, and what the cache was worth', async () => {
    const { cacheHitRate, cacheSummary } = await analytics(`
      cacheHitRate {
        summary { total rate }
        dataPoints {
          simpleHits semanticHits rate cumulativeSimpleCacheSavings cumulativeSemanticCacheSavings
        }
      }
      cacheSummary { object summary { hits avgLatency totalRequests cacheSpeedup } }`);
    expect(cacheHitRate.summary).toEqual({ total: 2, rate: 200 / 3 });
    const point = (...values: number[]) => ({
      simpleHits: values[0],
      semanticHits: values[1],
      rate: values[2],
      cumulativeSimpleCacheSavings: values[3],
      cumulativeSemanticCacheSavings: values[4],
    });
    expect(cacheHitRate.dataPoints.slice(0, 4)).toEqual([
      point(0, 0, 0, 0, 0),
      point(1, 0, 50, 2, 0),
      point(0, 1, 100, 2, 1),
      point(0, 0, 0, 2, 1),
    ]);
    expect(cacheSummary).toEqual({
      object: 'analytics-summary',
      summary: { hits: 2, avgLatency: 100, totalRequests: 4, cacheSpeedup: 50 },
    });
  });

  it('status codes, scores and models has a point for each', async () => {
    const { statusCodes, feedbackScores, feedbackByModel } = await analytics(
      `statusCodes { summary { totalErrors uniqueErrorCodes } dataPoints { statusCode count } }
       feedbackScores { summary { total } dataPoints { score total } }
       feedbackByModel { summary { total } dataPoints { aiModel total avgWeightedFeedback } }`,
      { max: at('10:00', '02') },
    );
    expect(statusCodes).toEqual({
      summary: { totalErrors: 2, uniqueErrorCodes: 2 },
      dataPoints: [
        { statusCode: 429, count: 1 },
        { statusCode: 500, count: 1 },
      ],
    });
    expect(feedbackScores.dataPoints).toEqual([
      { score: -4, total: 1 },
      { score: 1, total: 1 },
      { score: 5, total: 2 },
    ]);
    expect(feedbackByModel).toEqual({
      summary: { total: 4 },
      dataPoints: [
        { aiModel: 'gpt-4o', total: 2, avgWeightedFeedback: 2.75 },
        { aiModel: 'claude', total: 1, avgWeightedFeedback: -2 },
        { aiModel: null, total: 1, avgWeightedFeedback: 0 },
      ],
    });
  });
});

describe('groups', () => {
  it.each([
    [
      'ai_service',
      [
        ['anthropic', 2, 4],
        ['openai', 2, 2],
      ],
    ],
    [
      'model',
      [
        ['claude', 2, 4],
        ['gpt-4o', 2, 2],
      ],
    ],
    [
      'status_code',
      [
        ['200', 3, 6],
        ['500', 1, 0],
      ],
    ],
    [
      'api_key',
      [
        ['key-1', 3, 2],
        ['key-2', 1, 4],
      ],
    ],
    [
      'config',
      [
        [null, 3, 4],
        ['pc-1', 1, 2],
      ],
    ],
    [
      'provider',
      [
        ['main', 2, 2],
        ['spare', 2, 4],
      ],
    ],
    [
      'prompt',
      [
        [null, 3, 4],
        ['hello', 1, 2],
      ],
    ],
    ['endpoint', [['chatComplete', 4, 6]]],
    [
      'cache_status',
      [
        ['DISABLED', 1, 0],
        ['HIT', 1, 0],
        ['MISS', 1, 2],
        ['SEMANTIC HIT', 1, 4],
      ],
    ],
    [
      'user',
      [
        ['ann', 2, 2],
        ['bob', 2, 4],
      ],
    ],
  ])('by %s are ordered by their requests', async (by, expected) => {
    const { groups } = await analytics(
      `groups(by: ${by}) { object total data { value requests cost object } }`,
    );
    expect(groups).toEqual({
      object: 'list',
      total: expected.length,
      data: expected.map(([value, requests, cost]) => ({ value, requests, cost, object: 'analytics-group' })),
    });
  });

  it('by workspace are named by slug, for those who see more than one', async () => {
    const { groups } = await analytics('groups(by: workspace) { data { value requests } }', {}, app.adminKey);
    expect(groups.data).toEqual([
      { value: expect.stringMatching(/^ws-/), requests: 4 },
      { value: other.slug, requests: 1 },
    ]);
  });

  it('show what is asked for, a page at a time', async () => {
    const columns =
      'cost total_tokens avg_input_tokens avg_output_tokens success_rate error_count cache_hit_rate';
    const { groupRows, groups } = await analytics(
      `groupRows(by: model, columns: [${columns} avg_latency first_seen last_seen], pageSize: 1) { total data }
       groups(by: model, currentPage: 1, pageSize: 1) { total data { value avgTokens p95Latency p99Latency } }`,
    );
    expect(groupRows).toEqual({
      total: 2,
      data: [
        {
          model: 'claude',
          requests: 2,
          cost: 4,
          total_tokens: 40,
          avg_input_tokens: 15,
          avg_output_tokens: 5,
          success_rate: 50,
          error_count: 1,
          cache_hit_rate: 100,
          avg_latency: 245,
          first_seen: at('11:15').toISOString(),
          last_seen: at('11:20').toISOString(),
          object: 'analytics-group',
        },
      ],
    });
    expect(groups).toEqual({
      total: 2,
      data: [
        { value: 'gpt-4o', avgTokens: 30, p95Latency: expect.any(Number), p99Latency: expect.any(Number) },
      ],
    });
  });

  it('are those that come first by what is asked for, and the others as one, each over the time', async () => {
    const { groups } = await analytics(`groups(by: api_key, orderBy: cost, pageSize: 1) {
      total
      data { value cost dataPoints(metric: cost) { timestamp value } latency: dataPoints(metric: avg_latency) { value } }
      other { value requests cost errorCount dataPoints { value } }
    }`);
    expect(groups.data[0]).toMatchObject({ value: 'key-2', cost: 4 });
    expect(groups.data[0].dataPoints).toHaveLength(12);
    expect(groups.data[0].dataPoints[2]).toEqual({ timestamp: hour(11), value: 4 });
    expect(groups.data[0].latency[2]).toEqual({ value: 190 });
    expect(groups.other).toMatchObject({ value: null, requests: 3, cost: 2, errorCount: 1 });
    expect(groups.other.dataPoints.slice(0, 4).map(({ value }: { value: number }) => value)).toEqual([
      0, 2, 1, 0,
    ]);
    const all = await analytics('groups(by: api_key) { other { value } }');
    expect(all.groups.other).toBeNull();
    const tooMany = await ask('groups(by: api_key, pageSize: 21) { data { dataPoints { value } } }');
    expect(errorOf(tooMany)).toEqual({ code: 'VALIDATION_FAILED', param: 'pageSize' });
  });

  it('of users have everything, what is in no sum too', async () => {
    const { groups } = await analytics(`groups(by: user, orderBy: avg_latency, pageSize: 1) {
      data { value requests avgLatency errorCount cacheHitRate successRate avgInputTokens dataPoints(metric: errors) { value } }
      other { value avgLatency errorCount p99Latency }
    }`);
    expect(groups.data).toEqual([
      {
        value: 'bob',
        requests: 2,
        avgLatency: 245,
        errorCount: 1,
        cacheHitRate: 100,
        successRate: 50,
        avgInputTokens: 15,
        dataPoints: Array.from({ length: 12 }, (_, index) => ({ value: index === 2 ? 1 : 0 })),
      },
    ]);
    expect(groups.other).toMatchObject({ value: null, avgLatency: 55, errorCount: 0 });
    expect(Math.abs(groups.other.p99Latency / 100 - 1)).toBeLessThan(0.02);
  });

  it('of metadata are led to by its keys', async () => {
    expect(await analytics('metadataKeys')).toEqual({ metadataKeys: ['_prompt', '_user', 'team'] });
    expect(await analytics('metadataKeys', { min: at('00:00'), max: at('08:00') })).toEqual({
      metadataKeys: [],
    });
  });

  it('of users and of metadata leave requests without them out', async () => {
    const { userGroups, metadataGroups } = await analytics(
      `userGroups { total data { user requests cost } }
       metadataGroups(key: "team") { total data {
         metadataValue requests cost avgTokens avgWeightedFeedback requestsWithFeedback lastSeen
       } }`,
      { max: at('10:00', '02') },
    );
    expect(userGroups).toEqual({
      total: 2,
      data: [
        { user: 'ann', requests: 2, cost: 2 },
        { user: 'bob', requests: 2, cost: 4 },
      ],
    });
    expect(metadataGroups).toEqual({
      total: 2,
      data: [
        {
          metadataValue: 'ads',
          requests: 2,
          cost: 2,
          avgTokens: 30,
          avgWeightedFeedback: 2.75,
          requestsWithFeedback: 1,
          lastSeen: at('10:40').toISOString(),
        },
        {
          metadataValue: 'ops',
          requests: 1,
          cost: 4,
          avgTokens: 40,
          avgWeightedFeedback: -2,
          requestsWithFeedback: 1,
          lastSeen: at('11:20').toISOString(),
        },
      ],
    });
  });
});

describe('filters', () => {
  it.each<[object, number]>([
    [{ statusCode: [500] }, 1],
    [{ virtualKeys: ['@spare'] }, 2],
    [{ configs: ['pc-1'] }, 1],
    [{ apiKeyIds: ['key-2', 'key-3'] }, 1],
    [{ aiOrgModel: ['openai__gpt-4o', 'groq__x'] }, 2],
    [{ promptSlug: 'hello' }, 1],
    [{ statusCode: [200], virtualKeys: ['spare'] }, 1],
    [{ statusCode: [] }, 0],
    [{ totalUnitsMin: 31 }, 1],
    [{ promptTokenMax: 10, completionTokenMin: 20 }, 2],
    [{ costMin: 2, costMax: 3 }, 1],
    [{ metadata: { team: 'ads' } }, 2],
    [{ traceId: 'rescued' }, 1],
    [{ spanId: 'span-1', statusCode: [500] }, 1],
    [{ weightedFeedbackMin: 0.5 }, 1],
    [{ weightedFeedbackMax: -1 }, 1],
    [{ weightedFeedbackMin: 9 }, 0],
  ])('%p let %p requests through, in whatever graph', async (filters, total) => {
    const selection = `requests { summary { total } } userRequests { summary { total } }
      groups(by: status_code) { data { requests } }`;
    const { requests, userRequests, groups } = await analytics(selection, { filters });
    const grouped = groups.data.reduce((sum: number, group: { requests: number }) => sum + group.requests, 0);
    expect([requests.summary.total, userRequests.summary.total, grouped]).toEqual([total, total, total]);
  });

  it('hold for the requests that feedback is about', async () => {
    const totalWith = async (filters: object) =>
      (await analytics('feedback { summary { total } }', { filters })).feedback.summary.total;
    expect(await totalWith({ aiOrgModel: ['anthropic__claude'] })).toBe(1);
    expect(await totalWith({ metadata: { team: 'ads' } })).toBe(2);
    expect(await totalWith({ weightedFeedbackMin: 0, weightedFeedbackMax: 1 })).toBe(2);
  });

  it.each<[object, string]>([
    [{ filters: { aiOrgModel: ['x'] } }, 'filters.aiOrgModel'],
    [{ filters: { metadata: { 'a.b': 'c' } } }, 'filters.metadata.a.b'],
    [{ filters: { weightedFeedbackMin: -11 } }, 'filters.weightedFeedbackMin'],
    [{ max: at('08:59') }, 'timeOfGenerationMax'],
    [{ max: new Date(DAYTIME.min.getTime() + 400 * 86_400_000 + 1) }, 'timeOfGenerationMax'],
  ])('%p is refused by name', async (asked, param) => {
    expect(errorOf(await ask('requests { object }', asked))).toEqual({ code: 'VALIDATION_FAILED', param });
  });
});

describe('a window', () => {
  it.each([
    ['6 hours', at('15:00'), 361, 60],
    ['just more', at('15:01'), 7, 3600],
    ['14 days', at('09:00', '15'), 14 * 24 + 1, 3600],
    ['30 days', at('09:00', '31'), 31, 86_400],
  ])('of %s has points that are as long as they should be', async (_what, max, count, seconds) => {
    const { requests } = await analytics('requests { summary { total } dataPoints { timestamp total } }', {
      max,
    });
    const points = requests.dataPoints as { timestamp: string; total: number }[];
    expect(points).toHaveLength(count);
    const [first, second] = points.map(({ timestamp }) => Date.parse(timestamp));
    expect(((second ?? 0) - (first ?? 0)) / 1000).toBe(seconds);
    expect(points.reduce((sum, { total }) => sum + total, 0)).toBe(requests.summary.total);
  });

  it('reaches to the millisecond, its ends included', async () => {
    const just = (time: Date, by: number) => new Date(time.getTime() + by);
    expect(await totalOf({ min: at('10:05'), max: at('11:20') })).toBe(4);
    expect(await totalOf({ min: just(at('10:05'), 1), max: just(at('11:20'), -1) })).toBe(2);
    expect(await totalOf({ min: at('10:05'), max: at('10:05') })).toBe(1);
    expect(await totalOf({ min: just(at('10:05'), 1), max: at('23:00') })).toBe(3);
  });

  it('without requests has zeros alone', async () => {
    const empty = await analytics(undefined, { min: at('00:00'), max: at('08:00') });
    expect(JSON.stringify(empty).match(/"total":[1-9]/)).toBeNull();
    expect(empty.requests.dataPoints).toHaveLength(9);
    expect(empty.latency.summary).toEqual({ avg: 0, p50: 0, p90: 0, p99: 0 });
  });
});

describe('whose requests are seen', () => {
  it("is the credential's own", async () => {
    expect(await totalOf()).toBe(4);
    expect(await totalOf({}, neighbour.workspaceKey)).toBe(2);
    expect(await totalOf({}, neighbour.adminKey)).toBe(2);
  });

  it('is a workspace that is named, or all, for the organisation, and never another', async () => {
    expect(await totalOf({}, app.adminKey)).toBe(5);
    expect(await totalOf({ workspace: other.slug }, app.adminKey)).toBe(1);
    expect(await totalOf({ workspace: other.id }, app.adminKey)).toBe(1);
    const elsewhere = await ask('requests { object }', { workspace: neighbour.workspaceId }, app.adminKey);
    expect(errorOf(elsewhere)).toEqual({ code: 'VALIDATION_FAILED', param: 'workspaceSlug' });
  });

  it('is refused to a workspace credential that names any other workspace than its own', async () => {
    for (const workspace of [other.slug, other.id, neighbour.workspaceId, 'nowhere']) {
      const asked = await ask('requests { summary { total } }', { workspace });
      expect(errorOf(asked)).toEqual({ code: 'FORBIDDEN', param: 'workspaceSlug' });
    }
    expect(await totalOf({ workspace: app.workspaceId })).toBe(4);
  });
});

describe('REST', () => {
  const paths = operationFiles()
    .filter(({ path }) => path.endsWith('/analytics.graphql'))
    .flatMap(({ text }) => [...text.matchAll(/path: "([^"]+)"/g)].map(([, path = '']) => path));
  const call = (path: string, query: Record<string, string> = {}, key = app.workspaceKey) => {
    const window = {
      workspace_slug: app.workspaceId,
      time_of_generation_min: DAYTIME.min.toISOString(),
      time_of_generation_max: DAYTIME.max.toISOString(),
    };
    const place = path.replace('{groupBy}', 'model').replace('{metadataKey}', 'team');
    return app.rest('GET', `/v1${place}?${new URLSearchParams({ ...window, ...query })}`, { key });
  };

  it.each(paths)('GET %s answers under every filter that the contract has', async (path) => {
    const every = {
      total_units_min: '0',
      total_units_max: '1000',
      cost_min: '0',
      cost_max: '100',
      prompt_token_min: '0',
      prompt_token_max: '1000',
      completion_token_min: '0',
      completion_token_max: '1000',
      status_code: '200,500',
      weighted_feedback_min: '-10',
      weighted_feedback_max: '10',
      virtual_keys: 'main,spare',
      configs: 'pc-1',
      api_key_ids: 'key-1',
      metadata: '{"team":"ads"}',
      ai_org_model: 'openai__gpt-4o',
      trace_id: 'first',
      span_id: 'span-1',
      prompt_slug: 'hello',
    };
    const { status, body } = await call(path, every);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { object: expect.stringMatching(/^(list|analytics-graph|analytics-summary)$/) },
    });
  });

  it.each(paths)('GET %s refuses a workspace credential that names another workspace', async (path) => {
    for (const workspace_slug of [other.slug, other.id, neighbour.workspaceId, 'nowhere']) {
      expect(await call(path, { workspace_slug })).toMatchObject({
        status: 403,
        body: { error: { code: 'AB03', param: 'workspace_slug' } },
      });
    }
  });

  it.each([
    ['/analytics/graphs/requests', { summary: { total: 4 }, object: 'analytics-graph' }],
    ['/analytics/graphs/errors/status-codes', { data_points: [{ status_code: 500, count: 1 }] }],
    ['/analytics/summary/cache', { object: 'analytics-summary', summary: { hits: 2, total_requests: 4 } }],
    ['/analytics/groups/users', { total: 2, data: [{ user: 'ann', requests: '2', cost: 2 }, {}] }],
    ['/analytics/groups/ai-models', { data: [{ ai_model: 'claude', requests: '2' }, {}] }],
    ['/analytics/groups/provider', { data: [{ provider: 'main', requests: 2, cost: 2 }, {}] }],
    [
      '/analytics/groups/{groupBy}',
      { data: [{ model: 'claude', requests: 2, object: 'analytics-group' }, {}] },
    ],
    ['/logs/groups/{groupBy}', { data: [{ model: 'claude', requests: 2 }, {}] }],
    [
      '/analytics/groups/metadata/{metadataKey}',
      { data: [{ metadata_value: 'ads', requests_with_feedback: 1 }, {}] },
    ],
  ])('GET %s has the members of the contract', async (path, body) => {
    expect(await call(path)).toMatchObject({ status: 200, body });
  });

  it.each([
    [{ time_of_generation_max: '2026-02-01T00:00:00Z' }, 'time_of_generation_max'],
    [{ total_units_min: '-1' }, 'total_units_min'],
    [{ ai_org_model: 'x' }, 'ai_org_model'],
    [{ totalUnitsMin: 'x' }, 'totalUnitsMin'],
    [{ page_size: '1001' }, 'page_size'],
    [{ columns: 'nothing' }, 'columns'],
    [{ filters: '{}' }, 'filters'],
  ])('refuses %p by the name that the caller gave', async (query, param) => {
    const { status, body } = await call('/analytics/groups/{groupBy}', query as Record<string, string>);
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { param } } });
  });

  it('asks for a workspace and a time', async () => {
    for (const param of ['workspace_slug', 'time_of_generation_min', 'time_of_generation_max']) {
      const others = ['workspace_slug=x', `time_of_generation_min=${DAYTIME.min.toISOString()}`];
      const query = others.filter((part) => !part.startsWith(param)).join('&');
      const { body } = await app.rest('GET', `/v1/analytics/graphs/requests?${query}`);
      if (param !== 'time_of_generation_min') expect(body).toMatchObject({ error: { param } });
    }
  });
});

test('a request is counted once it is in the log, and an inserted log at once', async () => {
  const now = { min: new Date(Date.now() - 60_000), max: new Date(Date.now() + 60_000) };
  const before = await totalOf(now);
  await app.rest('POST', '/v1/chat/completions', { body: { model: '@mock/mock-1', messages: [] } });
  await app.logged();
  expect(await totalOf(now)).toBe(before + 1);
  const body = { request: { url: 'https://x.example', body: {} }, response: { body: {} } };
  await app.rest('POST', '/v1/logs', { body });
  expect(await totalOf(now)).toBe(before + 2);
});

test('all graphs of a window are read in as many reads, however many requests there were', async () => {
  const readsOf = async (asked: Asked) => (await app.commandsOf(() => analytics(undefined, asked))).commands;
  const [all, some] = [await readsOf({}), await readsOf({ max: at('15:01') })];
  const isOfSums = (command: string) => /log_rollups|find logs/.test(command);
  expect(all.filter(isOfSums).length).toBeLessThanOrEqual(some.filter(isOfSums).length);
});

test('percentiles of groups are the same by whatever fragment they are asked for', async () => {
  const spread = 'groups(by: model) { data { value ...Slow } }';
  const inline = '... on Analytics { groups(by: model) { ... { data { value p95Latency } } } }';
  const slow = 'fragment Slow on AnalyticsGroup { p95Latency }';
  const fromSpread = await app.graphql(analyticsQuery(spread) + slow, DAYTIME, app.workspaceKey);
  const { data } = dataOf(fromSpread).analytics.groups;
  expect(data).toEqual([
    { value: 'claude', p95Latency: expect.closeTo(300, -1) },
    { value: 'gpt-4o', p95Latency: expect.closeTo(100, -1) },
  ]);
  expect((await analytics(inline)).groups.data).toEqual(data);
});

test('logs from before there were sums are counted one by one', async () => {
  const window = { min: new Date('2026-01-10T00:30:00Z'), max: new Date('2026-01-20T00:00:00Z') };
  const days = [11, 12, 16, 17].map((day) => ({ createdAt: new Date(`2026-01-${day}T10:00:00Z`) }));
  await writeLogs(
    nativeDb(app.db),
    days.slice(0, 2).map((record) => logEntry(app, record)),
  );
  await store(app, days.slice(2));
  const state = nativeDb(app.db).collection<{ _id: string }>('log_rollups');
  const begin = (beginning: Date) => state.updateOne({ _id: 'beginning' }, { $set: { beginning } });
  expect(await totalOf(window)).toBe(2);
  await begin(new Date('2026-01-15T00:00:00Z'));
  expect(await totalOf(window)).toBe(4);
  expect(await totalOf({ ...window, max: new Date('2026-01-14T00:00:00Z') })).toBe(2);
  await begin(new Date(0));
});

test('what is too much to be kept in sums is counted from the logs', async () => {
  const many = Array.from({ length: 5100 }, (_, index) => ({
    createdAt: new Date(at('10:00', '10').getTime() + index * 100),
    apiKeyId: `key-${index}`,
    metadata: { team: `team-${index % 600}`, _user: 'ann' },
  }));
  for (let start = 0; start < many.length; start += 1700) {
    await writer.write(many.slice(start, start + 1700).map((record) => logEntry(app, record)));
  }
  await writer.settle();
  const kept = await app.db
    .collection('log_rollups')
    .find({ start: at('10:00', '10'), span: 'hour' })
    .toArray();
  expect(Object.fromEntries(kept.map(({ facet, given }) => [facet, given]))).toEqual({
    requests: [''],
    metadata: ['team'],
    users: [],
  });
  const window = { min: at('09:00', '10'), max: at('20:00', '10') };
  const selection = `requests { summary { total } } users { summary { total } } metadataKeys
    groups(by: api_key) { total } metadataGroups(key: "team") { total }`;
  expect(await analytics(selection, window)).toEqual({
    requests: { summary: { total: 5100 } },
    users: { summary: { total: 1 } },
    metadataKeys: ['_user', 'team'],
    groups: { total: 5100 },
    metadataGroups: { total: 600 },
  });
  const filters = { apiKeyIds: ['key-7'] };
  expect(await totalOf({ ...window, filters })).toBe(1);
});
