import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dataOf, errorOf } from '../../subgraphs/support.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { saying } from './guarded.ts';

const env = { ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };

let world: World;
let app: TestApp;
beforeAll(async () => {
  world = await startWorld(env);
  app = world.app;
});
afterAll(() => world.stop());
beforeEach(() => world.provider.play(json(200, chatAnswer('a fine answer'))));

const withoutWord = (word: string) => [
  { id: 'default.contains', parameters: { words: [word], operator: 'none' } },
];
const actions = { deny: true };
const rest = async (method: string, path: string, body: unknown, key = app.workspaceKey) => {
  const answer = await app.rest(method, `/v1${path}`, { key, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body as { id: string; slug: string; version_id: string };
};
const ask = (content: string, config: object = {}) =>
  world.call({ config: { provider: `@${world.slug}`, ...config }, body: saying(content) });
const statusOf = async (content: string, config?: object) => (await ask(content, config)).status;

const enforce = (input_guardrails: string[], output_guardrails: string[] = []) =>
  rest('PUT', '/admin/organisation/defaults', { input_guardrails, output_guardrails }, app.adminKey);
const exclude = (excluded: boolean) =>
  rest(
    'PUT',
    '/workspace-exclusions/input-guardrails',
    { workspaces: [{ workspace_id: app.workspaceId, excluded }] },
    app.adminKey,
  );
const setDefaults = (defaults: object) =>
  rest('PUT', `/admin/workspaces/${app.workspaceId}`, { defaults }, app.adminKey);

describe('a guardrail of the organisation', () => {
  test('holds for calls as soon as it is a default, changes with its versions, and ends with an exclusion', async () => {
    const made = await rest(
      'POST',
      '/org-guardrails',
      { name: 'No', checks: withoutWord('evil'), actions },
      app.adminKey,
    );
    expect(await statusOf('an evil text')).toBe(200);
    await enforce([made.slug]);
    const denied = await ask('an evil text');
    expect(denied.status).toBe(446);
    expect(denied.json.hook_results.before_request_hooks).toMatchObject([
      { id: made.id, guardrail_version_id: made.version_id, deny: true, verdict: false },
    ]);
    expect(await statusOf('a good text')).toBe(200);
    const changed = await rest(
      'PUT',
      `/org-guardrails/${made.id}`,
      { checks: withoutWord('good') },
      app.adminKey,
    );
    expect(await statusOf('an evil text')).toBe(200);
    const after = await ask('a good text');
    expect(after.json.hook_results.before_request_hooks[0].guardrail_version_id).toBe(changed.version_id);
    await exclude(true);
    expect(await statusOf('a good text')).toBe(200);
    await exclude(false);
    expect(await statusOf('a good text')).toBe(446);
    await enforce([]);
    expect(await statusOf('a good text')).toBe(200);
  });

  test('that is gone, or cannot be read, stops all calls', async () => {
    const made = await rest(
      'POST',
      '/org-guardrails',
      { name: 'Gone', checks: withoutWord('evil'), actions },
      app.adminKey,
    );
    await enforce([made.id]);
    const stored = app.db.collection<{ _id: string; checks: object[] }>('guardrails');
    // The administration lets nobody do this.
    const broken = [{ id: 'default.nonsense', parameters: {}, is_enabled: true }];
    await stored.updateOne({ _id: made.id }, { $set: { checks: broken, versionId: 'broken' } });
    await exclude(false);
    expect(await statusOf('a good text')).toBe(500);
    await stored.deleteOne({ _id: made.id });
    await exclude(false);
    expect(await statusOf('a good text')).toBe(500);
    await enforce([]);
    expect(await statusOf('a good text')).toBe(200);
  });

  test('is enforced by another process within a second', async () => {
    const second = await startApp({ ...env, MONGODB_URI: app.databaseUri });
    try {
      const other = () =>
        second.rest('POST', '/v1/chat/completions', {
          key: app.workspaceKey,
          headers: { 'x-gateway-provider': '@mock' },
          body: { model: 'mock-1', messages: [{ role: 'user', content: 'an evil text' }] },
        });
      expect((await other()).status).not.toBe(446);
      const made = await rest(
        'POST',
        '/org-guardrails',
        { name: 'No', checks: withoutWord('evil'), actions },
        app.adminKey,
      );
      await enforce([made.id]);
      await eventually(async () => expect((await other()).status).toBe(446));
      await enforce([]);
      await eventually(async () => expect((await other()).status).not.toBe(446));
    } finally {
      await second.stop();
    }
  });
});

describe('a guardrail of the workspace', () => {
  test('holds for its calls as a default, before those of the organisation', async () => {
    const own = await rest('POST', '/guardrails', { name: 'Own', checks: withoutWord('evil') });
    const common = await rest(
      'POST',
      '/org-guardrails',
      { name: 'Common', checks: withoutWord('evil') },
      app.adminKey,
    );
    await setDefaults({ input_guardrails: [own.slug], output_guardrails: [own.id] });
    await enforce([common.id]);
    const { status, json: answered } = await ask('an evil text');
    expect(status).toBe(246);
    expect(answered.hook_results).toMatchObject({
      before_request_hooks: [
        { id: own.id, verdict: false, deny: false },
        { id: common.id, verdict: false },
      ],
      after_request_hooks: [{ id: own.id, verdict: true }],
    });
    await setDefaults({});
    await enforce([]);
  });
});

describe('a config that names guardrails', () => {
  const saved = (config: object) =>
    app.graphql(
      'mutation ($config: GatewayConfig!) { createConfig(input: { name: "c", config: $config }) { id slug } }',
      { config: { provider: `@${world.slug}`, ...config } },
      app.workspaceKey,
    );
  const remove = (path: string, key = app.workspaceKey) => app.rest('DELETE', `/v1${path}`, { key });

  test('runs them, by id and slug, its own and the organisation’s, and keeps them from being deleted', async () => {
    const own = await rest('POST', '/guardrails', { name: 'Own', checks: withoutWord('evil'), actions });
    const common = await rest(
      'POST',
      '/org-guardrails',
      { name: 'C', checks: withoutWord('bad'), actions },
      app.adminKey,
    );
    const config = dataOf(await saved({ input_guardrails: [own.slug, common.id] })).createConfig;
    const call = async (content: string) =>
      (await world.call({ config: config.slug, body: saying(content) })).status;
    expect(await call('a good text')).toBe(200);
    expect(await call('an evil text')).toBe(446);
    expect(await call('a bad text')).toBe(446);
    expect((await remove(`/guardrails/${own.id}`)).status).toBe(409);
    expect((await remove(`/org-guardrails/${common.id}`, app.adminKey)).status).toBe(409);
    expect((await remove(`/configs/${config.slug}`)).status).toBe(200);
    expect((await remove(`/guardrails/${own.id}`)).status).toBe(200);
  });

  test('is refused, with the place, where there is none, or none that fits', async () => {
    const forOutput = await rest('POST', '/guardrails', {
      ...{ name: 'Out', checks: [{ id: 'default.jsonKeys', parameters: { keys: ['k'] } }] },
    });
    for (const [config, at] of [
      [{ input_guardrails: ['none'] }, 'input_guardrails[0]'],
      [{ output_guardrails: [forOutput.slug, { id: 'none' }] }, 'output_guardrails[1]'],
      [{ inputGuardrails: [forOutput.id] }, 'input_guardrails[0]'],
      [
        {
          strategy: { mode: 'single' },
          targets: [{ provider: `@${world.slug}`, after_request_hooks: [{ id: 'none' }] }],
        },
        'targets[0].after_request_hooks[0]',
      ],
    ] as const) {
      const refused = await saved({ ...config, ...('targets' in config && { provider: undefined }) });
      expect(errorOf(refused)).toEqual({ code: 'INVALID_CONFIG', param: `input.config.${at}` });
    }
  });

  test('keeps the credentials of checks that are written in it sealed, and their masks', async () => {
    const secret = 'planted-judge-header-77d0';
    const checks = (url: string, value: string) => [
      { id: 'default.webhook', parameters: { webhookURL: url, headers: { 'x-judge': value } } },
    ];
    const url = 'https://judge.example/';
    const config = dataOf(
      await saved({
        input_guardrails: [
          { checks: checks(url, secret) },
          { 'default.webhook': { webhookURL: url, secret } },
        ],
      }),
    ).createConfig;
    const read = async () => {
      const answer = await app.rest('GET', `/v1/configs/${config.slug}`, { key: app.workspaceKey });
      return (answer.body as { data: { config: any } }).data.config;
    };
    const mask = 'pla***77d0';
    const shown = await read();
    expect(shown.input_guardrails).toEqual([
      { checks: checks(url, mask) },
      { 'default.webhook': { webhookURL: url, secret: mask } },
    ]);
    expect(JSON.stringify(await app.db.collection('configs').find({}).toArray())).not.toContain(secret);
    const update = (changed: object) =>
      app.rest('PUT', `/v1/configs/${config.slug}`, { key: app.workspaceKey, body: { config: changed } });
    expect((await update({ ...shown, retry: { attempts: 1 } })).status).toBe(200);
    expect((await read()).input_guardrails).toEqual(shown.input_guardrails);
    const moved = { ...shown, input_guardrails: [{ checks: checks('https://attacker.example/', mask) }] };
    expect((await update(moved)).status).toBe(400);
  });
});
