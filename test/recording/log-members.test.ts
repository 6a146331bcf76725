import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LogRecord } from '../../src/recording/log/record.ts';
import { bodyOf, id, time } from '../rest-compat/support.ts';
import { dataOf } from '../subgraphs/support.ts';
import { chatAnswer, json } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

/** The name of a member in the store, in the graph and in REST (null where it is not), and its value. */
type Member = [stored: string | null, graph: string | null, rest: string | null, value: unknown];

let world: World;
let record: LogRecord;
/** What lists of REST show. */
let listed: Member[];
/** What only the log itself has. */
let others: Member[];

beforeAll(async () => {
  world = await startWorld();
  ({ record } = await world.logged(json(200, chatAnswer('hi')), {
    path: '/v1/chat/completions?x=1',
    headers: {
      'user-agent': 'tests/1',
      'x-gateway-metadata': '{"team":"search"}',
      'x-gateway-runtime': 'node',
      'x-gateway-runtime-version': 'v24',
      'x-gateway-package-version': 'sdk-1',
    },
    body: { model: `@${world.slug}/gpt-4o`, messages: [{ role: 'user', content: 'hello there' }] },
  }));
  const { db, organisationId, workspaceId } = world.app;
  const provider = await db.collection('providers').findOne({ slug: world.slug });
  const key = await db.collection('api_keys').findOne({ workspaceId });
  const organisation = await db.collection('organisations').findOne({});
  const milliseconds = expect.any(Number);

  listed = [
    ['_id', 'id', 'id', expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)],
    ['createdAt', null, null, expect.any(Date)],
    [null, 'createdAt', 'created_at', time],
    ['isSuccess', 'isSuccess', 'is_success', true],
    ['aiProvider', 'aiProvider', 'ai_org', 'openai'],
    ['aiModel', 'aiModel', 'ai_model', 'gpt-4o'],
    ['promptTokens', 'promptTokens', 'req_units', 3],
    ['completionTokens', 'completionTokens', 'res_units', 5],
    ['totalTokens', 'totalTokens', 'total_units', 8],
    // 3 x 2500 + 5 x 10000 billionths of a dollar; the graph and REST say cents.
    ['costNanodollars', null, null, 57_500],
    [null, 'cost', 'cost', 0.00575],
    [null, 'costCurrency', 'cost_currency', 'USD'],
    ['requestUrl', 'requestUrl', 'request_url', '/v1/chat/completions?x=1'],
    ['requestMethod', 'requestMethod', 'request_method', 'POST'],
    ['responseStatusCode', 'responseStatusCode', 'response_status_code', 200],
    ['responseTime', 'responseTime', 'response_time', milliseconds],
    ['cacheStatus', 'cacheStatus', 'cache_status', 'DISABLED'],
    ['traceId', 'traceId', 'trace_id', 'trace-1'],
    ['spanId', 'spanId', 'span_id', id],
    ['spanName', 'spanName', 'span_name', null],
    ['parentSpanId', 'parentSpanId', 'parent_span_id', null],
    ['mode', 'mode', 'mode', 'single'],
    ['providerSlug', 'providerSlug', 'virtual_key', world.slug],
    ['configSlug', 'configSlug', 'config', null],
    [null, 'workspaceSlug', 'workspace_slug', expect.stringMatching(/^ws-/)],
    ['apiKeyId', 'apiKeyId', 'api_key_id', key?._id],
  ];
  others = [
    ['organisationId', 'organisationId', 'organisation_id', organisationId],
    [null, 'organisationName', 'organisation_name', organisation?.name],
    ['workspaceId', 'workspaceId', null, workspaceId],
    ['expiresAt', null, null, expect.any(Date)],
    ['userId', 'userId', null, null],
    ['callerSpanId', null, null, null],
    ['endpoint', 'endpoint', null, 'chatComplete'],
    ['isProxyCall', 'isProxyCall', 'is_proxy_call', false],
    ['source', 'source', 'source', 'tests/1'],
    ['runtime', 'runtime', 'runtime', 'node'],
    ['runtimeVersion', 'runtimeVersion', 'runtime_version', 'v24'],
    ['sdkVersion', 'sdkVersion', 'sdk_version', 'sdk-1'],
    ['providerId', 'providerId', null, provider?._id],
    ['integrationId', 'integrationId', null, provider?.integrationId],
    ['configId', 'configId', 'config_id', null],
    ['configVersionId', 'configVersionId', 'config_version_id', null],
    ['lastUsedOptionIndex', 'lastUsedOptionIndex', 'last_used_option_index', 0],
    ['lastUsedOptionJsonPath', 'lastUsedOptionJsonPath', null, 'config'],
    ['retryAttemptCount', 'retryAttemptCount', 'retry_success_count', 0],
    ['streamMode', 'streamMode', 'stream_mode', 0],
    ['timeToFirstToken', 'timeToFirstToken', null, milliseconds],
    ['upstreamResponseTime', 'upstreamResponseTime', 'upstream_response_time', milliseconds],
    ['gatewayProcessingTime', 'gatewayProcessingTime', 'gateway_processing_time', milliseconds],
    ['cacheMode', 'cacheMode', 'cache_type', null],
    ['usageSource', 'usageSource', null, 'provider'],
    ['tokenClasses', 'tokenClasses', null, { request_token: 3, response_token: 5 }],
    // Class, units, cents for a unit, amount in billionths of a dollar.
    [
      'costLines',
      null,
      null,
      '["catalogue",["request_token",3,0.00025,7500],["response_token",5,0.001,50000]]',
    ],
    ['routing', null, null, null],
    ['limits', null, null, null],
    ['refusal', null, null, null],
    ['guardrails', 'guardrails', null, null],
    ['mcp', 'mcp', null, null],
    ['savingsNanodollars', null, null, null],
    [null, 'savings', null, null],
    ['metadata', 'metadata', 'metadata', { team: 'search' }],
    ['clientAborted', 'clientAborted', null, false],
    ['error', 'error', null, null],
    ['bodiesId', null, null, expect.any(String)],
    ['batchId', null, null, expect.any(String)],
  ];
});
afterAll(() => world.stop());

/** The members that one of the three shows, with their names there. */
const expected = (members: Member[], column: 0 | 1 | 2) =>
  Object.fromEntries(members.flatMap((member) => (member[column] ? [[member[column], member[3]]] : [])));

test('a chat call leaves one record with all that is known of it', () => {
  expect(record).toEqual(expected([...listed, ...others], 0));
});

test('the graph shows each member that is no object', async () => {
  const { __type: log } = dataOf(
    await world.app.graphql('{ __type(name: "Log") { fields { name type { kind ofType { kind } } } } }'),
  );
  const names = log.fields
    .filter(({ type }: any) => (type.ofType ?? type).kind === 'SCALAR')
    .map(({ name }: any) => name);
  const query = `query ($id: ID!) { log(id: $id) { ${names.join(' ')} } }`;
  expect(dataOf(await world.app.graphql(query, { id: record._id })).log).toEqual(
    expected([...listed, ...others], 1),
  );
});

test('REST shows all measures of a log, and some of them in lists', async () => {
  const get = async (path: string) => bodyOf(await world.app.rest('GET', `/v1/logs${path}`));
  expect((await get(`/${record._id}`)).metrics).toEqual(expected([...listed, ...others], 2));
  expect((await get('')).data).toEqual([expected(listed, 2)]);
});
