import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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

const redacting = (rule: string) => [
  { id: 'default.regexReplace', parameters: { rule, redactText: '[GONE]' } },
];

const rest = async (method: string, path: string, body: unknown, key = app.workspaceKey) => {
  const answer = await app.rest(method, `/v1${path}`, { key, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body as { id: string; slug: string; version_id: string };
};
const ask = (content: string, config: object, body: object = {}) =>
  world.call({ config: { provider: `@${world.slug}`, ...config }, body: { ...saying(content), ...body } });

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
