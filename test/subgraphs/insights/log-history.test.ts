import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogRecord } from '../../../src/recording/log/record.ts';
import { writeLogs } from '../../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { logEntry } from '../../support/logs.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let other: { id: string; slug: string };
/** Oldest first; the last two of the same moment. */
let stored: string[];
let foreign: string;

const minute = (number: number) => new Date(Date.UTC(2026, 0, 1, 0, number));

async function store(owner: { organisationId: string; workspaceId: string }, records: Partial<LogRecord>[]) {
  const entries = records.map((record) => logEntry(owner, record));
  await writeLogs(nativeDb(app.db), entries);
  return entries.map(({ record }) => record._id);
}

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  other = dataOf(
    await app.graphql('mutation { createWorkspace(input: { name: "Other" }) { id slug } }'),
  ).createWorkspace;
  const costs = [3, 1, null, 2, 4];
  const moments = [0, 1, 2, 3, 3];
  const records = moments.map((moment, index) => ({
    createdAt: minute(moment),
    costNanodollars: costs[index] ?? null,
    responseTime: 100 - index,
    traceId: index % 2 === 0 ? 'even' : 'odd',
  }));
  stored = await store(app, records);
  await store({ ...app, workspaceId: other.id }, [{ createdAt: minute(9), traceId: 'elsewhere' }]);
  [foreign = ''] = await store(neighbour, [{ createdAt: minute(2) }]);
});
afterAll(() => app.stop());

const ask = (args: object = {}, key = app.workspaceKey) =>
  app.graphql(
    `query ($filters: LogFilters, $limit: Int! = 20, $order: SortDirection! = desc, $after: ID, $before: ID) {
      logHistory(filters: $filters, limit: $limit, order: $order, after: $after, before: $before) {
        object data { id traceId } firstId lastId hasMore
      }
    }`,
    args,
    key,
  );
const history = async (args: object = {}, key?: string) => dataOf(await ask(args, key)).logHistory;
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

describeAccess(() => ({ app, neighbour }), 'workspace-service', {
  logHistory: { document: '{ logHistory { hasMore } }', scopes: ['logs.list'] },
});

describe('the history of logs', () => {
  it('is newest first, in one piece when it is short', async () => {
    const found = await history();
    expect(found).toMatchObject({ object: 'list', hasMore: false, lastId: stored[0] });
    expect(idsOf(found)).toEqual([...stored].reverse());
    expect(idsOf(await history({ order: 'asc' }))).toEqual(stored);
  });

  it('leads on and back, logs of one moment included, and does not move when logs come in', async () => {
    const [a, b, c, d, e] = stored;
    const first = await history({ limit: 2 });
    expect([idsOf(first), first.hasMore]).toEqual([[e, d], true]);
    const [late] = await store(app, [{ createdAt: minute(8), traceId: 'late' }]);
    const second = await history({ limit: 2, after: first.lastId });
    expect([idsOf(second), second.hasMore]).toEqual([[c, b], true]);
    const third = await history({ limit: 2, after: second.lastId });
    expect([idsOf(third), third.hasMore]).toEqual([[a], false]);
    const back = await history({ limit: 2, before: second.firstId });
    expect([idsOf(back), back.hasMore]).toEqual([[e, d], true]);
    expect(idsOf(await history({ before: back.firstId }))).toEqual([late]);
    expect(idsOf(await history({ after: e, before: b }))).toEqual([d, c]);
  });

  it('takes the filters of the list of logs', async () => {
    expect(idsOf(await history({ filters: { traceId: 'even' }, limit: 2 }))).toEqual([stored[4], stored[2]]);
    expect(idsOf(await history({ filters: { timeOfGenerationMax: minute(1) }, after: stored[4] }))).toEqual([
      stored[1],
      stored[0],
    ]);
    const elsewhere = await history({ filters: { workspaceSlug: other.slug } }, app.adminKey);
    expect(elsewhere.data).toMatchObject([{ traceId: 'elsewhere' }]);
    expect(errorOf(await ask({ filters: { aiOrgModel: ['x'] } })).param).toBe('filters.aiOrgModel');
  });

  it('is empty without ids where there is nothing', async () => {
    expect(await history({ filters: { traceId: 'none' } })).toEqual({
      object: 'list',
      data: [],
      firstId: null,
      lastId: null,
      hasMore: false,
    });
  });

  it('knows no log of a neighbour, of another workspace or of nobody', async () => {
    const [elsewhere] = idsOf(await history({ filters: { traceId: 'elsewhere' } }, app.adminKey));
    for (const param of ['after', 'before']) {
      for (const id of [foreign, elsewhere, 'nothing', '']) {
        expect(errorOf(await ask({ [param]: id }))).toEqual({ code: 'VALIDATION_FAILED', param });
      }
    }
    expect(idsOf(await history({}, neighbour.adminKey))).toEqual([foreign]);
    expect(errorOf(await ask({ after: stored[0] }, neighbour.adminKey)).param).toBe('after');
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ after: 'x'.repeat(256) }, 'after'],
  ])('is refused for %p', async (args, param) => {
    expect(errorOf(await ask(args))).toEqual({ code: 'VALIDATION_FAILED', param });
  });
});

describe('a page of logs', () => {
  const sorted = async (sort: string) => {
    const filters = 'filters: { timeOfGenerationMax: "2026-01-01T00:03:00Z" }';
    const { logs } = dataOf(
      await app.graphql(`{ logs(${filters}, sort: ${sort}) { total data { id } } }`, {}, app.workspaceKey),
    );
    return logs.data.map(({ id }: { id: string }) => stored.indexOf(id));
  };

  it('is sorted by cost, by response time and by time', async () => {
    expect(await sorted('{ field: cost, direction: desc }')).toEqual([4, 0, 3, 1, 2]);
    expect(await sorted('{ field: cost, direction: asc }')).toEqual([2, 1, 3, 0, 4]);
    expect(await sorted('{ field: responseTime, direction: asc }')).toEqual([4, 3, 2, 1, 0]);
    expect(await sorted('{ field: createdAt, direction: asc }')).toEqual([0, 1, 2, 3, 4]);
  });

  it('has an index for its first and its deepest part, in one workspace and over all', async () => {
    const keys = (await app.db.collection('logs').indexes()).map(({ key }) => Object.keys(key).join(' '));
    expect(keys).toEqual(
      expect.arrayContaining(['organisationId workspaceId createdAt _id', 'organisationId createdAt _id']),
    );
  });
});
