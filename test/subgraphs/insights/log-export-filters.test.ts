import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GraphQLInputObjectType, print } from 'graphql';
import { createGraph, readSources } from '../../../src/graph/index.ts';
import { writeLogs } from '../../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { subgraphs } from '../../../src/subgraphs/index.ts';
import { bodyOf, refusalOf } from '../../rest-compat/support.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { logEntry } from '../../support/logs.ts';
import { until } from '../../support/world.ts';
import { dataOf, dumpResources, errorOf, makeKey } from '../support.ts';
import { evenRecord, narrowing, oddRecord, opposite } from './narrowing.ts';

let app: TestApp;
let neighbour: Tenant;
let directory: string;
/** The id of one of the two logs of the trace `few`. */
let odd: string;
/** The id of a log whose body alone has the words. */
let spoken: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-export-filters-'));
  app = await startApp({ DATA_DIR: directory });
  neighbour = await app.createTenant();
  const common = { traceId: 'few', createdAt: new Date(Date.UTC(2026, 0, 1)) };
  const entries = [
    logEntry(app, { ...common, ...oddRecord }),
    logEntry(app, { ...common, ...evenRecord }),
    logEntry(app, { traceId: 'spoken', apiKeyId: 'another' }),
    logEntry(neighbour, { ...common, ...oddRecord, error: 'upstream words' }),
  ];
  if (entries[2]?.bodies) entries[2].bodies.response.body = '{"text":"Upstream Words"}';
  await writeLogs(nativeDb(app.db), entries);
  [odd = '', , spoken = ''] = entries.map(({ record }) => record._id);
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The members of the graph as REST calls them. */
const snake = (filters: object) =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

const byRest = (filters: object, key = app.workspaceKey) =>
  app.rest('POST', '/v1/logs/exports', { key, body: { filters: snake(filters), requested_data: ['id'] } });
const byGraph = (filters: object, key = app.workspaceKey) =>
  app.graphql(
    'mutation ($input: CreateLogExportInput!) { createLogExport(input: $input) { id total } }',
    { input: { filters, requestedData: ['id'] } },
    key,
  );

/** Has an export written; answers the ids in its file. */
async function idsIn(exportId: string): Promise<string[]> {
  const call = (method: string, path: string) => app.rest(method, `/v1/logs/exports/${exportId}${path}`);
  bodyOf(await call('POST', '/start'));
  await until(async () => bodyOf(await call('GET', '')).status === 'success');
  const answer = await fetch(bodyOf(await call('GET', '/download')).signed_url);
  return (await answer.text())
    .trim()
    .split('\n')
    .flatMap((line) => (line ? [JSON.parse(line).id as string] : []));
}

const listed = async (filters: object): Promise<string[]> => {
  const query = 'query ($filters: LogFilters) { logHistory(filters: $filters, order: asc) { data { id } } }';
  const { logHistory } = dataOf(await app.graphql(query, { filters }, app.workspaceKey));
  return logHistory.data.map(({ id }: { id: string }) => id);
};

const all = [...narrowing, ...opposite, ['a span', { spanId: 'span-1' }] as [string, object]];

/** Of statuses, models, providers and configs exports take a text with commas. */
const asText = ['statusCode', 'aiOrgModel', 'configs', 'virtualKeys'];

describe('an export is filtered as the list is', () => {
  it('by all that lists are filtered by, within the same bounds, and shows it', () => {
    const { schema } = createGraph(readSources(subgraphs));
    const membersOf = (name: string) => (schema.getType(name) as GraphQLInputObjectType).getFields();
    const [list, asked] = [membersOf('LogFilters'), membersOf('LogExportFiltersInput')];
    const shown = membersOf('LogExportFilters');
    for (const [name, { astNode }] of Object.entries(list)) {
      expect(Object.keys(asked)).toContain(name);
      expect(Object.keys(shown)).toContain(name);
      if (asText.includes(name)) continue;
      const definition = ({ type, directives }: NonNullable<typeof astNode>) =>
        [print(type), ...(directives ?? []).map(print)].join(' ');
      const own = asked[name]?.astNode;
      expect({ name, is: own && definition(own) }).toEqual({ name, is: astNode && definition(astNode) });
    }
  });

  it.each(all)('by %s', async (_what, given) => {
    const filters = { traceId: 'few', ...given };
    const wanted = await listed(filters);
    const drawnUp = bodyOf(await byRest(filters));
    expect(drawnUp.total).toBe(wanted.length);
    expect(dataOf(await byGraph(filters)).createLogExport.total).toBe(wanted.length);
    expect(await idsIn(drawnUp.id)).toEqual(wanted);
    expect(bodyOf(await app.rest('GET', `/v1/logs/exports/${drawnUp.id}`)).filters).toMatchObject(
      snake(filters),
    );
  });

  it('by several at once, and none that it has is left out', async () => {
    const filters = { apiKeyIds: ['key-odd'], endpoint: ['embed'], cacheStatus: ['SEMANTIC HIT'] };
    expect(await idsIn(bodyOf(await byRest(filters)).id)).toEqual([odd]);
    expect(await idsIn(bodyOf(await byRest({ ...filters, endpoint: ['chatComplete'] })).id)).toEqual([]);
    expect(await idsIn(bodyOf(await byRest({ traceId: 'few' })).id)).toEqual(
      await listed({ traceId: 'few' }),
    );
  });

  it.each([
    ['endpoint', { endpoint: [] }],
    ['key', { apiKeyIds: [] }],
  ])('by %s that nothing would do for', async (_what, filters) => {
    expect(bodyOf(await byRest(filters)).total).toBe(0);
  });
});

