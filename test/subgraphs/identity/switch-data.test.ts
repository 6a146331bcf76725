import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scopesFor } from '../../../src/auth/index.ts';
import type { TestApp } from '../../support/app.ts';
import { type Browser, signedIn } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { json } from '../../support/provider.ts';
import { streamClient } from '../../support/subscriptions.ts';
import { addUser } from '../../support/users.ts';
import { startWorld, type World } from '../../support/world.ts';
import { auditRows, dataOf, errorOf, makeKey } from '../support.ts';

let world: World;
let app: TestApp;
let member: Browser;
let memberId: string;
let memberKey: string;
let serviceKey: string;
let ownLog: string;
let othersLog: string;
const traceId = 'shared-trace';

const keyOf = async (userId: string): Promise<string> => {
  const { body } = await app.rest('POST', '/v1/api-keys/workspace/user', {
    key: app.adminKey,
    body: {
      name: 'own',
      user_id: userId,
      workspace_id: app.workspaceId,
      scopes: scopesFor('workspace-user'),
    },
  });
  return (body as { key: string }).key;
};

beforeAll(async () => {
  world = await startWorld();
  app = world.app;
  memberId = (await addUser(app, { inWorkspace: 'member' }))._id;
  member = await signedIn(app, memberId, await app.token());
  memberKey = await keyOf(memberId);
  serviceKey = await makeKey(app, 'workspace-service');
  const requestOf = async (key: string): Promise<string> => {
    await world.call({ key, headers: { 'x-gateway-trace-id': traceId } });
    return eventually(async () => {
      const found = await app.graphql(`{ trace(traceId: "${traceId}") { spans { log { id apiKeyId } } } }`);
      const logs = found.data.trace.spans.map(({ log }: { log: { id: string; apiKeyId: string } }) => log);
      expect(logs).toHaveLength(key === memberKey ? 1 : 2);
      return logs.at(-1).id;
    });
  };
  ownLog = await requestOf(memberKey);
  othersLog = await requestOf(serviceKey);
});
afterAll(() => world.stop());

const document =
  'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { settings { switches { membersViewAllData } } } }';
const set = (input: object, key = app.adminKey) => app.graphql(document, { input }, key);
const setSwitches = async (switches: object | null) => dataOf(await set({ switches }));

const times = 'timeOfGenerationMin: "2026-01-01T00:00:00Z", timeOfGenerationMax: "2026-12-31T00:00:00Z"';

/** What a member sees of the two requests, by door. */
async function seen(graphql: (query: string) => Promise<{ data: any; errors?: unknown }>, key: string) {
  const data = dataOf(
    (await graphql(`{
      logs { total data { id } }
      logHistory { data { id } }
      byOthers: logs(filters: { apiKeyIds: ["nope"] }) { total }
      logFacets(field: api_key) { data { count } }
      trace(traceId: "${traceId}") { spans { log { id } } }
      logGroups(by: endpoint, ${times}) { data }
      analytics(${times}) { requests { summary { total } } groups(by: api_key) { total } }
    }`)) as never,
  );
  const rest = (await app.rest('GET', '/v1/logs', { key })).body as { data: { id: string }[] };
  const one = await app.rest('GET', `/v1/logs/${othersLog}`, { key });
  return {
    list: data.logs.data.map(({ id }: { id: string }) => id).sort(),
    total: data.logs.total,
    history: data.logHistory.data.length,
    facets: data.logFacets.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    trace: data.trace.spans.length,
    rows: data.logGroups.data[0].requests,
    analytics: data.analytics.requests.summary.total,
    groups: data.analytics.groups.total,
    rest: rest.data.length,
    othersLog: one.status,
  };
}
const all = () => ({
  list: [ownLog, othersLog].sort(),
  ...{ total: 2, history: 2, facets: 2, trace: 2, rows: 2, analytics: 2, groups: 2, rest: 2, othersLog: 200 },
});
const own = () => ({
  list: [ownLog],
  ...{ total: 1, history: 1, facets: 1, trace: 1, rows: 1, analytics: 1, groups: 1, rest: 1, othersLog: 404 },
});

