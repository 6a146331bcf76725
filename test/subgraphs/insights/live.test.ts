import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import {
  openSubscriptions,
  type SubscriptionClient,
  socketClient,
  streamClient,
  until,
} from '../../support/subscriptions.ts';
import { makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
const clients: SubscriptionClient[] = [];

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await until(async () => (await openSubscriptions(app.url)) === 0);
});
afterAll(() => app.stop());

type Open = (url: string, key: string) => SubscriptionClient;
const transports: [string, Open][] = [
  ['WebSocket', socketClient],
  ['server-sent events', streamClient],
];

async function subscribe(key: string, query: string, variables = {}, open: Open = socketClient) {
  const before = await openSubscriptions(app.url);
  const client = open(app.url, key);
  clients.push(client);
  const results = client.subscribe(query, variables);
  await until(async () => (await openSubscriptions(app.url)) > before || results.waiting().length > 0);
  return results;
}

const chat = (content: string, key = app.workspaceKey, headers = {}) =>
  app.rest('POST', '/v1/chat/completions', {
    key,
    headers,
    body: { model: '@mock/mock-1', messages: [{ role: 'user', content }] },
  });

const inserted = (traceId: string, count = 1, status = 200) =>
  Array.from({ length: count }, (_, at) => ({
    request: { url: `/number/${at}`, body: {} },
    response: { status, body: {} },
    metadata: { trace_id: traceId },
  }));
const insert = (input: unknown, key = app.workspaceKey) =>
  app.graphql('mutation ($input: JSON!) { insertLogs(input: $input) }', { input }, key);

describe.each(transports)('a live tail of logs over %s', (_name, open) => {
  it('shows a request that went through the data plane, once, with what belongs to it', async () => {
    const tail = await subscribe(
      app.workspaceKey,
      'subscription { logAdded { endpoint aiModel traceId workspace { id } response { body } provider { slug } } }',
      {},
      open,
    );
    await chat('hello', app.workspaceKey, { 'x-gateway-trace-id': 'live-1' });
    const first = await tail.next();
    expect(first).toEqual({
      data: {
        logAdded: {
          endpoint: 'chatComplete',
          aiModel: 'mock-1',
          traceId: 'live-1',
          workspace: { id: app.workspaceId },
          response: { body: expect.objectContaining({ object: 'chat.completion' }) },
          provider: { slug: 'mock' },
        },
      },
    });
    await insert(inserted('live-2'));
    expect((await tail.next())?.data).toMatchObject({ logAdded: { traceId: 'live-2' } });
  });

  it('is narrowed by the filters of the list', async () => {
    const tail = await subscribe(
      app.workspaceKey,
      'subscription ($filters: LogFilters) { logAdded(filters: $filters) { traceId responseStatusCode } }',
      { filters: { statusCode: [418], traceId: 'wanted' } },
      open,
    );
    await insert([...inserted('wanted'), ...inserted('other', 1, 418)]);
    await insert(inserted('wanted', 1, 418));
    expect((await tail.next())?.data).toEqual({ logAdded: { traceId: 'wanted', responseStatusCode: 418 } });
    expect(tail.waiting()).toEqual([]);
  });

  it('keeps the order in which logs were written, and repeats none', async () => {
    const tail = await subscribe(
      app.workspaceKey,
      'subscription { logAdded(filters: { traceId: "ordered" }) { requestUrl } }',
      {},
      open,
    );
    await insert(inserted('ordered', 700));
    const urls: string[] = [];
    while (urls.length < 700) urls.push((await tail.next())?.data?.logAdded.requestUrl);
    expect(urls).toEqual(Array.from({ length: 700 }, (_, at) => `/number/${at}`));
    await insert(inserted('ordered'));
    expect((await tail.next())?.data?.logAdded.requestUrl).toBe('/number/0');
  });

  it.each([
    ['a missing scope', 'subscription { logAdded { id } }', { without: ['logs.list'] }, 'FORBIDDEN', null],
    [
      'a broken bound',
      `subscription { logAdded(filters: { traceId: "${'x'.repeat(256)}" }) { id } }`,
      {},
      'VALIDATION_FAILED',
      'filters.traceId',
    ],
    [
      'a filter that cannot be',
      'subscription { logAdded(filters: { aiOrgModel: ["x"] }) { id } }',
      {},
      'VALIDATION_FAILED',
      'filters.aiOrgModel',
    ],
    [
      'a workspace of somebody else',
      'subscription { logAdded(filters: { workspaceSlug: "ws-nobody" }) { id } }',
      {},
      'FORBIDDEN',
      'filters.workspaceSlug',
    ],
    ['an unknown field', 'subscription { logAdded { nope } }', {}, 'GRAPHQL_VALIDATION_FAILED', null],
    [
      'two at once',
      'subscription { a: logAdded { id } b: logAdded { id } }',
      {},
      'GRAPHQL_VALIDATION_FAILED',
      null,
    ],
    ['bad syntax', 'subscription {', {}, 'GRAPHQL_PARSE_FAILED', null],
  ])('is refused for %s', async (_what, query, scopes, code, param) => {
    const key = await makeKey(app, 'workspace-service', scopes);
    const client = open(app.url, key);
    clients.push(client);
    const error = await errorOf(client.subscribe(query));
    expect(error.extensions?.code).toBe(code);
    expect(error.extensions?.param ?? null).toBe(param);
  });
});

