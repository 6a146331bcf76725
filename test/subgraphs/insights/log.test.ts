import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogRecord } from '../../../src/recording/log/record.ts';
import { writeLogs } from '../../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import type { Tenant } from '../../support/app.ts';
import { type CountedApp, startCountedApp } from '../../support/counted-app.ts';
import { logEntry } from '../../support/logs.ts';
import { describeAccess, type Setting } from '../access.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';

let app: CountedApp;
let neighbour: Tenant;
let subject: string;
let config: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startCountedApp();
  neighbour = await app.createTenant();
  config = dataOf(
    await app.graphql(
      'mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id slug } }',
      { input: { name: 'c', config: { retry: { attempts: 1 } } } },
      app.workspaceKey,
    ),
  ).createConfig;
  subject = await store({ configId: config.id, configSlug: config.slug });
});
afterAll(() => app.stop());

const entryOf = (change: Partial<LogRecord>) => logEntry(app, change);

async function store(change: Partial<LogRecord>): Promise<string> {
  const entry = entryOf(change);
  await writeLogs(nativeDb(app.db), [entry]);
  return entry.record._id;
}

const select = async (filters: object, key = app.adminKey) =>
  app.graphql(
    'query ($filters: LogFilters) { logs(filters: $filters) { total data { id } } }',
    { filters },
    key,
  );

async function keyWith(scopes: string[]): Promise<{ id: string; key: string }> {
  const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
    key: app.workspaceKey,
    body: { name: 'limited', scopes },
  });
  return body as { id: string; key: string };
}

/** Any of them opens the logs of its own key; these every log. */
const allLogs = ['logs.view', 'logs.read'];
const opening = ['logs.view', 'logs.read', 'logs.write', 'completions.write'];

describeAccess(setting, 'workspace-service', {
  log: {
    document: 'query ($id: ID!) { log(id: $id) { id } }',
    variables: () => ({ id: subject }),
    scopes: opening,
    addressed: true,
  },
  logs: { document: '{ logs { total } }', scopes: ['logs.list'] },
});

describe('a log', () => {
  it('leads across three subgraphs with one read a level', async () => {
    await Promise.all([1, 2, 3].map(() => store({ configId: config.id })));
    const { answer, commands } = await app.commandsOf(() =>
      app.graphql('{ logs(pageSize: 4) { data { id config { slug workspace { id name } } } } }'),
    );
    const { logs } = dataOf(answer);
    expect(logs.data).toHaveLength(4);
    expect(logs.data[0].config).toMatchObject({ slug: config.slug, workspace: { id: app.workspaceId } });
    expect(commands).toEqual(['find logs', 'find configs', 'find workspaces']);
  });

  it('shows headers and bodies to whoever may view logs', async () => {
    const query = `query ($id: ID!) {
      logs(filters: { traceId: "trace-1" }, pageSize: 1) { data { id request { url } } }
      log(id: $id) { request { url method headers gatewayHeaders body truncated } response { status body } transformedRequest { url } }
    }`;
    expect(dataOf(await app.graphql(query, { id: subject })).log).toEqual({
      request: {
        url: '/v1/chat/completions',
        method: 'POST',
        headers: { accept: '*/*' },
        gatewayHeaders: { 'x-gateway-trace-id': 't' },
        body: { model: 'gpt-4o' },
        truncated: false,
      },
      response: { status: 200, body: { choices: [] } },
      transformedRequest: null,
    });
    const lister = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    const refused = await app.graphql('{ logs { data { id request { url } } } }', {}, lister);
    expect(errorOf(refused).code).toBe('FORBIDDEN');
    expect(refused.data.logs.data[0]).toMatchObject({ request: null });
  });

  const whole = 'query ($id: ID!) { log(id: $id) { request { url } response { status } } }';
  const shown = { request: { url: '/v1/chat/completions' }, response: { status: 200 } };

  it.each(opening)('is open by its id to %s alone, with headers and bodies', async (scope) => {
    const { id, key } = await keyWith([scope]);
    const opened = allLogs.includes(scope) ? subject : await store({ apiKeyId: id });
    expect(dataOf(await app.graphql(whole, { id: opened }, key)).log).toEqual(shown);
    expect(errorOf(await select({}, key)).code).toBe('FORBIDDEN');
  });

  it.each([['completions.write'], ['logs.write', 'completions.write']])(
    'of another key is closed to %s %s',
    async (...scopes) => {
      const { id, key } = await keyWith(scopes);
      expect(errorOf(await app.graphql(whole, { id: subject }, key)).code).toBe('FORBIDDEN');
      expect(await app.rest('GET', `/v1/logs/${subject}`, { key })).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringContaining('logs.view or logs.read') } },
      });
      const own = await store({ apiKeyId: id });
      expect(await app.rest('GET', `/v1/logs/${own}`, { key })).toMatchObject({ status: 200 });
    },
  );

  it('of another key keeps its bodies from lists and traces of whoever may only list', async () => {
    const { id, key } = await keyWith(['logs.list', 'completions.write']);
    const own = await store({ apiKeyId: id, traceId: 'shared', spanId: 'a' });
    const other = await store({ traceId: 'shared', spanId: 'b' });
    const query = `{
      logs(filters: { traceId: "shared" }) { data { id request { url } } }
      logHistory(filters: { traceId: "shared" }) { data { id request { url } } }
      trace(traceId: "shared") { spans { log { id request { url } } } }
    }`;
    const { data, errors } = await app.graphql(query, {}, key);
    const nodes: { id: string; request: unknown }[] = [
      ...data.logs.data,
      ...data.logHistory.data,
      ...data.trace.spans.map(({ log }: { log: unknown }) => log),
    ];
    for (const named of [own, other]) {
      const requests = nodes.filter((node) => node.id === named).map(({ request }) => request);
      expect(requests).toEqual(Array(3).fill(named === own ? shown.request : null));
    }
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(Array(3).fill('FORBIDDEN'));
  });

  it('refers to nothing that the credential may not read', async () => {
    const viewer = await makeKey(app, 'workspace-service', { only: ['logs.view'] });
    const { data, errors } = await app.graphql(
      'query ($id: ID!) { log(id: $id) { workspaceSlug config { slug } provider { slug } apiKey { name } workspace { slug } } }',
      { id: subject },
      viewer,
    );
    expect(data.log).toEqual({
      workspaceSlug: expect.stringMatching(/^ws-/),
      config: null,
      provider: null,
      apiKey: null,
      workspace: null,
    });
    expect(errors?.every(({ extensions }) => extensions.code === 'FORBIDDEN')).toBe(true);
  });

  it('is written once, however often its batch is', async () => {
    const [first, second] = [entryOf({ traceId: 'replayed' }), entryOf({ traceId: 'replayed' })];
    await writeLogs(nativeDb(app.db), [first]);
    await writeLogs(nativeDb(app.db), [first, second]);
    await writeLogs(nativeDb(app.db), []);
    expect(dataOf(await select({ traceId: 'replayed' })).logs.total).toBe(2);
  });

  it('of another tenant is nowhere', async () => {
    expect(dataOf(await select({}, neighbour.adminKey)).logs.total).toBe(0);
  });
});

