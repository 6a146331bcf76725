import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { bodyOf, refusalOf } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1${path}`, { key, body });

const budget = { credit_limit: 5, periodic_reset: 'monthly', alert_threshold: 4 };
const rates = [
  { type: 'requests', unit: 'rps', value: 2 },
  { type: 'tokens', unit: 'rpd', value: 100_000 },
];
const shownBudget = {
  ...budget,
  type: 'cost',
  current_usage: 0,
  last_reset_at: null,
  status: 'active',
  enforcement: 'hard',
  wait_ms: 1000,
};

const newKey = async (members: object) =>
  bodyOf(
    await call('POST', '/api-keys/workspace/service', {
      name: 'limited',
      workspace_id: app.workspaceId,
      scopes: [
        'completions.write',
        'workspace_service_api_keys.update',
        'workspace_service_api_keys.create',
        'policies.create',
        'providers.update',
      ],
      ...members,
    }),
  ) as { id: string; key: string };

it('keeps limits of a key, and shows what was used of them', async () => {
  const { id } = await newKey({ usage_limits: budget, rate_limits: rates });
  expect(bodyOf(await call('GET', `/api-keys/${id}`))).toMatchObject({
    usage_limits: shownBudget,
    rate_limits: rates,
  });
  const [limit] = (await app.db.collection('api_keys').findOne({ _id: id as never }))?.usageLimits ?? [];
  expect(limit.version).toBe(1);
  expect(bodyOf(await call('PUT', `/api-keys/${id}`, { usage_limits: { credit_limit: 6 } }))).toEqual({});
  const [after] = (await app.db.collection('api_keys').findOne({ _id: id as never }))?.usageLimits ?? [];
  expect(after).toMatchObject({ version: 2, since: limit.since, creditLimit: 6, periodicReset: null });
  expect(bodyOf(await call('PUT', `/api-keys/${id}`, { usage_limits: null, rate_limits: [] }))).toEqual({});
  expect(bodyOf(await call('GET', `/api-keys/${id}`))).toMatchObject({ usage_limits: null, rate_limits: [] });
});

it('keeps limits of providers and workspaces', async () => {
  const limits = { usage_limits: budget, rate_limits: rates };
  await call(
    'POST',
    '/providers',
    { name: 'P', slug: 'p', integration_id: 'mock', ...limits },
    app.workspaceKey,
  );
  const provider = bodyOf(await call('GET', '/providers/p', undefined, app.workspaceKey));
  expect(provider).toMatchObject({ usage_limits: shownBudget, rate_limits: rates });
  const many = { usage_limits: [budget, { type: 'requests', credit_limit: 9 }], rate_limits: rates };
  const { id } = bodyOf(await call('POST', '/admin/workspaces', { name: 'W', ...many })) as { id: string };
  expect(bodyOf(await call('GET', `/admin/workspaces/${id}`))).toMatchObject({
    usage_limits: [shownBudget, { type: 'requests', credit_limit: 9 }],
    rate_limits: rates,
  });
});

it.each([
  [
    'a threshold above the limit',
    { usage_limits: { ...budget, alert_threshold: 6 } },
    'usage_limits.alert_threshold',
  ],
  ['less than a dollar', { usage_limits: { credit_limit: 0.5 } }, 'usage_limits.credit_limit'],
  [
    'both periods',
    { usage_limits: { ...budget, periodic_reset_days: 3 } },
    'usage_limits.periodic_reset_days',
  ],
  ['a rate twice', { rate_limits: [rates[0], rates[0]] }, 'rate_limits[1]'],
  ['an unknown unit', { rate_limits: [{ ...rates[0], unit: 'rpx' }] }, 'rate_limits[0].unit'],
  ['a share of a rate below nothing', { rate_limits: [{ ...rates[0], value: -1 }] }, 'rate_limits[0].value'],
])('refuses %s', async (_what, members, param) => {
  const place = { workspace_id: app.workspaceId, scopes: ['completions.write'], name: 'x' };
  expect(
    refusalOf(await call('POST', '/api-keys/workspace/service', { ...place, ...members })),
  ).toMatchObject({
    status: 400,
    param,
  });
});

it('lets nobody who is limited set limits or make keys', async () => {
  const { id, key } = await newKey({ usage_limits: budget });
  const everyKey = { conditions: [{ key: 'api_key', value: '*' }], group_by: [{ key: 'api_key' }] };
  for (const [method, path, body] of [
    ['PUT', `/api-keys/${id}`, { usage_limits: { credit_limit: 1000 } }],
    ['PUT', `/api-keys/${id}`, { usage_limits: null }],
    ['POST', '/api-keys/workspace/service', { name: 'free', scopes: ['completions.write'] }],
    ['PUT', '/providers/mock', { rate_limits: [] }],
    ['POST', '/policies/usage-limits', { ...everyKey, type: 'cost', credit_limit: 1 }],
  ] as const)
    expect(refusalOf(await call(method, path, body, key))).toMatchObject({ status: 403, code: 'AB03' });
  expect(bodyOf(await call('GET', `/api-keys/${id}`))).toMatchObject({ usage_limits: { credit_limit: 5 } });
});

it('lets a workspace lift no limit of its own', async () => {
  const lift = { usage_limits: [{ credit_limit: 1000 }] };
  expect(
    refusalOf(await call('PUT', `/admin/workspaces/${app.workspaceId}`, lift, app.workspaceKey)),
  ).toMatchObject({
    status: 403,
    param: 'usage_limits',
  });
});