describe('membersViewAllData', () => {
  it('off hides the requests of service keys and of others, at every door', async () => {
    await app.logged();
    const bySignIn = (query: string) => member.graphql(query, {}, app.workspaceId);
    const byKey = (query: string) => app.graphql(query, {}, memberKey);
    await eventually(async () => expect(await seen(bySignIn, memberKey)).toEqual(all()));
    await setSwitches({ membersViewAllData: false });
    expect(await seen(bySignIn, memberKey)).toEqual(own());
    expect(await seen(byKey, memberKey)).toEqual(own());
    expect((await app.graphql('{ logs { total } }', {}, serviceKey)).data.logs.total).toBe(2);
    await setSwitches(null);
    expect(await seen(bySignIn, memberKey)).toEqual(all());
  });

  it('cannot be passed by a filter that names somebody else', async () => {
    await setSwitches({ membersViewAllData: false });
    const query =
      '{ logs(filters: { userId: ["nope"] }) { total } not: logs(filters: { notUserId: ["nope"] }) { total } }';
    const data = dataOf(await member.graphql(query, {}, app.workspaceId));
    expect(data).toEqual({ logs: { total: 0 }, not: { total: 1 } });
    await setSwitches(null);
  });

  it('bounds the exports that the member makes, and hides those made before', async () => {
    const make = async (filters = {}) =>
      dataOf(
        await app.graphql(
          'mutation ($input: CreateLogExportInput!) { createLogExport(input: $input) { id total } }',
          { input: { filters, requestedData: ['id'] } },
          memberKey,
        ),
      ).createLogExport;
    const before = await make();
    expect(before.total).toBe(2);
    await setSwitches({ membersViewAllData: false });
    const bounded = await make();
    expect(bounded.total).toBe(1);
    const { data } = await app.graphql('{ logExports { data { id } } }', {}, memberKey);
    expect(data.logExports.data).toEqual([{ id: bounded.id }]);
    const [own, others] = [
      await make({ userId: [memberId, 'another'] }),
      await make({ userId: ['another'], notApiKeyIds: ['nope'] }),
    ];
    expect([own.total, others.total]).toEqual([1, 0]);
    const again = await app.graphql('{ logExports { data { id } } }', {}, memberKey);
    expect(again.data.logExports.data).toEqual([others, own, bounded].map(({ id }) => ({ id })));
    const hidden = await app.rest('GET', `/v1/logs/exports/${before.id}`, { key: memberKey });
    expect(hidden.status).toBe(404);
    await setSwitches(null);
  });

  it('bounds subscriptions, and ends those that saw more', async () => {
    const client = streamClient(app.url, memberKey);
    const wide = client.subscribe('subscription { logAdded { id } }');
    const ended = wide.next();
    await setSwitches({ membersViewAllData: false });
    expect((await ended)?.errors?.[0]?.message).toBe('The roles have changed. Connect again.');
    const narrow = client.subscribe('subscription { logAdded { id } }');
    const first = narrow.next();
    await eventually(async () => {
      await world.logged(json(200, { id: 'x', choices: [] }), { key: serviceKey });
      const { record } = await world.logged(json(200, { id: 'x', choices: [] }), { key: memberKey });
      expect((await Promise.race([first, null]))?.data?.logAdded.id ?? record._id).toBeTruthy();
    });
    const { data } = (await first) ?? {};
    const found = await app.graphql(`{ log(id: "${data?.logAdded.id}") { userId } }`);
    expect(found.data.log.userId).toBe(memberId);
    narrow.end();
    client.close();
    await setSwitches(null);
  });

  it('lets nobody give a key what they themselves see in part', async () => {
    const manager = await addUser(app, { inWorkspace: 'manager' });
    const browser = await signedIn(app, manager._id, await app.token());
    const create = (scopes: string[]) =>
      browser.graphql(
        'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { id } }',
        { input: { name: 'wide', scopes } },
        app.workspaceId,
      );
    await setSwitches({ managersViewAllData: false });
    expect(errorOf(await create(['logs.list']))).toEqual({ code: 'FORBIDDEN', param: 'input.scopes[0]' });
    dataOf(await create(['configs.read']));
    await setSwitches(null);
    dataOf(await create(['logs.list']));
  });
});

