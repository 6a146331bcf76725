import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.ts';
import { createLogWriter } from '../../../src/recording/log/writer.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { analyticsQuery } from '../../support/analytics.ts';
import { type CountedApp, startCountedApp } from '../../support/counted-app.ts';
import { eventually } from '../../support/eventually.ts';
import { logEntry } from '../../support/logs.ts';
import { dataOf, errorOf } from '../support.ts';

let app: CountedApp;

const moments = [
  // Around the 23 hours of 29 March in Berlin.
  '2026-03-28T22:59:59.999Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T21:59:59.999Z',
  '2026-03-29T22:00:00.000Z',
  // Around the 25 hours of 25 October in Berlin.
  '2026-10-24T21:59:59.999Z',
  '2026-10-24T22:00:00.000Z',
  '2026-10-25T22:59:59.999Z',
  '2026-10-25T23:00:00.000Z',
  // Around a midnight in Kolkata, half past in UTC, and one in Kathmandu.
  '2026-06-10T18:29:59.999Z',
  '2026-06-10T18:30:00.000Z',
  '2026-06-10T18:14:59.999Z',
  // Around the first hour of 6 September in Santiago, which has no midnight.
  '2026-09-06T03:59:59.999Z',
  '2026-09-06T04:00:00.000Z',
];

beforeAll(async () => {
  app = await startCountedApp({});
  const writer = createLogWriter({ database: async () => nativeDb(app.db), log: createLogger('silent') });
  await writer.write(moments.map((moment) => logEntry(app, { createdAt: new Date(moment) })));
  await writer.stop();
});
afterAll(() => app.stop());

const ask = (min: string, max: string, zone?: string) =>
  app.graphql(
    analyticsQuery('requests { summary { total } dataPoints { timestamp total } }'),
    { min, max, zone },
    app.workspaceKey,
  );

type Point = { timestamp: string; total: number };

/** The points of a window, each with its hours. */
async function daysOf(min: string, max: string, zone: string) {
  const points: Point[] = dataOf(await ask(min, max, zone)).analytics.requests.dataPoints;
  return points.map(({ timestamp, total }, index) => {
    const next = points[index + 1];
    const hours = next ? (Date.parse(next.timestamp) - Date.parse(timestamp)) / 3_600_000 : null;
    return { timestamp, total, hours };
  });
}