/** How a subscription was refused: over WebSocket as its error, in an event stream as its result. */
async function errorOf(results: ReturnType<SubscriptionClient['subscribe']>) {
  try {
    const result = await results.next();
    return result?.errors?.[0] ?? {};
  } catch (errors) {
    return (errors as { extensions?: Record<string, unknown> }[])[0] ?? {};
  }
}

describe('who sees what', () => {
  const tailOf = (key: string) =>
    subscribe(key, 'subscription { logAdded { id organisationId workspaceId } }');

  it('no other tenant and no other workspace sees a log', async () => {
    const made = await app.graphql('mutation { createWorkspace(input: { name: "Second" }) { id } }');
    const other = made.data.createWorkspace.id;
    const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
      key: app.adminKey,
      body: { name: 'second', scopes: ['logs.list', 'logs.write', 'completions.write'], workspace_id: other },
    });
    const otherKey = (body as { key: string }).key;
    const [own, whole, second, foreign] = await Promise.all(
      [app.workspaceKey, app.adminKey, otherKey, neighbour.adminKey].map(tailOf),
    );
    const seen = async (results: typeof own) => (await results?.next())?.data?.logAdded.workspaceId;
    await insert(inserted('tenant'));
    expect(await seen(own)).toBe(app.workspaceId);
    await insert(inserted('tenant'), otherKey);
    await insert(inserted('tenant'), neighbour.workspaceKey);
    expect([await seen(whole), await seen(whole)]).toEqual([app.workspaceId, other]);
    expect(await seen(second)).toBe(other);
    expect(await seen(foreign)).toBe(neighbour.workspaceId);
    for (const results of [own, whole, second, foreign]) expect(results?.waiting()).toEqual([]);
  });

  it('a reference of a log shows nothing that the credential may not read', async () => {
    const lister = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    const tail = await subscribe(lister, 'subscription { logAdded { id workspace { id } request { url } } }');
    await insert(inserted('limited'));
    const { data, errors = [] } = (await tail.next()) ?? {};
    expect(data?.logAdded).toMatchObject({ workspace: null, request: null });
    expect(errors.map(({ extensions }) => extensions?.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  });
});

describe('a live audit trail', () => {
  const query = `subscription ($filters: AuditLogFilters) {
    auditEntryAdded(filters: $filters) { resourceType action outcome organisationId }
  }`;
  const create = (key: string) =>
    app.graphql('mutation { createWorkspace(input: { name: "Audited" }) { id } }', {}, key);

  it.each(transports)('shows what was done and what was refused over %s', async (_name, open) => {
    const tail = await subscribe(app.adminKey, query, { filters: { resourceType: 'workspace' } }, open);
    const entry = { resourceType: 'workspace', action: 'create', organisationId: app.organisationId };
    await create(app.adminKey);
    expect((await tail.next())?.data).toEqual({ auditEntryAdded: { ...entry, outcome: 'success' } });
    await create(app.workspaceKey);
    expect((await tail.next())?.data).toEqual({ auditEntryAdded: { ...entry, outcome: 'refused' } });
  });

  it('is narrowed by filters, and stays within the tenant', async () => {
    const tail = await subscribe(app.adminKey, query, {
      filters: { resourceType: 'workspace', action: 'update' },
    });
    await create(app.adminKey);
    await create(neighbour.adminKey);
    await app.graphql('mutation ($id: ID!) { updateWorkspace(id: $id, input: { name: "New" }) { id } }', {
      id: app.workspaceId,
    });
    expect((await tail.next())?.data?.auditEntryAdded).toMatchObject({
      action: 'update',
      organisationId: app.organisationId,
    });
    expect(tail.waiting()).toEqual([]);
  });

  it('needs its scope', async () => {
    const key = await makeKey(app, 'organisation-service', { without: ['audit_logs.list'] });
    for (const [, open] of transports) {
      const client = open(app.url, key);
      clients.push(client);
      expect((await errorOf(client.subscribe(query))).extensions?.code).toBe('FORBIDDEN');
    }
  });
});
