import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1/policies${path}`, { key, body });

const everyKey = { conditions: [{ key: 'api_key', value: '*' }], group_by: [{ key: 'api_key' }] };
const budget = { ...everyKey, type: 'cost', credit_limit: 10 };
const rate = { ...everyKey, type: 'requests', unit: 'rpm', value: 60 };

const made = async (path: string, body: object, key = app.workspaceKey): Promise<string> => {
  const answer = bodyOf(await call('POST', path, body, key));
  expect(answer).toEqual({ id, object: 'policy_usage_limits' });
  return (answer as { id: string }).id;
};

describe('/v1/policies/usage-limits', () => {
  const path = '/usage-limits';

  it('makes, reads, lists, updates and archives', async () => {
    const policy = await made(path, {
      ...budget,
      name: 'Monthly',
      description: 'd',
      conditions: [{ key: 'model', value: ['@mock/*', 'gpt-4o'], excludes: 'gpt-4o-mini' }],
      alert_threshold: 7.5,
      periodic_reset: 'monthly',
      workspace_id: app.workspaceId,
      organisation_id: app.organisationId,
    });
    const shown = {
      id: policy,
      name: 'Monthly',
      description: 'd',
      conditions: [{ key: 'model', value: ['@mock/*', 'gpt-4o'], excludes: 'gpt-4o-mini' }],
      group_by: [{ key: 'api_key' }],
      type: 'cost',
      credit_limit: 10,
      alert_threshold: 7.5,
      periodic_reset: 'monthly',
      periodic_reset_days: null,
      next_usage_reset_at: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/),
      last_reset_at: null,
      status: 'active',
      workspace_id: app.workspaceId,
      organisation_id: app.organisationId,
      created_at: time,
      last_updated_at: time,
      enforcement: 'hard',
      wait_ms: 1000,
      unpriced: 'count',
      on_store_loss: 'closed',
      on_crash: 'keep',
      on_abort: 'progress',
    };
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toEqual({
      ...shown,
      object: 'policy_usage_limits',
    });
    expect(bodyOf(await call('GET', `${path}?type=cost&page_size=1`))).toEqual({
      object: 'list',
      total: 1,
      data: [shown],
    });
    expect(bodyOf(await call('GET', `${path}?page_size=0`))).toEqual({ object: 'list', total: 1, data: [] });
    expect(bodyOf(await call('GET', `${path}?type=tokens`))).toMatchObject({ total: 0 });

    expect(
      bodyOf(
        await call('PUT', `${path}/${policy}`, {
          credit_limit: 20,
          periodic_reset_days: 30,
          alert_threshold: null,
        }),
      ),
    ).toEqual({});
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toMatchObject({
      ...{ credit_limit: 20, periodic_reset: null, periodic_reset_days: 30, alert_threshold: null },
      name: 'Monthly',
    });

    for (const answer of [
      await call('GET', `${path}/${policy}`, undefined, neighbour.workspaceKey),
      await call('PUT', `${path}/${policy}`, { credit_limit: 1 }, neighbour.workspaceKey),
      await call('DELETE', `${path}/${policy}`, undefined, neighbour.workspaceKey),
    ])
      expect(refusalOf(answer)).toMatchObject({ status: 404, code: 'AB08' });
    expect(bodyOf(await call('GET', path, undefined, neighbour.workspaceKey))).toMatchObject({ total: 0 });

    expect(bodyOf(await call('DELETE', `${path}/${policy}`))).toEqual({});
    expect(refusalOf(await call('GET', `${path}/${policy}`))).toMatchObject({ status: 404, code: 'AB08' });
    expect(refusalOf(await call('PUT', `${path}/${policy}`, { name: 'x' }))).toMatchObject({ status: 404 });
    expect(refusalOf(await call('DELETE', `${path}/${policy}`))).toMatchObject({ status: 404 });
    expect(bodyOf(await call('GET', `${path}/${policy}?status=archived`))).toMatchObject({
      status: 'archived',
    });
    expect(bodyOf(await call('GET', path))).toMatchObject({ total: 0 });
    expect(bodyOf(await call('GET', `${path}?status=archived`))).toMatchObject({ total: 1 });
  });

  it('counts days from the midnight that begins the day named', async () => {
    const policy = await made(path, {
      ...budget,
      periodic_reset_days: 30,
      next_usage_reset_at: '2099-05-06T17:30:00Z',
    });
    const { next_usage_reset_at: next } = bodyOf(await call('GET', `${path}/${policy}`)) as Record<
      string,
      string
    >;
    const days = (Date.parse('2099-05-06T00:00:00Z') - Date.parse(String(next))) / 86_400_000;
    expect(next).toMatch(/T00:00:00\.000Z$/);
    expect(days % 30).toBe(0);
    // What was read can be written back.
    expect(bodyOf(await call('PUT', `${path}/${policy}`, { next_usage_reset_at: next }))).toEqual({});
    await call('DELETE', `${path}/${policy}`);
  });

  it('takes a policy by the organisation, which names the workspace', async () => {
    const policy = await made(path, { ...budget, workspace_id: app.workspaceId }, app.adminKey);
    expect(refusalOf(await call('POST', path, budget, app.adminKey)).param).toBe('workspace_id');
    expect(
      bodyOf(await call('GET', `${path}?workspace_id=${app.workspaceId}`, undefined, app.adminKey)),
    ).toMatchObject({
      total: 1,
    });
    await call('DELETE', `${path}/${policy}`);
  });

  it.each([
    ['no conditions', { ...budget, conditions: [] }, 'conditions'],
    ['conditions left out', { ...budget, conditions: undefined }, 'conditions'],
    ['no groups', { ...budget, group_by: [] }, 'group_by'],
    ['an unknown fact', { ...budget, conditions: [{ key: 'colour', value: 'red' }] }, 'conditions[0].key'],
    ['metadata without a name', { ...budget, group_by: [{ key: 'metadata.' }] }, 'group_by[0].key'],
    ['a fact of rates', { ...budget, group_by: [{ key: 'endpoint_type' }] }, 'group_by[0].key'],
    ['a fact of tools', { ...budget, conditions: [{ key: 'mcp_tool', value: '*' }] }, 'conditions[0].key'],
    [
      'a value that is no text',
      { ...budget, conditions: [{ key: 'model', value: 3 }] },
      'conditions[0].value',
    ],
    ['an empty list', { ...budget, conditions: [{ key: 'model', value: [] }] }, 'conditions[0].value'],
    [
      'excludes that are no texts',
      { ...budget, conditions: [{ key: 'model', value: '*', excludes: [1] }] },
      'conditions[0].excludes',
    ],
    ['a group twice', { ...budget, group_by: [{ key: 'model' }, { key: 'model' }] }, 'group_by[1].key'],
    ['a threshold at the limit', { ...budget, alert_threshold: 10 }, 'alert_threshold'],
    ['both periods', { ...budget, periodic_reset: 'weekly', periodic_reset_days: 3 }, 'periodic_reset_days'],
    ['a period beyond a year', { ...budget, periodic_reset_days: 366 }, 'periodic_reset_days'],
    [
      'a beginning without a period',
      { ...budget, next_usage_reset_at: '2099-01-01T00:00:00Z' },
      'next_usage_reset_at',
    ],
    [
      'a beginning that is none',
      { ...budget, periodic_reset: 'weekly', next_usage_reset_at: '2099-01-01T00:00:00Z' },
      'next_usage_reset_at',
    ],
    ['more than nine million dollars', { ...budget, credit_limit: 9_000_001 }, 'credit_limit'],
    ['less than nothing', { ...budget, credit_limit: -1 }, 'credit_limit'],
    ['half a token', { ...budget, type: 'tokens', credit_limit: 10.5 }, 'credit_limit'],
    ['an unknown type', { ...budget, type: 'calls' }, 'type'],
    ['a long name', { ...budget, name: 'x'.repeat(256) }, 'name'],
    ['a long description', { ...budget, description: 'x'.repeat(501) }, 'description'],
    ['a share of a budget without the store', { ...budget, on_store_loss: 'local' }, 'on_store_loss'],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await call('POST', path, body))).toMatchObject({ status: 400, param });
    expect(bodyOf(await call('GET', path))).toMatchObject({ total: 0 });
  });

  it('refuses another organisation and another workspace', async () => {
    const others = { ...budget, organisation_id: neighbour.organisationId };
    expect(refusalOf(await call('POST', path, others))).toMatchObject({
      status: 403,
      param: 'organisation_id',
    });
    const elsewhere = { ...budget, workspace_id: neighbour.workspaceId };
    expect(refusalOf(await call('POST', path, elsewhere))).toMatchObject({
      status: 403,
      param: 'workspace_id',
    });
  });

  it.each(['type', 'group_by', 'workspace_id', 'target', 'version'])('changes no %s', async (member) => {
    const policy = await made(path, budget);
    const answer = refusalOf(await call('PUT', `${path}/${policy}`, { [member]: 'tokens' }));
    expect(answer).toMatchObject({ status: 400, param: member });
    await call('DELETE', `${path}/${policy}`);
  });

  it('holds an update to the rules of what it leaves as it is', async () => {
    const policy = await made(path, { ...budget, alert_threshold: 8 });
    expect(refusalOf(await call('PUT', `${path}/${policy}`, { credit_limit: 8 }))).toMatchObject({
      status: 400,
      param: 'alert_threshold',
    });
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toMatchObject({
      credit_limit: 10,
      alert_threshold: 8,
    });
    await call('DELETE', `${path}/${policy}`);
  });

  it('takes only credentials with the scope', async () => {
    const policy = await made(path, budget);
    const key = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    const at = `/v1/policies${path}`;
    await expectGuarded(app, ['POST', at, budget], key);
    await expectGuarded(app, ['GET', at], key);
    await expectGuarded(app, ['GET', `${at}/${policy}`], key);
    await expectGuarded(app, ['PUT', `${at}/${policy}`, { credit_limit: 1000 }], key);
    await expectGuarded(app, ['DELETE', `${at}/${policy}`], key);
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toMatchObject({
      credit_limit: 10,
      status: 'active',
    });
    await call('DELETE', `${path}/${policy}`);
  });

  it('says in the audit trail what was before and after', async () => {
    const policy = await made(path, budget);
    await call('PUT', `${path}/${policy}`, {
      credit_limit: 25,
      conditions: [{ key: 'model', value: 'gpt-4o' }],
    });
    const [row] = await auditRows(app, {
      action: 'update',
      resourceType: 'usage_limit_policy',
      targetId: policy,
    });
    expect(row?.changes).toEqual([
      {
        member: 'conditions',
        before: ['{"key":"api_key","value":"*"}'],
        after: ['{"key":"model","value":"gpt-4o"}'],
      },
      { member: 'creditLimit', before: 10, after: 25 },
      { member: 'version', before: 1, after: 2 },
    ]);
    await call('DELETE', `${path}/${policy}`);
  });
});

describe('/v1/policies/rate-limits', () => {
  const path = '/rate-limits';

  it('makes, reads, lists, updates and archives', async () => {
    const policy = await made(path, { ...rate, name: 'Calls' });
    const shown = {
      id: policy,
      name: 'Calls',
      description: null,
      conditions: [{ key: 'api_key', value: '*', excludes: null }],
      group_by: [{ key: 'api_key' }],
      type: 'requests',
      unit: 'rpm',
      value: 60,
      target: 'llm',
      status: 'active',
      workspace_id: app.workspaceId,
      organisation_id: app.organisationId,
      created_at: time,
      last_updated_at: time,
      window: 'bucket',
      enforcement: 'hard',
      wait_ms: 0,
      on_store_loss: 'local',
    };
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toEqual({
      ...shown,
      object: 'policy_rate_limits',
    });
    expect(bodyOf(await call('GET', `${path}?unit=rpm&type=requests&target=llm`))).toEqual({
      object: 'list',
      total: 1,
      data: [shown],
    });
    expect(bodyOf(await call('GET', `${path}?unit=rpw`))).toMatchObject({ total: 0 });
    expect(bodyOf(await call('PUT', `${path}/${policy}`, { unit: 'rpw', value: 5 }))).toEqual({});
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toMatchObject({
      unit: 'rpw',
      value: 5,
      name: 'Calls',
    });
    expect(refusalOf(await call('GET', `${path}/${policy}`, undefined, neighbour.workspaceKey)).status).toBe(
      404,
    );
    expect(refusalOf(await call('PUT', `${path}/${policy}`, { value: 6 }, neighbour.adminKey)).status).toBe(
      404,
    );
    expect(bodyOf(await call('DELETE', `${path}/${policy}`))).toEqual({});
    expect(refusalOf(await call('GET', `${path}/${policy}`))).toMatchObject({ status: 404, code: 'AB08' });
    expect(bodyOf(await call('GET', `${path}/${policy}?status=archived`))).toMatchObject({
      status: 'archived',
    });
  });

  it.each(['rpm', 'rph', 'rpd', 'rpw'])('takes the unit %s', async (unit) => {
    await call('DELETE', `${path}/${await made(path, { ...rate, unit })}`);
  });

  it('limits calls of tools', async () => {
    const policy = await made(path, {
      ...rate,
      target: 'mcp_tools',
      conditions: [{ key: 'mcp_server', value: 'files' }],
      group_by: [{ key: 'mcp_tool' }, { key: 'metadata._user' }],
    });
    expect(bodyOf(await call('GET', `${path}?target=mcp_tools`))).toMatchObject({
      data: [{ id: policy, target: 'mcp_tools' }],
    });
    await call('DELETE', `${path}/${policy}`);
  });

  it.each([
    ['no conditions', { ...rate, conditions: [] }, 'conditions'],
    ['no groups', { ...rate, group_by: [] }, 'group_by'],
    ['a unit of keys', { ...rate, unit: 'rps' }, 'unit'],
    ['a rate of money', { ...rate, type: 'cost' }, 'type'],
    ['nothing', { ...rate, value: 0 }, 'value'],
    ['half a call', { ...rate, value: 0.5 }, 'value'],
    ['an unknown target', { ...rate, target: 'tools' }, 'target'],
    ['a fact of tools', { ...rate, group_by: [{ key: 'mcp_tool' }] }, 'group_by[0].key'],
    ['a fact of models', { ...rate, target: 'mcp_tools', group_by: [{ key: 'model' }] }, 'group_by[0].key'],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await call('POST', path, body))).toMatchObject({ status: 400, param });
    expect(bodyOf(await call('GET', path))).toMatchObject({ total: 0 });
  });

  it.each(['type', 'target', 'group_by'])('changes no %s', async (member) => {
    const policy = await made(path, rate);
    const answer = refusalOf(await call('PUT', `${path}/${policy}`, { [member]: 'tokens' }));
    expect(answer).toMatchObject({ status: 400, param: member });
    await call('DELETE', `${path}/${policy}`);
  });

  it('takes only credentials with the scope', async () => {
    const policy = await made(path, rate);
    const key = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    const at = `/v1/policies${path}`;
    await expectGuarded(app, ['POST', at, rate], key);
    await expectGuarded(app, ['GET', at], key);
    await expectGuarded(app, ['GET', `${at}/${policy}`], key);
    await expectGuarded(app, ['PUT', `${at}/${policy}`, { value: 1000 }], key);
    await expectGuarded(app, ['DELETE', `${at}/${policy}`], key);
    expect(bodyOf(await call('GET', `${path}/${policy}`))).toMatchObject({ value: 60, status: 'active' });
    await call('DELETE', `${path}/${policy}`);
  });
});
