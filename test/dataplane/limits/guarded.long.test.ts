import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';
import { without } from '../guardrails/guarded.ts';
import {
  aBound,
  answered,
  countedFrames,
  ended,
  exactly,
  limits,
  NONE,
  times,
  USED,
  usage,
} from './counted.ts';
import { countersOf, keyWith } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const evil: Script = json(200, chatAnswer('an evil word', usage));
const good = Array.from({ length: 400 }, (_, at) => `good word ${at} `);

/** Frames after which the provider goes on for ever. */
const andOn =
  (frames: string[]): Script =>
  (_request, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) answer.write(frame);
  };

const ask = (key: string, config: object, more: object = {}) =>
  world.call({
    key,
    config: { provider: `@${world.slug}`, ...config },
    body: { model: 'gpt-4o', messages, ...more },
  });

const denying = (word: string) => ({ output_guardrails: [without(word)] });

describe('nothing stays reserved after a guardrail', () => {
  it('that denies the input, and no budget counts it', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(answered);
    expect((await ask(key, { input_guardrails: [without('hello')] })).status).toBe(446);
    expect(world.provider.requests).toHaveLength(0);
    await ended(world, id, exactly(NONE));
    expect((await countersOf(world, id))['rate:requests']).toBeDefined();
  });

  it('that denies a whole answer, which the provider bills', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(evil);
    expect((await ask(key, denying('evil'))).status).toBe(446);
    await ended(world, id, exactly(USED));
  });

  it('that denies a stream before anything of it was sent', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(andOn(chatFrames(['an evil word ', ...good]).slice(0, -2)));
    expect((await ask(key, denying('evil'), { stream: true })).status).toBe(446);
    await ended(world, id, aBound);
  });

  it('that denies a stream in its middle, while the provider goes on', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(andOn(chatFrames([...good, 'an evil word ', ...good]).slice(0, -2)));
    const answer = await ask(key, denying('evil'), { stream: true });
    expect(answer.text).toContain('good word 1');
    expect(answer.text).toContain('hooks_failed');
    await ended(world, id, aBound);
  });

  it('that denies the last words of a stream, whose usage came', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(eventStream(countedFrames([...good, 'an evil word'])));
    const { text } = await ask(key, denying('evil'), { stream: true });
    expect(text).toContain('hooks_failed');
    // What the provider reported stands, where it came before the denial; else how far it can have come.
    await ended(world, id, ({ requests, tokens, cost }) => {
      expect(requests).toBe(1);
      expect(tokens).toBeGreaterThanOrEqual(USED.tokens);
      expect(cost).toBeGreaterThanOrEqual(USED.cost);
    });
  });

  it('that lets each answer be tried again, and each is counted', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(evil, evil, answered);
    const retry = { attempts: 3, on_status_codes: [446] };
    const answer = await ask(key, { ...denying('evil'), retry });
    expect([answer.status, world.provider.requests.length]).toEqual([200, 3]);
    await ended(world, id, exactly(times(USED, 3)));
  });

  it('that gives the turn to another target', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(evil, answered);
    const target = { provider: `@${world.slug}` };
    const answer = await world.call({
      key,
      config: {
        strategy: { mode: 'fallback', on_status_codes: [446] },
        targets: [{ ...target, ...denying('evil') }, target],
      },
      body: { model: 'gpt-4o', messages },
    });
    expect(answer.status).toBe(200);
    await ended(world, id, exactly(times(USED, 2)));
  });

  it('that asks a model, whose call is counted as one of the same key', async () => {
    const { id, key } = await keyWith(world, limits);
    const verdict = JSON.stringify({ verdict: false, score: 0, reason: 'no' });
    world.provider.play(json(200, chatAnswer(verdict, usage)));
    const check = {
      id: 'gateway.judge',
      parameters: { model: `@${world.slug}/gpt-4o`, rubric: 'It is polite.' },
    };
    const answer = await ask(key, { input_guardrails: [{ checks: [check], deny: true }] });
    expect([answer.status, world.provider.requests.length]).toEqual([446, 1]);
    await ended(world, id, exactly(USED));
  });

  it('on a path that is passed on', async () => {
    const { id, key } = await keyWith(world, limits);
    const ask = (config: object) =>
      world.call({
        key,
        path: '/v1/proxy/chat/completions',
        config: { provider: `@${world.slug}`, ...config },
        body: { model: 'gpt-4o', messages },
      });
    world.provider.play(evil);
    expect((await ask({ input_guardrails: [without('hello')] })).status).toBe(446);
    await ended(world, id, exactly(NONE));
    expect((await ask(denying('evil'))).status).toBe(446);
    await ended(world, id, exactly(USED));
  });
});
