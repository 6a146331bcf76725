import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf, refusalOf } from '../../rest-compat/support.ts';
import { describeAccess } from '../../subgraphs/access.ts';
import { auditRows, dataOf, errorOf } from '../../subgraphs/support.ts';
import type { Tenant } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';

let world: World;
let neighbour: Tenant;
beforeAll(async () => {
  world = await startWorld();
  neighbour = await world.app.createTenant();
  world.provider.play(
    json(200, chatAnswer('hello', { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 })),
  );
});
afterAll(() => world.stop());

const twoCalls = { type: 'requests', credit_limit: 2, wait_ms: 0 };
const aSecond = { type: 'requests', unit: 'rps', value: 1000 };

const rest = async (method: string, path: string, body?: unknown, key = world.app.workspaceKey) =>
  bodyOf(await world.app.rest(method, `/v1${path}`, { key, body }));
const graph = async (query: string, variables: object = {}, key = world.app.adminKey) =>
  dataOf(await world.app.graphql(query, variables, key));

describeAccess(() => ({ app: world.app, neighbour }), 'organisation-service', {
  updateOrganisationLimits: {
    document: 'mutation { updateOrganisationLimits(input: { usageLimits: [] }) { id } }',
    scopes: ['organisation_settings.update'],
    audit: 'organisation.update_limits',
  },
});

/** Calls until one is refused, at most `most`; answers how many passed and whose limit it was. */
async function untilRefused(slug: string, most: number, key = world.app.workspaceKey) {
  for (let passed = 0; passed < most; passed++) {
    const { status, json: body } = await world.call({ key, body: { model: `@${slug}/gpt-4o`, messages } });
    if (status !== 200) return { passed, status, level: body.limit?.level, name: body.limit?.name };
  }
  return { passed: most };
}

/** A process learns of a reset while somebody asks; then so many calls pass. */
async function passesAgain(slug: string, calls: number, key = world.app.workspaceKey) {
  await eventually(async () => expect(await untilRefused(slug, 1, key)).toEqual({ passed: 1 }));
  expect(await untilRefused(slug, calls, key)).toMatchObject({ passed: calls - 1 });
}

/** Use is reported within a second. */
const used = (read: () => Promise<any>, expected: object) =>
  eventually(async () => expect(await read()).toMatchObject(expected));

describe('limits of a virtual key', () => {
  it('hold its calls, are shown, changed, set back, and tell that it is used up', async () => {
    const limits = { usage_limits: twoCalls, rate_limits: [aSecond] };
    await rest('POST', '/virtual-keys', {
      name: 'own',
      slug: 'own',
      provider: 'openai',
      key: 'sk-own',
      ...limits,
    });
    const virtualKey = () => rest('GET', '/virtual-keys/own');
    expect(await virtualKey()).toMatchObject({
      status: 'active',
      usage_limits: { ...twoCalls, current_usage: 0, status: 'active', last_reset_at: null },
      rate_limits: [aSecond],
    });
    const { slug } = { slug: world.slug };
    await rest('PUT', `/virtual-keys/${slug}`, limits);
    expect(await untilRefused(slug, 5)).toEqual({ passed: 2, status: 412, level: 'provider', name: slug });
    const spent = { status: 'exhausted', usage_limits: { current_usage: 2, status: 'exhausted' } };
    await used(() => rest('GET', `/virtual-keys/${slug}`), spent);
    expect(await rest('GET', `/providers/${slug}`)).toMatchObject(spent);
    const slugsOf = async (status: string) =>
      (
        await graph(
          'query ($w: ID!, $s: ProviderStatus) { providers(workspaceId: $w, status: $s) { data { slug status } } }',
          { w: world.app.workspaceId, s: status },
        )
      ).providers.data.map((row: { slug: string }) => row.slug);
    expect(await slugsOf('exhausted')).toEqual([slug]);
    expect(await slugsOf('active')).not.toContain(slug);
    expect(await slugsOf('active')).toContain('own');
    await rest('PUT', `/providers/${slug}`, { reset_usage: true });
    expect(await rest('GET', `/virtual-keys/${slug}`)).toMatchObject({
      status: 'active',
      usage_limits: { current_usage: 0, last_reset_at: expect.any(String) },
    });
    await passesAgain(slug, 2);
    await rest('PUT', `/virtual-keys/${slug}`, { usage_limits: { ...twoCalls, credit_limit: 3 } });
    await eventually(async () => expect(await untilRefused(slug, 1)).toEqual({ passed: 1 }));
    await rest('PUT', `/virtual-keys/${slug}`, { usage_limits: null, rate_limits: null });
    expect(await virtualKey()).toMatchObject({ usage_limits: expect.anything() });
    expect(await untilRefused(slug, 3)).toEqual({ passed: 3 });
  }, 120_000);
});

