import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { dataOf, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let own: { id: string; slug: string; version_id: string };
let common: { id: string; slug: string; version_id: string };
const setting = (): Setting => ({ app, neighbour });

const without = (word: string) => ({
  id: 'default.contains',
  parameters: { words: [word], operator: 'none' },
});
const rest = async (method: string, path: string, body: unknown, key = app.workspaceKey): Promise<any> => {
  const answer = await app.rest(method, `/v1${path}`, { key, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body;
};

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  own = await rest('POST', '/guardrails', {
    name: 'Own',
    checks: [without('evil')],
    actions: { deny: true },
  });
  common = await rest('POST', '/org-guardrails', { name: 'Common', checks: [without('bad')] }, app.adminKey);
  const defaults = { input_guardrails: [own.slug] };
  await rest('PUT', `/admin/workspaces/${app.workspaceId}`, { defaults }, app.adminKey);
  const lists = { input_guardrails: [common.id], output_guardrails: [common.id] };
  await rest('PUT', '/admin/organisation/defaults', lists, app.adminKey);
});
afterAll(() => app.stop());

const run = (input: object, key = app.workspaceKey) =>
  app.graphql(
    `query ($input: TestGuardrailsInput!) { testGuardrails(input: $input) {
      verdict denied status hookResults text body } }`,
    { input },
    key,
  );
const effectiveDocument = `query ($workspaceId: ID, $configId: ID, $apiKeyId: ID) {
  effectiveGuardrails(workspaceId: $workspaceId, configId: $configId, apiKeyId: $apiKeyId) {
    workspaceId configId broken exemptions { phase guardrailIds excludedBy createdAt }
    targets { target input { id versionId name origin deny async mayEdit stream checks } output { id origin } } } }`;
const effective = (variables: object = {}, key = app.workspaceKey) =>
  app.graphql(effectiveDocument, variables, key);

describeAccess(setting, 'workspace-service', {
  testGuardrails: {
    document: 'query { testGuardrails(input: { text: "hello" }) { verdict } }',
    scopes: ['guardrails.invoke'],
  },
  effectiveGuardrails: {
    document: '{ effectiveGuardrails { workspaceId } }',
    scopes: ['guardrails.invoke', 'guardrails.read'],
  },
});

describe('what calls come under', () => {
  const ofWorkspace = () => ({ id: own.id, origin: 'workspace' });
  const ofOrganisation = () => ({ id: common.id, origin: 'organisation' });

  it('is the workspace’s and then the organisation’s, with versions', async () => {
    expect(dataOf(await effective()).effectiveGuardrails).toMatchObject({
      ...{ workspaceId: app.workspaceId, configId: null, broken: [], exemptions: [] },
      targets: [
        {
          target: null,
          input: [
            {
              ...{ ...ofWorkspace(), versionId: own.version_id, name: 'Own', deny: true, async: false },
              ...{ mayEdit: false, stream: 'window', checks: ['default.contains'] },
            },
            { ...ofOrganisation(), versionId: common.version_id, deny: false, stream: 'report' },
          ],
          output: [ofOrganisation()],
        },
      ],
    });
  });

  it('begins with the config’s, for each target, whether the config or its key is named', async () => {
    const named = await rest('POST', '/guardrails', { name: 'Named', checks: [without('worse')] });
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: 'openai', api_key: 'k', input_guardrails: [named.slug] }, { provider: '@mock' }],
      output_guardrails: [{ 'default.notNull': {} }],
    };
    const { data } = await rest('POST', '/configs', { name: 'C', config });
    const key = await rest('POST', '/api-keys/workspace/service', {
      ...{ name: 'K', scopes: ['completions.write'], defaults: { config_id: data.id } },
    });
    for (const variables of [{ configId: data.id }, { apiKeyId: key.id }]) {
      const { configId, targets } = dataOf(await effective(variables)).effectiveGuardrails;
      expect(configId).toBe(data.id);
      const inline = { id: expect.stringContaining('output_guardrails[0]'), origin: 'config' };
      expect(targets).toMatchObject([
        {
          target: 'config.targets[0]',
          input: [{ id: named.id, origin: 'config' }, ofWorkspace(), ofOrganisation()],
          output: [inline, ofOrganisation()],
        },
        {
          target: 'config.targets[1]',
          input: [ofWorkspace(), ofOrganisation()],
          output: [inline, ofOrganisation()],
        },
      ]);
    }
    expect(errorOf(await effective({ configId: 'none' })).param).toBe('configId');
    expect(errorOf(await effective({ apiKeyId: 'none' })).param).toBe('apiKeyId');
  });

  it('shows who took a workspace out, and when', async () => {
    const exclude = (excluded: boolean) => ({ workspaces: [{ workspace_id: app.workspaceId, excluded }] });
    await rest('PUT', '/workspace-exclusions/output-guardrails', exclude(true), app.adminKey);
    const { targets, exemptions } = dataOf(await effective()).effectiveGuardrails;
    expect(targets).toMatchObject([{ input: [ofWorkspace(), ofOrganisation()], output: [] }]);
    expect(exemptions).toEqual([
      {
        ...{ phase: 'output', guardrailIds: [common.id] },
        ...{ excludedBy: expect.any(String), createdAt: expect.any(String) },
      },
    ]);
    await rest('PUT', '/workspace-exclusions/output-guardrails', exclude(false), app.adminKey);
  });

  it('is told of its own workspaces only', async () => {
    expect(errorOf(await effective({ workspaceId: neighbour.workspaceId })).code).toBe('FORBIDDEN');
    const elsewhere = dataOf(await effective({}, neighbour.workspaceKey)).effectiveGuardrails;
    expect(elsewhere.targets).toEqual([{ target: null, input: [], output: [] }]);
  });
});