describe('days', () => {
  it('of 23 hours begin and end at midnight', async () => {
    const days = await daysOf('2026-03-20T12:00:00Z', '2026-04-05T12:00:00Z', 'Europe/Berlin');
    expect(days).toHaveLength(17);
    expect(days.slice(8, 11)).toEqual([
      { timestamp: '2026-03-27T23:00:00.000Z', total: 1, hours: 24 },
      { timestamp: '2026-03-28T23:00:00.000Z', total: 2, hours: 23 },
      { timestamp: '2026-03-29T22:00:00.000Z', total: 1, hours: 24 },
    ]);
  });

  it('of 25 hours do too', async () => {
    const days = await daysOf('2026-10-20T00:00:00Z', '2026-11-05T00:00:00Z', 'Europe/Berlin');
    expect(days.slice(4, 7)).toEqual([
      { timestamp: '2026-10-23T22:00:00.000Z', total: 1, hours: 24 },
      { timestamp: '2026-10-24T22:00:00.000Z', total: 2, hours: 25 },
      { timestamp: '2026-10-25T23:00:00.000Z', total: 1, hours: 24 },
    ]);
  });

  it.each([
    ['Asia/Kolkata', '2026-06-10T18:30:00.000Z', [2, 1]],
    ['Asia/Kathmandu', '2026-06-10T18:15:00.000Z', [1, 2]],
  ])('of %s begin within an hour, to the millisecond', async (zone, start, totals) => {
    const days = await daysOf('2026-06-01T00:00:00Z', '2026-06-20T00:00:00Z', zone);
    const at = days.findIndex(({ timestamp }) => timestamp === start);
    expect(days.slice(at - 1, at + 1).map(({ total }) => total)).toEqual(totals);
    expect(days.reduce((sum, { total }) => sum + total, 0)).toBe(3);
  });

  it('that begin within an hour have its logs read once, whatever is asked, and sums over all days need none', async () => {
    const window = { min: '2026-06-01T00:00:00Z', max: '2026-06-20T00:00:00Z' };
    const askIn = async (zone: string, fields: string) => {
      const { answer, commands } = await app.commandsOf(() =>
        app.graphql(analyticsQuery(fields), { ...window, zone }, app.workspaceKey),
      );
      const reads = commands.filter((command) => command === 'find logs').length;
      return { analytics: dataOf(answer).analytics, reads };
    };
    const sums = 'groups(by: model) { data { value requests } } metadataKeys';
    const sumsHere = await askIn('Asia/Kolkata', sums);
    expect(sumsHere.analytics.groups.data).toMatchObject([{ requests: 3 }]);
    expect(sumsHere.reads).toBe((await askIn('UTC', sums)).reads);
    const points = `requests { dataPoints { total } } latency { dataPoints { p50 } }
      groups(by: model, pageSize: 5) { data { dataPoints(metric: requests) { value } } }
      keys: groups(by: api_key, pageSize: 5) { data { dataPoints(metric: requests) { value } } }`;
    // The test before has asked for days of both zones.
    const kept = app.db.collection('log_rollups');
    await eventually(async () => expect(await kept.countDocuments({ span: 'split' })).toBe(2));
    await kept.deleteMany({ span: 'split' });
    const pointsHere = await askIn('Asia/Kolkata', points);
    const { requests, groups } = pointsHere.analytics;
    const totals = requests.dataPoints.map(({ total }: Point) => total);
    expect(totals.filter(Boolean)).toEqual([2, 1]);
    expect(groups.data[0].dataPoints.map(({ value }: { value: number }) => value)).toEqual(totals);
    const readsInUtc = (await askIn('UTC', points)).reads;
    expect(pointsHere.reads).toBe(readsInUtc + 1);
    // What was made of the logs is kept.
    await eventually(async () => {
      const again = await askIn('Asia/Kolkata', points);
      expect(again).toEqual({ ...pointsHere, reads: readsInUtc });
    });
  });

  it('without a midnight begin with their first hour', async () => {
    const days = await daysOf('2026-08-30T00:00:00Z', '2026-09-20T00:00:00Z', 'America/Santiago');
    const at = days.findIndex(({ timestamp }) => timestamp === '2026-09-06T04:00:00.000Z');
    expect(days.slice(at - 1, at + 1)).toEqual([
      { timestamp: '2026-09-05T04:00:00.000Z', total: 1, hours: 24 },
      { timestamp: '2026-09-06T04:00:00.000Z', total: 1, hours: 23 },
    ]);
  });

  it('are those of UTC unless a zone is named, and of 400 days none is missing', async () => {
    const utc = dataOf(await ask('2026-03-20T12:00:00Z', '2026-04-05T12:00:00Z')).analytics.requests
      .dataPoints;
    expect(utc.every(({ timestamp }: Point) => timestamp.endsWith('T00:00:00.000Z'))).toBe(true);
    const days = await daysOf('2025-11-01T00:00:00Z', '2026-11-20T00:00:00Z', 'America/New_York');
    expect(days.map(({ hours }) => hours).filter((hours) => hours !== 24)).toEqual([25, 23, 25, null]);
    expect(days.reduce((sum, { total }) => sum + total, 0)).toBe(moments.length);
  });
});

test('a zone that is none is refused, and hours are the same in each', async () => {
  for (const zone of ['Europe/Nowhere', 'x']) {
    expect(errorOf(await ask('2026-03-20T12:00:00Z', '2026-04-05T12:00:00Z', zone))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'timeZone',
    });
  }
  const [utc, berlin] = await Promise.all(
    ['UTC', 'Europe/Berlin'].map(async (zone) =>
      dataOf(await ask('2026-03-28T00:00:00Z', '2026-03-30T00:00:00Z', zone)),
    ),
  );
  expect(berlin).toEqual(utc);
});

test('a whole day of another zone is answered by sums alone', async () => {
  const { commands } = await app.commandsOf(() =>
    daysOf('2026-03-19T23:00:00Z', '2026-04-05T21:59:59.999Z', 'Europe/Berlin'),
  );
  expect(commands.filter((command) => command === 'find logs')).toEqual([]);
});

