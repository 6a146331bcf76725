import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.ts';
import type { LogRecord } from '../../../src/recording/log/record.ts';
import { createLogWriter, type LogWriter } from '../../../src/recording/log/writer.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import type { Tenant } from '../../support/app.ts';
import { type CountedApp, startCountedApp } from '../../support/counted-app.ts';
import { logEntry } from '../../support/logs.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';
import { evenRecord, narrowing, oddRecord, opposite } from './narrowing.ts';

let app: CountedApp;
let neighbour: Tenant;
let writer: LogWriter;

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 1);
const at = (hour: number) => new Date(START + hour * HOUR + 60_000);

beforeAll(async () => {
  app = await startCountedApp({});
  neighbour = await app.createTenant();
  writer = createLogWriter({ database: async () => nativeDb(app.db), log: createLogger('silent') });
});
afterAll(async () => {
  await writer.stop();
  await app.stop();
});

async function store(
  records: Partial<LogRecord>[],
  owner: { organisationId: string; workspaceId: string } = app,
): Promise<string[]> {
  const entries = records.map((record) => logEntry(owner, record));
  await writer.write(entries);
  await writer.settle();
  return entries.map(({ record }) => record._id);
}

const select = async (filters: object, key = app.workspaceKey) =>
  app.graphql(
    `query ($filters: LogFilters) {
      logs(filters: $filters) { total data { id } }
      logHistory(filters: $filters, limit: 100) { data { id } }
    }`,
    { filters },
    key,
  );

/** The ids of a list, which has to be the same in both forms. */
async function idsOf(filters: object, key?: string): Promise<string[]> {
  const { logs, logHistory } = dataOf(await select(filters, key));
  expect(logs.total).toBe(logs.data.length);
  expect(logHistory.data).toEqual(logs.data);
  return logs.data.map(({ id }: { id: string }) => id);
}

describe('a list of logs', () => {
  const common = { traceId: 'few', createdAt: at(0) };
  let odd: string;
  let even: string;
  beforeAll(async () => {
    [odd = '', even = ''] = await store([
      { ...common, ...oddRecord },
      { ...common, ...evenRecord, createdAt: at(1) },
    ]);
  });

  it.each(narrowing)('is narrowed by %s', async (_what, filters) => {
    expect(await idsOf({ traceId: 'few', ...filters })).toEqual([odd]);
  });

  it.each(opposite)('is narrowed by %s, what lacks it included', async (_what, filters) => {
    expect(await idsOf({ traceId: 'few', ...filters })).toEqual([even]);
  });

  it.each(['endpoint', 'cacheStatus', 'statusClass', 'userId', 'source'])(
    'is empty when %s names nothing that would do',
    async (name) => {
      expect(await idsOf({ [name]: [] })).toEqual([]);
    },
  );

  it.each([
    ['a class that is none', { statusClass: [0] }, 'filters.statusClass[0]'],
    ['a cache status that is none', { cacheStatus: ['hit'] }, 'filters.cacheStatus[0]'],
    ['a model without provider', { notAiOrgModel: ['gpt-4o'] }, 'filters.notAiOrgModel'],
    ['metadata that would be an operator', { notMetadata: { $where: '1' } }, 'filters.notMetadata.$where'],
    ['a search for too little', { search: 'x' }, 'filters.search'],
    ['a time below zero', { responseTimeMin: -1 }, 'filters.responseTimeMin'],
  ])('is refused for %s', async (_what, filters, param) => {
    expect(errorOf(await select(filters))).toEqual({ code: 'VALIDATION_FAILED', param });
  });

  it('gives the same under the same filters of analytics', async () => {
    const own = { traceId: 'few', timeOfGenerationMin: at(0), timeOfGenerationMax: at(1) };
    for (const [, filters] of [...narrowing, ...opposite]) {
      const asked = await app.graphql(
        `query ($min: DateTime!, $max: DateTime!, $filters: LogFilters) {
          analytics(timeOfGenerationMin: $min, timeOfGenerationMax: $max, logFilters: $filters) {
            requests { summary { total } }
          }
        }`,
        { min: at(0), max: at(1), filters },
        app.workspaceKey,
      );
      const { total } = dataOf(asked).analytics.requests.summary;
      expect({ filters, total }).toEqual({ filters, total: (await idsOf({ ...own, ...filters })).length });
    }
  });
});