describe('an export of logs that have words', () => {
  it('has those whose errors, metadata or bodies have them, whoever starts it', async () => {
    const { id, total } = dataOf(await byGraph({ search: 'upSTREAM words' })).createLogExport;
    expect(total).toBe(1);
    expect(await idsIn(id)).toEqual([spoken]);
    expect(await listed({ search: 'upSTREAM words' })).toEqual([spoken]);
  });

  it('takes no notice of bodies that whoever drew it up may not open, even when another starts it', async () => {
    const narrow = await makeKey(app, 'workspace-service', { only: ['logs.export'] });
    const drawnUp = bodyOf(await byRest({ search: 'upstream words' }, narrow));
    expect(drawnUp.total).toBe(0);
    expect(await idsIn(drawnUp.id)).toEqual([]);
    const widened = { filters: { search: 'upstream words' } };
    const other = bodyOf(await byRest({ search: 'upstream words' }, narrow)).id;
    expect(bodyOf(await app.rest('PUT', `/v1/logs/exports/${other}`, { body: widened })).total).toBe(1);
    expect(await idsIn(other)).toEqual([spoken]);
  });

  it('has nothing that came after its start', async () => {
    const drawnUp = bodyOf(await byRest({ search: 'late words' }));
    await writeLogs(nativeDb(app.db), [
      logEntry(app, { error: 'late words', createdAt: new Date(Date.now() + 60_000) }),
    ]);
    expect(await idsIn(drawnUp.id)).toEqual([]);
  });
});

describe('an export with a filter', () => {
  it.each([
    ['a cache status that is none', { cacheStatus: ['hit'] }, 'cacheStatus[0]', 'cache_status[0]'],
    ['a class that is none', { statusClass: [0] }, 'statusClass[0]', 'status_class[0]'],
    ['a search for too little', { search: 'x' }, 'search', 'search'],
    ['a time below zero', { responseTimeMin: -1 }, 'responseTimeMin', 'response_time_min'],
    ['too many keys', { apiKeyIds: Array(101).fill('key') }, 'apiKeyIds', 'api_key_ids'],
    ['a model without provider', { notAiOrgModel: ['gpt-4o'] }, 'notAiOrgModel', 'not_ai_org_model'],
    ['an operator', { notMetadata: { $where: '1' } }, 'notMetadata.$where', 'not_metadata.$where'],
  ])('is refused for %s, at both doors', async (_what, filters, member, restMember) => {
    const before = await dumpResources(app);
    expect(errorOf(await byGraph(filters))).toEqual({
      code: 'VALIDATION_FAILED',
      param: `input.filters.${member}`,
    });
    expect(refusalOf(await byRest(filters))).toMatchObject({ status: 400, param: `filters.${restMember}` });
    expect(await dumpResources(app)).toBe(before);
  });

  it.each([
    ['a key', { apiKeyIds: ['key-odd'] }],
    ['a path', { endpoint: ['embed'] }],
    ['a cache status', { cacheStatus: ['SEMANTIC HIT'] }],
    ['words', { search: 'upstream words' }],
  ])("has none of a neighbour's logs: %s", async (_what, filters) => {
    const mine = bodyOf(await byRest(filters));
    expect(mine.total).toBe(1);
    const [id] = await idsIn(mine.id);
    const theirs = dataOf(await byGraph(filters, neighbour.workspaceKey)).createLogExport;
    expect(theirs.total).toBe(1);
    const seen = await app.rest('GET', `/v1/logs/exports/${mine.id}`, { key: neighbour.workspaceKey });
    expect(refusalOf(seen).status).toBe(404);
    expect([odd, spoken]).toContain(id);
  });
});