describe('a test of guardrails', () => {
  test('runs what is enforced, as calls would, and stores nothing', async () => {
    const before = await dumpResources(app);
    const denied = dataOf(await run({ text: 'an evil text' })).testGuardrails;
    expect(denied).toMatchObject({ verdict: false, denied: true, status: 446 });
    expect(denied.hookResults.before_request_hooks).toMatchObject([
      { id: own.id, verdict: false, deny: true },
      { id: common.id },
    ]);
    const failed = dataOf(await run({ text: 'a bad text', phase: 'output' })).testGuardrails;
    expect(failed).toMatchObject({ verdict: false, denied: false, status: 246 });
    expect(failed.hookResults).toMatchObject({
      ...{ before_request_hooks: [], after_request_hooks: [{ id: common.id, verdict: false }] },
    });
    expect(dataOf(await run({ text: 'fine' })).testGuardrails).toMatchObject({ verdict: true, status: 200 });
    expect(await dumpResources(app)).toBe(before);
  });

  test('runs those that are named, or checks that are not stored, and shows what they changed', async () => {
    const byName = dataOf(await run({ text: 'a bad text', guardrailIds: [common.slug] })).testGuardrails;
    expect(byName).toMatchObject({ verdict: false, status: 246 });
    const checks = [{ id: 'default.regexReplace', parameters: { rule: 'bad', redactText: '***' } }];
    const edited = dataOf(await run({ text: 'a bad text', checks })).testGuardrails;
    expect(edited).toMatchObject({ verdict: true, text: 'a *** text', body: null });
    const body = { model: 'm', input: 'bad', tools: [] };
    expect(dataOf(await run({ body, checks })).testGuardrails).toMatchObject({
      ...{ text: null, body: { ...body, input: '***' } },
    });
    const asked = { checks: [{ id: 'default.modelWhitelist', parameters: { models: ['m'] } }], text: 'x' };
    expect(dataOf(await run({ ...asked, model: 'm' })).testGuardrails.verdict).toBe(true);
    expect(dataOf(await run({ ...asked, model: 'other' })).testGuardrails.verdict).toBe(false);
    const later = { text: 'bad', checks: [without('bad')], actions: { async: true, deny: true } };
    expect(dataOf(await run(later)).testGuardrails).toMatchObject({
      verdict: false,
      denied: false,
      status: 200,
    });
  });

  test.each([
    ['neither text nor body', {}, 'input.text'],
    ['both', { text: 'x', body: {} }, 'input.text'],
    ['an unknown guardrail', { text: 'x', guardrailIds: ['none'] }, 'input.guardrailIds[0]'],
    ['checks beside guardrails', { text: 'x', guardrailIds: ['x'], checks: [without('x')] }, 'input.checks'],
    ['an unknown check', { text: 'x', checks: [{ id: 'none' }] }, 'input.checks[0].id'],
    [
      'a check of the other phase',
      { text: 'x', checks: [{ id: 'default.jsonKeys', parameters: { keys: ['k'] } }] },
      'input.checks[0].id',
    ],
    ['metadata that are no texts', { text: 'x', metadata: { a: 1 } }, 'input.metadata'],
  ])('is refused with %s', async (_what, input, param) => {
    expect(errorOf(await run(input))).toEqual({ code: 'VALIDATION_FAILED', param });
  });

  test('is there for programs as well', async () => {
    const answer = await rest('POST', '/gateway/guardrails/check', { text: 'an evil text', phase: 'input' });
    expect(answer).toMatchObject({
      ...{ verdict: false, denied: true, status: 446, text: 'an evil text', body: null },
      hook_results: { before_request_hooks: [{ id: own.id }, { id: common.id }] },
    });
  });
});