describe('limits of an integration in its workspaces', () => {
  const create = async (slug: string) => {
    const integration = `i-${slug}`;
    await rest(
      'POST',
      '/integrations',
      {
        ...{ name: integration, slug: integration, ai_provider_id: 'openai', key: 'sk-shared' },
        configurations: { custom_host: world.provider.url },
        create_default_provider: false,
      },
      world.app.adminKey,
    );
    await rest('POST', '/providers', { name: slug, slug, integration_id: integration });
    return integration;
  };
  const set = (integration: string, body: object) =>
    rest('PUT', `/integrations/${integration}/workspaces`, body, world.app.adminKey);
  const shown = async (integration: string) =>
    (await rest('GET', `/integrations/${integration}/workspaces`, undefined, world.app.adminKey)).workspaces;

  it('hold the calls of a workspace, and go on when its entry is written again', async () => {
    const integration = await create('entry');
    const entry = { id: world.app.workspaceId, enabled: true };
    await set(integration, { workspaces: [{ ...entry, usage_limits: [twoCalls], rate_limits: [aSecond] }] });
    expect(await untilRefused('entry', 5)).toEqual({
      ...{ passed: 2, status: 412, level: 'integration', name: integration },
    });
    await used(async () => (await shown(integration))[0], {
      ...{ id: world.app.workspaceId, enabled: true, rate_limits: [aSecond] },
      usage_limits: [{ ...twoCalls, current_usage: 2, status: 'exhausted' }],
    });
    await set(integration, { workspaces: [entry] });
    expect(await untilRefused('entry', 1)).toMatchObject({ status: 412 });
    await set(integration, { workspaces: [{ ...entry, usage_limits: [{ ...twoCalls, credit_limit: 3 }] }] });
    await eventually(async () => expect(await untilRefused('entry', 1)).toEqual({ passed: 1 }));
    await used(async () => (await shown(integration))[0], { usage_limits: [{ current_usage: 3 }] });
    await set(integration, { workspaces: [{ ...entry, reset_usage: true }] });
    await passesAgain('entry', 3);
    await set(integration, { workspaces: [{ ...entry, usage_limits: null }] });
    await eventually(async () => expect(await untilRefused('entry', 4)).toEqual({ passed: 4 }));
  }, 120_000);

  it('hold for every workspace without an entry, each for itself', async () => {
    const integration = await create('everywhere');
    await set(integration, { global_workspace_access: { enabled: true, usage_limits: [twoCalls] } });
    expect(await untilRefused('everywhere', 5)).toMatchObject({ passed: 2, level: 'integration' });
    expect(await rest('GET', `/integrations/${integration}`, undefined, world.app.adminKey)).toMatchObject({
      global_workspace_access_settings: { enabled: true, usage_limits: [twoCalls] },
    });
    await set(integration, {
      global_workspace_access: { enabled: true, usage_limits: [{ ...twoCalls, credit_limit: 4 }] },
    });
    await eventually(async () => expect(await untilRefused('everywhere', 2)).toEqual({ passed: 2 }));
    expect(await untilRefused('everywhere', 1)).toMatchObject({ status: 412 });
  }, 120_000);

  it.each([
    [
      'a threshold above the limit',
      { usage_limits: [{ ...twoCalls, alert_threshold: 3 }] },
      'alert_threshold',
    ],
    ['less than one', { usage_limits: [{ ...twoCalls, credit_limit: 0 }] }, 'credit_limit'],
  ])('refuse %s', async (_what, members, member) => {
    const integration = `i-entry`;
    for (const [body, at] of [
      [{ workspaces: [{ id: world.app.workspaceId, enabled: true, ...members }] }, 'workspaces[0]'],
      [{ global_workspace_access: { enabled: true, ...members } }, 'global_workspace_access'],
    ] as const)
      expect(
        refusalOf(
          await world.app.rest('PUT', `/v1/integrations/${integration}/workspaces`, {
            key: world.app.adminKey,
            body,
          }),
        ),
      ).toMatchObject({ status: 400, param: `${at}.usage_limits[0].${member}` });
  });
});