describe('API keys of members', () => {
  it('are those of their own, which they make where the switch says so', async () => {
    const other = await addUser(app, { inWorkspace: 'member' });
    await keyOf(other._id);
    const listed = async () =>
      dataOf(await member.graphql('{ apiKeys { data { userId type } } }', {}, app.workspaceId)).apiKeys.data;
    expect(await listed()).toEqual([{ userId: memberId, type: 'workspace-user' }]);
    const create = (userId?: string) =>
      member.graphql(
        'mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { id } }',
        { input: { name: 'mine', scopes: ['completions.write'], userId } },
        app.workspaceId,
      );
    expect(errorOf(await create()).code).toBe('FORBIDDEN');
    await setSwitches({ membersManageApiKeys: true });
    dataOf(await create());
    expect(errorOf(await create(other._id))).toEqual({ code: 'FORBIDDEN', param: 'input.userId' });
    expect(await listed()).toHaveLength(2);
    await setSwitches(null);
  });
});

describe('a change of the switches', () => {
  it('is refused where nobody could see the logs any more', async () => {
    const answer = await set({ switches: { orgAdminsViewLogs: false, membersViewLogs: false } });
    expect(errorOf(answer)).toEqual({ code: 'VALIDATION_FAILED', param: 'input.switches.orgAdminsViewLogs' });
    const { data } = await app.graphql(
      '{ organisation { settings { switches { orgAdminsViewLogs membersViewLogs } } } }',
      {},
      app.adminKey,
    );
    expect(data.organisation.settings.switches).toEqual({ orgAdminsViewLogs: true, membersViewLogs: true });
  });

  it('of admins is taken back only by who holds what it withholds', async () => {
    const owner = await addUser(app, { role: 'owner' });
    const admin = await signedIn(app, (await addUser(app, { role: 'admin' }))._id, await app.token());
    await setSwitches({ orgAdminsViewLogs: false });
    const input = { switches: { orgAdminsViewLogs: true } };
    expect(errorOf(await admin.graphql(document, { input }))).toEqual({
      code: 'FORBIDDEN',
      param: 'input.switches.orgAdminsViewLogs',
    });
    dataOf(await admin.graphql(document, { input: { switches: { membersViewLogs: false } } }));
    await app.db.collection('users').deleteOne({ _id: owner._id } as object);
    dataOf(await app.graphql(document, { input: { switches: null } }, await app.token()));
  });

  it('names a switch that no workspace may set', async () => {
    const answer = await set({ overridableSwitches: ['membersViewLogs', 'orgAdminsViewLogs'] });
    expect(errorOf(answer)).toEqual({ code: 'VALIDATION_FAILED', param: 'input.overridableSwitches[1]' });
  });

  it('is in the audit trail with what was before and after', async () => {
    await setSwitches({ managersViewApiKeys: false });
    await setSwitches({ managersViewApiKeys: null });
    const rows = await eventually(async () => {
      const found = await auditRows(app, {
        resourceType: 'organisation',
        'changes.member': /managersViewApiKeys/,
      });
      expect(found).toHaveLength(2);
      return found;
    });
    expect(rows[0]?.changes).toContainEqual(
      expect.objectContaining({ member: 'settings.switches.managersViewApiKeys', after: false }),
    );
    expect(rows[1]?.changes).toContainEqual(
      expect.objectContaining({
        member: 'settings.switches.managersViewApiKeys',
        before: false,
        after: null,
      }),
    );
  });
});
