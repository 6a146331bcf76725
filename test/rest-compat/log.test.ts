import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogRecord } from '../../src/recording/log/record.ts';
import { writeLogs } from '../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { logEntry } from '../support/logs.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1/logs${path}`, { key, body });
const log = {
  request: {
    url: 'https://api.example.com/v1/chat',
    provider: 'openai',
    headers: { accept: 'text/plain' },
    body: { model: 'gpt-4o' },
  },
  response: {
    status: 200,
    body: { usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } },
    response_time: 40,
  },
  metadata: { trace_id: 'trace-1', team: 'ads' },
};
/** Of an inserted log; `test/recording/log-members.test.ts` lists the members that any log has. */
const summary = {
  id,
  created_at: time,
  is_success: true,
  ai_org: 'openai',
  ai_model: 'gpt-4o',
  req_units: 2,
  res_units: 3,
  total_units: 5,
  // 2 x 0.00025 + 3 x 0.001 cents
  cost: 0.0035,
  cost_currency: 'USD',
  request_url: log.request.url,
  request_method: 'POST',
  response_status_code: 200,
  response_time: 40,
  cache_status: 'DISABLED',
  trace_id: 'trace-1',
  span_id: id,
  span_name: null,
  parent_span_id: null,
  mode: 'single',
  virtual_key: null,
  config: null,
  workspace_slug: expect.stringMatching(/^ws-/),
  api_key_id: id,
};

describe('/v1/logs', () => {
  it('stores, lists and reads', async () => {
    expect(bodyOf(await call('POST', '', log))).toEqual({});
    expect(bodyOf(await call('POST', '', [log, log]))).toEqual({});
    const filters =
      '?trace_id=trace-1&ai_org_model=openai__gpt-4o,groq__x&status_code=200,201&total_units_min=5&prompt_token_max=2' +
      '&time_of_generation_min=2026-01-01T00:00:00Z&metadata={"team":"ads"}&page_size=2';
    const list = bodyOf(await call('GET', filters));
    expect(list).toEqual({
      object: 'list',
      total: 3,
      data: [expect.objectContaining(summary), expect.objectContaining(summary)],
    });
    const [{ id: logId }] = list.data;
    expect(bodyOf(await call('GET', `/${logId}`))).toEqual({
      _id: logId,
      organisation_id: app.organisationId,
      created_at: time,
      request: {
        url: log.request.url,
        method: 'POST',
        headers: log.request.headers,
        body: log.request.body,
        gatewayHeaders: {},
      },
      response: {
        status: 200,
        headers: {},
        body: log.response.body,
        responseTime: 40,
        lastUsedOptionJsonPath: 'config',
      },
      finalUntransformedRequest: null,
      transformedRequest: null,
      originalResponse: null,
      metrics: expect.objectContaining({
        ...summary,
        organisation_id: app.organisationId,
        organisation_name: expect.any(String),
        config_id: null,
        is_proxy_call: false,
        stream_mode: 0,
        retry_success_count: 0,
        source: 'inserted',
        runtime: null,
        runtime_version: null,
        sdk_version: null,
        cache_type: null,
        last_used_option_index: 0,
        config_version_id: null,
        upstream_response_time: 40,
        gateway_processing_time: null,
        metadata: { team: 'ads' },
      }),
    });
    expect(refusalOf(await call('GET', `/${logId}`, undefined, neighbour.workspaceKey))).toMatchObject({
      status: 404,
      code: 'AB08',
    });
    expect(bodyOf(await call('GET', '', undefined, neighbour.adminKey)).total).toBe(0);
  });

  it('goes on listing after an answer with impossible token counts', async () => {
    const owner = await app.createTenant();
    const usage = { prompt_tokens: 5_000_000_000, completion_tokens: 1 };
    const wild = { ...log, response: { status: 200, body: { usage } } };
    expect(bodyOf(await call('POST', '', wild, owner.workspaceKey))).toEqual({});
    const { data } = bodyOf(await call('GET', '', undefined, owner.workspaceKey));
    expect(data).toMatchObject([{ req_units: null, res_units: 1, total_units: 1 }]);
  });

  it('shows a body as text that is nested too deeply to be shown as JSON', async () => {
    const owner = await app.createTenant();
    const { record, bodies } = logEntry(owner);
    if (!bodies) throw new Error('A log of a test has bodies.');
    const body = '['.repeat(50_000) + ']'.repeat(50_000);
    await writeLogs(nativeDb(app.db), [
      { record, bodies: { ...bodies, request: { ...bodies.request, body } } },
    ]);
    const read = bodyOf(await call('GET', `/${record._id}`, undefined, owner.workspaceKey));
    expect(read.request.body).toBe(body);
  });

  it('shows money in cents, and a log from before there were cache and price', async () => {
    const owner = await app.createTenant();
    const { record } = logEntry(owner, { costNanodollars: 12_345_678, cacheStatus: 'SEMANTIC HIT' });
    const old = logEntry(owner, { createdAt: new Date('2026-01-01T00:00:00Z') }).record;
    const newer = ['cacheStatus', 'cacheMode', 'costNanodollars', 'savingsNanodollars', 'tokenClasses'];
    const oldMembers = Object.entries(old).filter(([name]) => !newer.includes(name));
    await nativeDb(app.db)
      .collection<LogRecord>('logs')
      .insertMany([Object.fromEntries(oldMembers) as LogRecord, record]);
    const { data } = bodyOf(await call('GET', '', undefined, owner.workspaceKey));
    expect(data).toMatchObject([
      { id: record._id, cost: 1.2345678, cache_status: 'SEMANTIC HIT' },
      { id: old._id, cost: null, cache_status: 'DISABLED' },
    ]);
  });

  it('shows durations as whole milliseconds, however they are stored', async () => {
    const owner = await app.createTenant();
    const measured = { responseTime: 12.5, timeToFirstToken: 7.4, upstreamResponseTime: 2 ** 40 };
    const entry = logEntry(owner, measured);
    await writeLogs(nativeDb(app.db), [entry]);
    const [row] = bodyOf(await call('GET', '', undefined, owner.workspaceKey)).data;
    expect(row.response_time).toBe(13);
    const read = bodyOf(await call('GET', `/${row.id}`, undefined, owner.workspaceKey));
    expect(read.response.responseTime).toBe(13);
    expect(read.metrics).toMatchObject({ response_time: 13, upstream_response_time: 2 ** 31 - 1 });
    const { data } = await app.graphql('{ logs { data { timeToFirstToken } } }', {}, owner.workspaceKey);
    expect(data).toEqual({ logs: { data: [{ timeToFirstToken: 7 }] } });
  });

  it.each([
    ['?page_size=101', 'page_size'],
    ['?total_units_min=-1', 'total_units_min'],
    ['?time_of_generation_max=yesterday', 'time_of_generation_max'],
    ['?metadata={', 'metadata'],
    ['?ai_org_model=gpt', 'ai_org_model'],
    ['?status_code=200,abc', 'status_code'],
    ['?colour=red', 'colour'],
  ])('refuses %s', async (query, param) => {
    expect(refusalOf(await call('GET', query))).toMatchObject({ status: 400, param });
  });

  it('refuses pages far down by the name of the parameter', async () => {
    expect(refusalOf(await call('GET', '?current_page=101&page_size=100'))).toEqual({
      status: 400,
      code: 'AB01',
      param: 'current_page',
    });
  });

  it('refuses a log without URL, naming it', async () => {
    const { url: _url, ...request } = log.request;
    expect(refusalOf(await call('POST', '', { ...log, request }))).toMatchObject({
      status: 400,
      param: 'request.url',
    });
    expect(refusalOf(await call('POST', '', [log, { ...log, request }]))).toMatchObject({
      status: 400,
      param: '[1].request.url',
    });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['configs.list'] });
    await expectGuarded(app, ['POST', '/v1/logs', log], key);
    await expectGuarded(app, ['GET', '/v1/logs'], key);
    await expectGuarded(app, ['GET', '/v1/logs/some-id'], key);
  });
});
