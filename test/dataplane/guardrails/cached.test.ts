import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import { chatAnswer, chatFrames, eventStream, json } from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';
import { redacting, saying, without } from './guarded.ts';

let world: World;
let app: TestApp;
beforeAll(async () => {
  world = await startWorld();
  app = world.app;
});
afterAll(() => world.stop());

/** The provider's answer to every question. */
const TEXT = 'a fine tiger answers';
const nothing = { checks: [{ id: 'default.characterCount', parameters: {} }] };

let namespaces = 0;
const newCache = () => ({ mode: 'simple', namespace: `n${++namespaces}` });

const rest = async (method: string, path: string, body: unknown, key = app.workspaceKey) => {
  const answer = await app.rest(method, `/v1${path}`, { key, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body as { id: string; slug: string; version_id: string };
};

/** One call; the words of its answer, and what became of the cache. */
async function ask(config: object, stream = false) {
  world.provider.play(stream ? eventStream(chatFrames([TEXT])) : json(200, chatAnswer(TEXT)));
  const answer = await world.call({
    config: { provider: `@${world.slug}`, ...config },
    body: { ...saying('who?'), ...(stream && { stream }) },
  });
  return { status: answer.status, text: answer.text, cache: answer.headers['x-gateway-cache-status'] };
}

const streams = [
  ['whole, then whole', false, false],
  ['whole, then streamed', false, true],
  ['streamed, then streamed', true, true],
  ['streamed, then whole', true, false],
] as const;

describe.each(streams)('an answer that is cached (%s)', (_name, first, second) => {
  test('is refused by an edited guardrail, and passes once it is edited back', async () => {
    const { checks } = nothing;
    const stored = await rest('POST', '/guardrails', { name: 'Edited', checks, actions: { deny: true } });
    const config = { cache: newCache(), output_guardrails: [stored.slug] };
    expect((await ask(config, first)).text).toContain('tiger');
    const edit = (changed: object[]) => rest('PUT', `/guardrails/${stored.id}`, { checks: changed });
    const { version_id } = await edit(without('tiger').checks);
    const refused = await ask(config, second);
    expect([refused.status, refused.cache]).toEqual([446, 'HIT']);
    // Only the results name the word, as the check is told it.
    expect(refused.text).not.toContain('a fine');
    expect(refused.text).toContain(version_id);
    await edit(checks);
    expect(await ask(config, second)).toMatchObject({ text: expect.stringContaining('tiger'), cache: 'HIT' });
  });

  test('is redacted by a guardrail that is enforced meanwhile', async () => {
    const cache = newCache();
    expect((await ask({ cache }, first)).text).toContain('tiger');
    const made = await rest(
      'POST',
      '/org-guardrails',
      { name: 'Redacts', checks: redacting('ti[g]er').checks },
      app.adminKey,
    );
    const enforce = (output_guardrails: string[]) =>
      rest('PUT', '/admin/organisation/defaults', { output_guardrails }, app.adminKey);
    await enforce([made.id]);
    const redacted = await ask({ cache }, second);
    expect(redacted.cache).toBe('HIT');
    expect(redacted.text).not.toContain('tiger');
    expect(redacted.text).toContain('[GONE]');
    await enforce([]);
    expect(await ask({ cache }, second)).toMatchObject({
      text: expect.stringContaining('tiger'),
      cache: 'HIT',
    });
  });

  test('stays redacted, and is checked as it is', async () => {
    const cache = newCache();
    const redacted = await ask({ cache, output_guardrails: [redacting('ti[g]er')] }, first);
    expect(redacted.text).toContain('[GONE]');
    const later = await ask({ cache, output_guardrails: [redacting('f[i]ne')] }, second);
    expect(later.cache).toBe('HIT');
    for (const word of ['tiger', 'fine']) expect(later.text).not.toContain(word);
    expect((await ask({ cache }, second)).text).toContain('fine');
  });

  test('is not cached where it was refused', async () => {
    const cache = newCache();
    expect((await ask({ cache, output_guardrails: [without('tiger')] }, first)).text).not.toContain('a fine');
    const later = await ask({ cache }, second);
    expect(later).toMatchObject({ status: 200, cache: 'MISS' });
  });
});

test('a question that is refused gets no cached answer', async () => {
  const cache = newCache();
  expect((await ask({ cache })).status).toBe(200);
  const refused = await ask({ cache, input_guardrails: [without('who?')] });
  expect([refused.status, refused.text.includes('tiger')]).toEqual([446, false]);
});