describe('a search', () => {
  let found: string[];
  beforeAll(async () => {
    const entries = [
      logEntry(app, { traceId: 'search', error: 'The Upstream broke' }),
      logEntry(app, { traceId: 'search', metadata: { note: 'upSTREAM' } }),
      logEntry(app, { traceId: 'search', apiKeyId: 'another' }),
      logEntry(app, { traceId: 'search' }),
    ];
    const spoken = entries[2]?.bodies;
    if (spoken) spoken.response.body = '{"choices":[{"text":"go \\"upstream\\"\\n"}]}';
    await writer.write(entries);
    await writer.settle();
    found = entries.map(({ record }) => record._id);
  });
  const sorted = (ids: string[]) => [...ids].sort();
  const search = async (text: string, key?: string) =>
    sorted(await idsOf({ traceId: 'search', search: text }, key));

  it('finds a text in errors, metadata and bodies, in whatever case', async () => {
    expect(await search('UPstream')).toEqual(sorted(found.slice(0, 3)));
    expect(await search('upstream broke')).toEqual(found.slice(0, 1));
    expect(await search('nowhere')).toEqual([]);
  });

  it('takes no notice of bodies that the credential may not open', async () => {
    const lister = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    expect(await search('upstream', lister)).toEqual(sorted(found.slice(0, 2)));
    expect(await search('choices', lister)).toEqual([]);
  });

  it('finds nothing of a neighbour', async () => {
    expect(await search('upstream', neighbour.adminKey)).toEqual([]);
  });
});