describe('a list of logs', () => {
  let odd: string;
  beforeAll(async () => {
    odd = await store({
      traceId: 'odd',
      spanId: 'odd-span',
      createdAt: new Date('2026-01-02T00:00:00Z'),
      totalTokens: 9000,
      promptTokens: 4000,
      completionTokens: 5000,
      costNanodollars: 15_000_000,
      responseStatusCode: 429,
      aiProvider: 'groq',
      aiModel: 'a__b',
      configSlug: 'pc-odd',
      providerSlug: 'odd-provider',
      apiKeyId: 'odd-key',
      metadata: { team: 'search', stage: 'test' },
    });
  });

  it.each([
    ['trace', { traceId: 'odd' }],
    ['span', { spanId: 'odd-span' }],
    ['time', { timeOfGenerationMin: '2026-01-01T00:00:00Z', timeOfGenerationMax: '2026-01-03T00:00:00Z' }],
    ['total tokens', { totalUnitsMin: 9000, totalUnitsMax: 9000 }],
    ['prompt tokens', { promptTokenMin: 4000 }],
    ['completion tokens', { completionTokenMin: 5000, completionTokenMax: 6000 }],
    ['cost', { costMin: 1, costMax: 2 }],
    ['status', { statusCode: [429, 500] }],
    ['model', { aiOrgModel: ['groq__a__b', 'nobody__x'] }],
    ['config', { configs: ['pc-odd'] }],
    ['provider', { virtualKeys: ['@odd-provider'] }],
    ['key', { apiKeyIds: ['odd-key'] }],
    ['metadata', { metadata: { team: 'search', stage: 'test' } }],
    ['several at once', { traceId: 'odd', statusCode: [429], metadata: { team: 'search' } }],
  ])('is narrowed by %s', async (_what, filters) => {
    expect(dataOf(await select(filters)).logs).toEqual({ total: 1, data: [{ id: odd }] });
  });

  it.each(['statusCode', 'aiOrgModel', 'configs', 'virtualKeys', 'apiKeyIds'])(
    'is empty when %s names nothing that would do',
    async (name) => {
      expect(dataOf(await select({ [name]: [] })).logs).toEqual({ total: 0, data: [] });
    },
  );

  it('is narrowed by workspace', async () => {
    const query = 'query ($id: ID!) { workspace(id: $id) { slug } }';
    const { slug } = dataOf(await app.graphql(query, { id: app.workspaceId })).workspace;
    expect(dataOf(await select({ workspaceSlug: slug, traceId: 'odd' })).logs.total).toBe(1);
    expect(errorOf(await select({ workspaceSlug: neighbour.workspaceId })).code).toBe('VALIDATION_FAILED');
  });

  it.each([
    ['a model without provider', { aiOrgModel: ['gpt-4o'] }, 'filters.aiOrgModel'],
    ['metadata that is no object', { metadata: 'x' }, 'filters.metadata'],
    ['metadata that would be an operator', { metadata: { $where: '1' } }, 'filters.metadata.$where'],
    ['metadata that is no text', { metadata: { a: { $ne: 'b' } } }, 'filters.metadata.a'],
    ['a status that is none', { statusCode: [7] }, 'filters.statusCode[0]'],
  ])('is refused for %s', async (_what, filters, param) => {
    expect(errorOf(await select(filters))).toEqual({ code: 'VALIDATION_FAILED', param });
  });
});
