import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows, dataOf, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { bodyOf, expectGuarded, id, refusalOf } from './support.ts';

let app: TestApp;
let neighbour: Tenant;
let policy: string;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());
afterEach(() => call('DELETE', `/${policy}`));

const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1/policies/usage-limits${path}`, { key, body });

/** Each user has so many calls. */
async function perUser(calls: number, groups = ['metadata._user']): Promise<void> {
  const answer = await call('POST', '', {
    name: 'Calls of a user',
    conditions: [{ key: 'model', value: '*' }],
    group_by: groups.map((key) => ({ key })),
    type: 'requests',
    credit_limit: calls,
  });
  policy = bodyOf(answer).id;
}

const chat = async (user: string): Promise<number> => {
  const answer = await app.rest('POST', '/v1/chat/completions', {
    key: app.workspaceKey,
    headers: { 'x-gateway-metadata': JSON.stringify({ _user: user }) },
    body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] },
  });
  return answer.status;
};

const entities = async (query = '') => bodyOf(await call('GET', `/${policy}/entities${query}`));
/** Use is reported within a second. */
const counted = (expected: object) =>
  eventually(async () => {
    const list = await entities();
    expect(Object.fromEntries(list.data.map((row: any) => [row.value_key, row.current_usage]))).toEqual(
      expected,
    );
    return list.data;
  });

describe('entities of a usage limit policy', () => {
  it('show what each value has used, and which of them have nothing left', async () => {
    await perUser(2);
    expect(await entities()).toEqual({ object: 'list', total: 0, data: [] });
    for (const user of ['alice', 'alice', 'bob']) expect(await chat(user)).toBe(200);
    expect(await chat('alice')).toBe(412);
    const [alice, bob] = await counted({ 'metadata._user:alice': 2, 'metadata._user:bob': 1 });
    expect(alice).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      value_key: 'metadata._user:alice',
      current_usage: 2,
      status: 'exhausted',
    });
    expect(bob).toMatchObject({ status: 'active' });
    expect(await entities('?status=exhausted')).toEqual({ object: 'list', total: 1, data: [alice] });
    expect(await entities('?status=active')).toEqual({ object: 'list', total: 1, data: [bob] });
    expect(await entities('?search=BOB')).toEqual({ object: 'list', total: 1, data: [bob] });
    expect(await entities('?search=user:.*')).toMatchObject({ total: 0 });
    expect(await entities('?page_size=1&current_page=1')).toEqual({ object: 'list', total: 2, data: [bob] });
    for (const [query, param] of [
      ['?status=gone', 'status'],
      ['?page_size=101', 'page_size'],
    ]) {
      expect(refusalOf(await call('GET', `/${policy}/entities${query}`))).toMatchObject({
        status: 400,
        param,
      });
    }
  });

  it('are set back one by one: calls go on, the others stay as they are, and it is told', async () => {
    await perUser(1);
    for (const user of ['alice', 'bob']) expect([await chat(user), await chat(user)]).toEqual([200, 412]);
    const [alice] = await counted({ 'metadata._user:alice': 1, 'metadata._user:bob': 1 });
    expect(bodyOf(await call('PUT', `/${policy}/entities/${alice.id}/reset`))).toEqual({});
    await eventually(async () => expect(await chat('alice')).toBe(200));
    expect(await chat('bob')).toBe(412);
    const [row] = await auditRows(app, { resourceType: 'usage_limit_policy', action: 'reset' });
    expect(row).toMatchObject({ targetId: policy, outcome: 'success' });
    const { limitAlarms } = dataOf(
      await app.graphql(
        '{ limitAlarms(kind: limit_reset) { data { limitName valueKey used amount unit } } }',
      ),
    );
    expect(limitAlarms.data).toEqual([
      ...[
        {
          limitName: 'Calls of a user',
          valueKey: 'metadata._user:alice',
          used: 1,
          amount: 1,
          unit: 'requests',
        },
      ],
    ]);
  });

  it('are set back by an update that names a value, in any of its spellings', async () => {
    await perUser(1);
    expect([await chat('carol'), await chat('carol')]).toEqual([200, 412]);
    const [carol] = await counted({ 'metadata._user:carol': 1 });
    for (const spelling of ['carol', 'metadata._user:carol', carol.id]) {
      expect(bodyOf(await call('PUT', `/${policy}`, { reset_usage_for_value: spelling }))).toEqual({});
      await eventually(async () => expect(await chat('carol')).toBe(200));
      await counted({ 'metadata._user:carol': 1 });
    }
    const refused = await call('PUT', `/${policy}`, { reset_usage_for_value: 'nobody' });
    expect(refusalOf(refused)).toMatchObject({ status: 400, param: 'reset_usage_for_value' });
  }, 120_000);

  it('of several groups have one counter for each combination', async () => {
    await perUser(1, ['metadata._user', 'model']);
    expect([await chat('dave'), await chat('dave')]).toEqual([200, 412]);
    await counted({ 'metadata._user:dave|model:@mock/mock-1': 1 });
  });

  it('are found by nobody else, and changed only with the scope', async () => {
    await perUser(1);
    expect([await chat('erin'), await chat('erin')]).toEqual([200, 412]);
    const [erin] = await counted({ 'metadata._user:erin': 1 });
    const reset = `/${policy}/entities/${erin.id}/reset`;
    const theirs = neighbour.workspaceKey;
    for (const [method, path] of [
      ['GET', `/${policy}/entities`],
      ['PUT', reset],
    ] as const)
      expect(refusalOf(await call(method, path, undefined, theirs))).toMatchObject({
        status: 404,
        code: 'AB08',
      });
    expect(refusalOf(await call('PUT', `/${policy}/entities/nothing/reset`))).toMatchObject({ status: 404 });
    const key = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    const at = '/v1/policies/usage-limits';
    await expectGuarded(app, ['GET', `${at}/${policy}/entities`], key);
    await expectGuarded(app, ['PUT', at + reset], key);
    expect(await chat('erin')).toBe(412);
    expect(policy).toEqual(id);
  });
});