describe('a list among many logs', () => {
  const HOURS = 300;
  const MANY = 21_000;
  /** One log an hour is rare in one way or another. */
  const rare = (hour: number): Partial<LogRecord> => ({
    createdAt: new Date(START - (hour + 1) * HOUR + 1000),
    ...(hour % 7 === 0 && { responseStatusCode: 500 }),
    ...(hour % 50 === 0 && { apiKeyId: 'key-rare' }),
    ...(hour % 60 === 0 && { metadata: { team: 'rare', _user: 'ann' } }),
    ...(hour % 90 === 1 && { metadata: { _user: 'rare' } }),
    ...(hour % 100 === 0 && { endpoint: 'embed', cacheStatus: 'HIT' }),
    costNanodollars: hour * 1_000_000,
  });
  beforeAll(async () => {
    for (let start = 0; start < MANY; start += 700) {
      const batch = Array.from({ length: 700 }, (_, index) => ({
        createdAt: new Date(START - HOUR * HOURS + (start + index) * Math.floor((HOUR * HOURS) / MANY)),
        costNanodollars: 1000,
        metadata: { _user: 'ann', team: 'many' },
      }));
      await writer.write(batch.map((record) => logEntry(app, record)));
    }
    await store(Array.from({ length: HOURS }, (_, hour) => rare(hour)));
    await store([{ createdAt: at(-10), apiKeyId: 'key-rare' }], neighbour);
  }, 120_000);

  /** What a look at every log says. */
  const recount = async (query: object) =>
    (
      await app.db
        .collection('logs')
        .find({ organisationId: app.organisationId, ...query })
        .sort({ createdAt: -1, _id: -1 })
        .toArray()
    ).map(({ _id }) => String(_id));

  const rareOnes: [string, object, object][] = [
    ['key', { apiKeyIds: ['key-rare'] }, { apiKeyId: 'key-rare' }],
    ['status', { statusCode: [500] }, { responseStatusCode: 500 }],
    [
      'errors',
      { statusClass: [5], notApiKeyIds: ['key-rare'] },
      { responseStatusCode: { $gte: 500 }, apiKeyId: { $ne: 'key-rare' } },
    ],
    ['metadata', { metadata: { team: 'rare' } }, { 'metadata.team': 'rare' }],
    ['user', { metadata: { _user: 'rare' } }, { 'metadata._user': 'rare' }],
    [
      'metadata and key',
      { metadata: { team: 'rare' }, apiKeyIds: ['key-rare'] },
      { 'metadata.team': 'rare', apiKeyId: 'key-rare' },
    ],
    ['endpoint', { endpoint: ['embed'] }, { endpoint: 'embed' }],
    ['cost', { costMin: 20 }, { costNanodollars: { $gte: 200_000_000 } }],
    [
      'key within a time',
      { apiKeyIds: ['key-rare'], timeOfGenerationMin: at(-120), timeOfGenerationMax: at(-1) },
      { apiKeyId: 'key-rare', createdAt: { $gte: at(-120), $lte: at(-1) } },
    ],
  ];

  it.each(rareOnes)('by %s is whole, in its order and counted right', async (_what, filters, query) => {
    const wanted = await recount({ ...query, workspaceId: app.workspaceId });
    const { logs, logHistory } = dataOf(await select(filters));
    const ids = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id);
    expect(wanted.length).toBeGreaterThan(0);
    expect(logs.total).toBe(wanted.length);
    expect(ids(logs)).toEqual(wanted.slice(0, 50));
    expect(ids(logHistory)).toEqual(wanted.slice(0, 100));
  });

  it('is walked along both ways', async () => {
    const wanted = await recount({ responseStatusCode: 500, workspaceId: app.workspaceId });
    const page = async (args: string) => {
      const { logHistory } = dataOf(
        await app.graphql(`{ logHistory(filters: { statusCode: [500] }, ${args}) { data { id } hasMore } }`),
      );
      return { ids: logHistory.data.map(({ id }: { id: string }) => id), hasMore: logHistory.hasMore };
    };
    expect(await page(`limit: 5, after: "${wanted[9]}"`)).toEqual({
      ids: wanted.slice(10, 15),
      hasMore: true,
    });
    expect(await page(`limit: 5, before: "${wanted[9]}"`)).toEqual({
      ids: wanted.slice(4, 9),
      hasMore: true,
    });
    expect(await page('limit: 3, order: asc')).toEqual({ ids: wanted.slice(-3).reverse(), hasMore: true });
    expect(await page(`limit: 5, order: asc, after: "${wanted[3]}"`)).toEqual({
      ids: wanted.slice(0, 3).reverse(),
      hasMore: false,
    });
  });

  it('has pages, and the dearest first', async () => {
    const wanted = await recount({ responseStatusCode: 500, workspaceId: app.workspaceId });
    const { logs } = dataOf(
      await app.graphql(
        '{ logs(filters: { hasError: true, statusCode: [500] }, currentPage: 2, pageSize: 7) { data { id } } }',
      ),
    );
    expect(logs.data.map(({ id }: { id: string }) => id)).toEqual(wanted.slice(14, 21));
    const dearest = dataOf(
      await app.graphql('{ logs(sort: { field: cost }, pageSize: 3) { data { cost } } }'),
    ).logs.data;
    expect(dearest).toEqual([{ cost: 29.9 }, { cost: 29.8 }, { cost: 29.7 }]);
  });

  it('has logs that are not in the roll-ups yet', async () => {
    const record = { createdAt: at(-200), apiKeyId: 'key-rare', aiModel: 'just-written' };
    const entry = logEntry(app, record);
    await app.db.collection('log_batches').insertOne({
      _id: 'left-behind' as never,
      organisationIds: [app.organisationId],
      writer: 'gone',
      number: 1,
      createdAt: new Date(),
      from: record.createdAt,
      until: record.createdAt,
    });
    await app.db.collection('logs').insertOne({ ...entry.record, batchId: 'left-behind' } as never);
    expect(await idsOf({ aiOrgModel: ['openai__just-written'] })).toEqual([entry.record._id]);
  });

  test('a search among too many is refused, and one that is narrowed is not', async () => {
    expect(errorOf(await select({ search: 'something' }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'filters.search',
    });
    expect(await idsOf({ search: 'something', statusCode: [500] })).toEqual([]);
  });
});
