import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dataOf } from '../../subgraphs/support.ts';
import type { TestApp } from '../../support/app.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { saying } from './guarded.ts';

let world: World;
let app: TestApp;
beforeAll(async () => {
  world = await startWorld();
  app = world.app;
});
afterAll(() => world.stop());
beforeEach(() => world.provider.play(json(200, chatAnswer('a fine answer'))));

const withoutWord = (word: string) => [
  { id: 'default.contains', parameters: { words: [word], operator: 'none' } },
];
const redacting = (rule: string) => [
  { id: 'default.regexReplace', parameters: { rule, redactText: '[GONE]' } },
];

const rest = async (method: string, path: string, body: unknown, key = app.workspaceKey) => {
  const answer = await app.rest(method, `/v1${path}`, { key, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body as { id: string; slug: string; version_id: string };
};
const make = (name: string, checks: object[], actions: object = {}) =>
  rest('POST', '/guardrails', { name, checks, actions });
const ask = (content: string, config: object, body: object = {}) =>
  world.call({ config: { provider: `@${world.slug}`, ...config }, body: { ...saying(content), ...body } });
const hooksOf = (answer: { json: any }) => answer.json.hook_results.before_request_hooks;

describe('a config that refers to a stored guardrail', () => {
  test('has it do otherwise, and leaves it as it is for others', async () => {
    const stored = await make('Observes', withoutWord('evil'), { deny: false });
    expect((await ask('an evil text', { input_guardrails: [stored.slug] })).status).toBe(246);
    const denied = await ask('an evil text', { input_guardrails: [{ id: stored.slug, deny: true }] });
    expect(denied.status).toBe(446);
    expect(hooksOf(denied)).toMatchObject([
      { id: stored.id, guardrail_version_id: stored.version_id, deny: true },
    ]);
    const hook = { type: 'guardrail', id: stored.id, deny: true, soft_deny_200: true };
    const soft = await ask('an evil text', { before_request_hooks: [hook] });
    expect([soft.status, soft.json.choices.length]).toEqual([200, 1]);
    expect((await ask('an evil text', { input_guardrails: [stored.id] })).status).toBe(246);
  });

  test('has the stricter of two uses, and both of what only shares an id', async () => {
    const stored = await make('Twice', withoutWord('evil'), { deny: false });
    const twice = await ask('an evil text', {
      input_guardrails: [{ id: stored.id, deny: true }, stored.slug],
    });
    expect([twice.status, hooksOf(twice).length]).toEqual([446, 1]);
    const alike = ['mild', 'evil'].map((word) => ({ id: 'mine', checks: withoutWord(word) }));
    const both = await ask('a mild text', { input_guardrails: alike });
    expect(hooksOf(both).map(({ verdict }: { verdict: boolean }) => verdict)).toEqual([false, true]);
  });

  test('has it follow its edits', async () => {
    const stored = await make('Edited', withoutWord('evil'));
    const config = { input_guardrails: [{ id: stored.slug, deny: true }] };
    expect((await ask('a mild text', config)).status).toBe(200);
    const { version_id } = await rest('PUT', `/guardrails/${stored.id}`, { checks: withoutWord('mild') });
    const denied = await ask('a mild text', config);
    expect([denied.status, hooksOf(denied)[0].guardrail_version_id]).toEqual([446, version_id]);
  });

  test('can be saved where it fits, and keeps the guardrail from being deleted', async () => {
    const stored = await make('Kept', withoutWord('evil'));
    const made = await app.graphql(
      'mutation ($config: GatewayConfig!) { createConfig(input: { name: "r", config: $config }) { slug } }',
      { config: { provider: `@${world.slug}`, input_guardrails: [{ id: stored.slug, deny: true }] } },
      app.workspaceKey,
    );
    const answer = await world.call({ config: dataOf(made).createConfig.slug, body: saying('an evil text') });
    expect(answer.status).toBe(446);
    const deleted = await app.rest('DELETE', `/v1/guardrails/${stored.id}`, { key: app.workspaceKey });
    expect(deleted.status).toBe(409);
  });

  test.each<[string, (slug: string) => object, string]>([
    ['knows no such action', (slug) => ({ id: slug, deny: 'yes' }), 'input_guardrails[0].deny'],
    ['names none', () => ({ id: 'nowhere', deny: true }), 'input_guardrails[0]'],
    ['wants what it cannot do', (slug) => ({ id: slug, async: true }), 'input_guardrails[0]'],
  ])('is refused with the place where it %s', async (_case, hook, place) => {
    const stored = await make('Redacts', redacting('x'));
    const config = { provider: `@${world.slug}`, input_guardrails: [hook(stored.slug)] };
    const saved = await app.rest('POST', '/v1/configs', {
      key: app.workspaceKey,
      body: { name: 'Refused', config },
    });
    expect(saved.status).toBe(400);
    expect(JSON.stringify(saved.body)).toContain(place);
    expect((await ask('a text', config)).status).toBe(400);
  });
});

describe('a mutator of a config', () => {
  test('changes texts and refuses nothing, a stored guardrail that denies included', async () => {
    const stored = await make('Denies', [...withoutWord('evil'), ...redacting('ti[g]er')], { deny: true });
    expect((await ask('an evil tiger', { input_guardrails: [stored.id] })).status).toBe(446);
    for (const config of [
      { input_mutators: [{ id: stored.id }] },
      { input_mutators: [{ id: 'mine', checks: [...withoutWord('evil'), ...redacting('ti[g]er')] }] },
      { before_request_hooks: [{ type: 'mutator', id: stored.id }] },
    ]) {
      const answer = await ask('an evil tiger', config);
      expect(answer.status).toBe(246);
      expect(String(world.provider.requests.at(-1)?.body)).toContain('an evil [GONE]');
    }
  });

  test('is refused where it is to deny', async () => {
    const refused = await ask('hello', {
      output_mutators: [{ id: 'mine', checks: redacting('x'), deny: true }],
    });
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      expect.stringContaining('output_mutators[0].deny, message: a mutator refuses nothing'),
    ]);
  });
});