describe('limits of an organisation', () => {
  const SET = `mutation ($input: UpdateOrganisationLimitsInput!) { updateOrganisationLimits(input: $input) {
    usageLimits { type creditLimit currentUsage status } rateLimits { type unit value } } }`;

  it('hold the calls of all its workspaces, and of no other organisation', async () => {
    const usageLimits = [{ type: 'requests', creditLimit: 2, waitMs: 0 }];
    const rateLimits = [{ type: 'tokens', unit: 'rpm', value: 1_000_000 }];
    expect(await graph(SET, { input: { usageLimits, rateLimits } })).toEqual({
      updateOrganisationLimits: {
        usageLimits: [{ type: 'requests', creditLimit: 2, currentUsage: 0, status: 'active' }],
        rateLimits,
      },
    });
    expect(await untilRefused(world.slug, 5)).toMatchObject({
      passed: 2,
      status: 412,
      level: 'organisation',
    });
    const elsewhere = await world.app.rest('POST', '/v1/chat/completions', {
      key: neighbour.workspaceKey,
      body: { model: '@mock/mock-1', messages },
    });
    expect(elsewhere.status).toBe(200);
    await used(() => graph('{ organisation { usageLimits { currentUsage status } } }'), {
      organisation: { usageLimits: [{ currentUsage: 2, status: 'exhausted' }] },
    });
    await graph(SET, { input: { resetUsage: true } });
    await passesAgain(world.slug, 2);
    const [reset] = (
      await auditRows(world.app, { resourceType: 'organisation', action: 'update_limits' })
    ).slice(-1);
    expect(reset?.changes).toEqual([
      expect.objectContaining({
        member: 'usageLimits',
        before: [expect.stringContaining('"lastResetAt":null')],
        after: [expect.not.stringContaining('"lastResetAt":null')],
      }),
    ]);
    await graph(SET, { input: { usageLimits: null, rateLimits: null } });
    await eventually(async () => expect(await untilRefused(world.slug, 3)).toEqual({ passed: 3 }));
  }, 120_000);

  it('are refused where they say what cannot be', async () => {
    const usageLimits = [{ type: 'cost', creditLimit: 2, alertThreshold: 2 }];
    expect(errorOf(await world.app.graphql(SET, { input: { usageLimits } }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.usageLimits[0].alertThreshold',
    });
  });
});

describe('a key whose budget is used up', () => {
  it('is shown and listed as exhausted until its usage is set back', async () => {
    const { id, key } = await rest(
      'POST',
      '/api-keys/workspace/service',
      {
        name: 'short',
        workspace_id: world.app.workspaceId,
        scopes: ['completions.write'],
        usage_limits: twoCalls,
      },
      world.app.adminKey,
    );
    expect(await untilRefused(world.slug, 3, key)).toMatchObject({ passed: 2, level: 'api_key' });
    const shown = () => rest('GET', `/api-keys/${id}`, undefined, world.app.adminKey);
    await used(shown, { status: 'exhausted', usage_limits: { status: 'exhausted', current_usage: 2 } });
    const listed = async (status: string) =>
      (
        await graph(
          'query ($s: ApiKeyStatus) { apiKeys(status: $s, pageSize: 100) { data { id status } } }',
          {
            s: status,
          },
        )
      ).apiKeys.data;
    expect(await listed('exhausted')).toEqual([{ id, status: 'exhausted' }]);
    expect((await listed('active')).map((row: { id: string }) => row.id)).not.toContain(id);
    await rest('PUT', `/api-keys/${id}`, { reset_usage: true }, world.app.adminKey);
    expect(await shown()).toMatchObject({
      ...{ status: 'active', last_reset_at: expect.any(String) },
      usage_limits: { current_usage: 0 },
    });
    expect(await listed('exhausted')).toEqual([]);
    await passesAgain(world.slug, 2, key);
    const alarms = await graph(
      'query { limitAlarms(kind: limit_reset) { data { level limitName used amount } } }',
    );
    expect(alarms.limitAlarms.data).toContainEqual({
      level: 'api_key',
      limitName: 'short',
      used: 2,
      amount: 2,
    });
  }, 120_000);

  it('does not set itself back', async () => {
    const { id, key } = await rest(
      'POST',
      '/api-keys/workspace/service',
      {
        name: 'sly',
        workspace_id: world.app.workspaceId,
        scopes: ['workspace_service_api_keys.update'],
        usage_limits: twoCalls,
      },
      world.app.adminKey,
    );
    const answer = await world.app.rest('PUT', `/v1/api-keys/${id}`, { key, body: { reset_usage: true } });
    expect(refusalOf(answer)).toMatchObject({ status: 403 });
  });
});

describe('the usage of a workspace', () => {
  it('is set back by the organisation alone', async () => {
    const path = `/admin/workspaces/${world.app.workspaceId}`;
    await rest('PUT', path, { usage_limits: [twoCalls] }, world.app.adminKey);
    expect(await untilRefused(world.slug, 3)).toMatchObject({ passed: 2, level: 'workspace' });
    const answer = await world.app.rest('PUT', `/v1${path}`, { body: { reset_usage: true } });
    expect(refusalOf(answer)).toMatchObject({ status: 403, param: 'reset_usage' });
    await used(() => rest('GET', path, undefined, world.app.adminKey), {
      usage_limits: [{ current_usage: 2 }],
    });
    await rest('PUT', path, { reset_usage: true }, world.app.adminKey);
    await passesAgain(world.slug, 2);
    await rest('PUT', path, { usage_limits: [] }, world.app.adminKey);
  }, 120_000);
});

describe('the usage of a policy by value', () => {
  it('is shown on request, with the alarms that were sent', async () => {
    const { id } = await rest('POST', '/policies/usage-limits', {
      name: 'Calls of a user',
      conditions: [{ key: 'model', value: '*' }],
      group_by: [{ key: 'metadata._user' }],
      ...{ ...twoCalls, alert_threshold: 1 },
    });
    const path = `/policies/usage-limits/${id}`;
    expect(await rest('GET', path)).not.toHaveProperty('value_key_usage_map');
    expect(await rest('GET', `${path}?include_usage=true`)).toMatchObject({ id, value_key_usage_map: {} });
    for (const user of ['alice', 'alice', 'bob', 'alice'])
      await world.call({
        headers: { 'x-gateway-metadata': JSON.stringify({ _user: user }) },
        body: { model: `@${world.slug}/gpt-4o`, messages },
      });
    const told = { is_threshold_alerts_sent: true, is_exhausted_alerts_sent: true };
    await eventually(async () =>
      expect((await rest('GET', `${path}?include_usage=true`)).value_key_usage_map).toEqual({
        'metadata._user:alice': { current_usage: 2, status: 'exhausted', ...told },
        'metadata._user:bob': {
          current_usage: 1,
          status: 'active',
          ...told,
          is_exhausted_alerts_sent: false,
        },
      }),
    );
    await rest('DELETE', path);
  }, 120_000);
});