describe('values of logs', () => {
  const facets = (args: string) =>
    app.graphql(`{ logFacets(${args}) { object total data { value count } } }`);
  const range = 'timeOfGenerationMin: "2026-01-01T00:00:00Z"';
  it.each([
    ['model', 'gpt-4o'],
    ['endpoint', 'chatComplete'],
    ['cache_status', 'DISABLED'],
    ['status_code', '200'],
    ['user', 'ann'],
    ['user_id', null],
    ['source', null],
    ['stream', 'false'],
    ['workspace', expect.stringMatching(/^ws-/)],
  ])('by %s are counted', async (field, value) => {
    const { logFacets } = dataOf(await facets(`field: ${field}, filters: { ${range} }`));
    expect(logFacets).toEqual({ object: 'list', total: 1, data: [{ value, count: moments.length }] });
  });

  it('are read once for all fields of a request that have the same filters', async () => {
    const one = (as: string, field: string, filters: string) =>
      `${as}: logFacets(field: ${field}, filters: { ${filters} }) { data { value count } }`;
    const readsOf = async (...fields: string[]) => {
      const { answer, commands } = await app.commandsOf(() => app.graphql(`{ ${fields.join(' ')} }`));
      return {
        data: dataOf(answer),
        reads: commands.filter((command) => command === 'find log_rollups').length,
      };
    };
    const alone = await readsOf(one('model', 'model', range));
    const both = await readsOf(one('model', 'model', range), one('status', 'status_code', range));
    expect(alone.reads).toBeGreaterThan(0);
    expect(both.reads).toBe(alone.reads);
    expect(both.data).toEqual({
      model: alone.data.model,
      status: { data: [{ value: '200', count: moments.length }] },
    });
    const none = `${range}, notEndpoint: ["chatComplete"]`;
    const apart = await readsOf(one('model', 'model', range), one('none', 'model', none));
    expect(apart.data).toEqual({ model: alone.data.model, none: { data: [] } });
  });

  it('are those of a list under the same filters', async () => {
    const filters = `{ ${range}, timeOfGenerationMax: "2026-06-10T18:30:00Z", metadata: { _user: "ann" } }`;
    const { logFacets, logs } = dataOf(
      await app.graphql(
        `{ logFacets(field: model, filters: ${filters}) { data { count } } logs(filters: ${filters}) { total } }`,
      ),
    );
    expect(logFacets.data).toEqual([{ count: logs.total }]);
    const none = dataOf(await facets(`field: model, filters: { ${range}, notEndpoint: ["chatComplete"] }`));
    expect(none.logFacets).toEqual({ object: 'list', total: 0, data: [] });
  });

  it.each([
    ['filters: { workspaceSlug: "nowhere" }', 'filters.workspaceSlug'],
    ['filters: { notAiOrgModel: ["x"] }', 'filters.notAiOrgModel'],
    [`filters: { timeOfGenerationMin: "2024-01-01T00:00:00Z" }`, 'filters.timeOfGenerationMax'],
    ['limit: 101', 'limit'],
  ])('are refused for %s', async (args, param) => {
    expect(errorOf(await facets(`field: model, ${args}`))).toEqual({ code: 'VALIDATION_FAILED', param });
  });
});

// Last of all: every other test counts what there is.
test('an hour that was kept in two parts is made anew once more is logged in it, and is filtered like others', async () => {
  const writer = createLogWriter({ database: async () => nativeDb(app.db), log: createLogger('silent') });
  const days = { min: '2026-06-01T00:00:00Z', max: '2026-06-20T00:00:00Z' };
  const late = { createdAt: new Date('2026-06-10T18:31:00.000Z'), responseStatusCode: 500 };
  await writer.write([logEntry(app, late)]);
  await writer.stop();
  const query = analyticsQuery('requests { dataPoints { total } }');
  const totalsOf = async (filters: object) => {
    const variables = { ...days, zone: 'Asia/Kolkata', filters };
    const { requests } = dataOf(await app.graphql(query, variables, app.workspaceKey)).analytics;
    return requests.dataPoints.map(({ total }: Point) => total).filter(Boolean);
  };
  for (let times = 0; times < 2; times++) {
    expect(await totalsOf({})).toEqual([2, 2]);
    expect(await totalsOf({ statusCode: [500] })).toEqual([1]);
    expect(await totalsOf({ statusCode: [200] })).toEqual([2, 1]);
  }
});