describe('a guardrail of a config that has the id of one that is enforced', () => {
  const enforce = (lists: object) => rest('PUT', '/admin/organisation/defaults', lists, app.adminKey);
  const redactor = async () =>
    rest(
      'POST',
      '/org-guardrails',
      { name: 'Redacts', checks: redacting('ti[g]er'), actions: { deny: false } },
      app.adminKey,
    );
  const idle = [{ id: 'default.characterCount', parameters: {} }];

  test('runs beside it, and takes nothing away', async () => {
    const enforced = await redactor();
    await enforce({ input_guardrails: [enforced.id], output_guardrails: [enforced.id] });
    for (const hook of [
      { id: enforced.id, checks: idle, deny: true },
      { id: enforced.id, checks: idle, deny: true, guardrail_version_id: enforced.version_id },
      { id: enforced.id, deny: true, scope: 'last', stream: 'report' },
    ]) {
      const hooks = { before_request_hooks: [hook], after_request_hooks: [hook] };
      world.provider.play(json(200, chatAnswer('a tiger answers')));
      const whole = await ask('a tiger text', hooks);
      expect(String(world.provider.requests.at(-1)?.body ?? 'tiger')).not.toContain('tiger');
      expect(whole.text).not.toContain('tiger');
      world.provider.play(eventStream(chatFrames(['a ti', 'ger ans', 'wers'])));
      const streamed = await ask('a tiger text', hooks, { stream: true });
      expect(streamed.text.replaceAll(/[^a-z]/g, '')).not.toContain('tiger');
      expect(streamed.text).toContain('[GONE]');
    }
    await enforce({ input_guardrails: [], output_guardrails: [] });
  });
});
