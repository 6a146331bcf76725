import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, chatFrames, eventStream, json, type Script } from '../../support/provider.ts';
import { type CallOptions, messages, startWorld, until, type World } from '../../support/world.ts';
import { countedFrames, limits, NONE, silent, USED, usage, usedBy } from './counted.ts';
import { allSettled, countersOf, keyWith } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 5 },
};
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-test',
  output: [],
  usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
};

type Route = { path: string; body: (model: string) => object; ok: Script; headers?: object };

const chat = (model: string) => ({ model, messages });
const routes: Record<string, Route> = {
  chat: { path: '/v1/chat/completions', body: chat, ok: json(200, chatAnswer('hello', usage)) },
  'a stream of chat': {
    path: '/v1/chat/completions',
    body: (model) => ({ ...chat(model), stream: true }),
    ok: eventStream(countedFrames(['hello'])),
  },
  completions: {
    path: '/v1/completions',
    body: (model) => ({ model, prompt: 'hello' }),
    ok: json(200, { id: 'c', object: 'text_completion', choices: [{ text: 'hi' }], usage }),
  },
  embeddings: {
    path: '/v1/embeddings',
    body: (model) => ({ model, input: 'hello' }),
    ok: json(200, { object: 'list', data: [], usage }),
  },
  'messages over chat': {
    path: '/v1/messages',
    body: (model) => ({ ...chat(model), max_tokens: 100 }),
    ok: json(200, chatAnswer('hello', usage)),
  },
  responses: {
    path: '/v1/responses',
    body: (model) => ({ model, input: 'hello' }),
    ok: json(200, response),
  },
  'a path that is passed on': {
    path: '/v1/proxy/chat/completions',
    body: () => chat('gpt-4o'),
    ok: json(200, chatAnswer('hello', usage)),
  },
  'messages that are passed on': {
    path: '/v1/proxy/messages',
    body: () => ({ ...chat('gpt-4o'), max_tokens: 100 }),
    ok: json(200, message),
  },
};

type Ending = {
  script: (ok: Script) => Script | Script[];
  counted: { cost: number; tokens: number; requests: number } | 'a bound';
  options?: CallOptions;
};

const destroyed: Script = (_request, answer) => {
  answer.destroy();
};
const brokenOff: Script = (_request, answer) => {
  answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  answer.write('{"id":"a","choices":[');
  setTimeout(() => answer.destroy(), 20);
};

const endings: Record<string, Ending> = {
  'an answer': { script: (ok) => ok, counted: USED },
  'a refusal of the provider': { script: () => json(400, { error: { message: 'no' } }), counted: NONE },
  'too many requests': { script: () => json(429, { error: { message: 'no' } }), counted: NONE },
  'a failure of the provider': { script: () => json(500, { error: { message: 'no' } }), counted: NONE },
  'a connection that breaks at once': { script: () => destroyed, counted: 'a bound' },
  'an answer that breaks off': { script: () => brokenOff, counted: 'a bound' },
  'a time that is over': {
    script: () => silent,
    counted: 'a bound',
    // Long enough that a slow machine has sent the request by then: one that was never sent counts nothing.
    options: { headers: { 'x-gateway-request-timeout': '500' } },
  },
};

const used = (keyId: string) => usedBy(world, keyId);

const cases = Object.entries(routes).flatMap(([route, each]) =>
  Object.entries(endings).map(([ending, how]) => [route, ending, each, how] as const),
);

describe('nothing stays reserved after', () => {
  it.each(cases)('%s with %s', async (_route, _ending, route, ending) => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(...[ending.script(route.ok)].flat());
    const model = route.path.includes('proxy') ? '' : `@${world.slug}/gpt-4o`;
    await world
      .call({
        key,
        path: route.path,
        body: route.body(model),
        ...ending.options,
        headers: { 'x-gateway-provider': `@${world.slug}`, ...ending.options?.headers },
      })
      .catch(() => undefined);
    await allSettled(world);
    await eventually(async () => {
      const counters = await countersOf(world, id);
      // The rate was taken when the call came, whatever became of it.
      expect(counters['rate:requests']).toBeDefined();
      const now = await used(id);
      if (ending.counted !== 'a bound') {
        expect(now).toEqual(ending.counted);
        return;
      }
      expect(now.requests).toBe(1);
      expect(now.tokens).toBeGreaterThan(8);
      expect(counters['usage:tokens']?.uncertain).toBe(now.tokens);
    });
  });

  it('a caller who leaves before the answer', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(silent);
    const leave = new AbortController();
    const gone = world.call({ key, body: chat(`@${world.slug}/gpt-4o`), signal: leave.signal });
    await until(() => world.provider.requests.length === 1);
    leave.abort();
    await gone.catch(() => undefined);
    await allSettled(world);
    await eventually(async () => expect((await used(id)).tokens).toBeGreaterThan(8));
  });

  it('a caller who leaves one frame before the usage, at the price of what it saw', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(async (_request, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const frame of chatFrames(['hello', 'world']).slice(0, 2)) answer.write(frame);
    });
    const leave = new AbortController();
    const body = { ...chat(`@${world.slug}/gpt-4o`), stream: true };
    const answer = await world.open({ key, body, signal: leave.signal });
    await new Promise((resolve) => answer.once('data', resolve));
    answer.on('error', () => undefined);
    leave.abort();
    await allSettled(world);
    await eventually(async () => {
      const now = await used(id);
      expect(now.tokens).toBeGreaterThan(8);
      expect(now.cost).toBeGreaterThan(USED.cost);
    });
  });

  it('retries, of which the last is counted', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(json(500, {}), json(503, {}), json(200, chatAnswer('hello', usage)));
    const answer = await world.call({
      key,
      body: chat('gpt-4o'),
      config: { provider: `@${world.slug}`, retry: { attempts: 3 } },
    });
    expect(answer.status).toBe(200);
    await allSettled(world);
    await eventually(async () => expect(await used(id)).toEqual(USED));
  });

  it('a fallback, of which the target that answered is counted', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(json(500, {}), json(200, chatAnswer('hello', usage)));
    const target = { provider: `@${world.slug}` };
    const answer = await world.call({
      key,
      body: chat('gpt-4o'),
      config: { strategy: { mode: 'fallback' }, targets: [target, target] },
    });
    expect(answer.status).toBe(200);
    await allSettled(world);
    await eventually(async () => expect(await used(id)).toEqual(USED));
  });

  it('a hit of the cache, which takes nothing of a budget', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(json(200, chatAnswer('hello', usage)));
    const ask = () =>
      world.call({
        key,
        body: chat('gpt-4o'),
        config: { provider: `@${world.slug}`, cache: { mode: 'simple' } },
      });
    await ask();
    await eventually(async () => expect((await ask()).headers['x-gateway-cache-status']).toBe('HIT'));
    await allSettled(world);
    await eventually(async () => expect(await used(id)).toEqual(USED));
  });

  it('code in this process that answers', async () => {
    const { id, key } = await keyWith(world, limits);
    const answer = await world.call({ key, body: chat('@mock/mock-1') });
    expect(answer.status).toBe(200);
    await allSettled(world);
    const { total_tokens } = answer.json.usage;
    await eventually(async () => expect((await used(id)).tokens).toBe(total_tokens));
  });

  it('a provider that cannot be reached, which costs nothing', async () => {
    const { id, key } = await keyWith(world, limits);
    const slug = await world.makeProvider({ configurations: { custom_host: 'http://127.0.0.1:9/v1' } });
    const answer = await world.call({ key, body: chat(`@${slug}/gpt-4o`) });
    expect(answer.status).toBe(503);
    await allSettled(world);
    await eventually(async () => {
      expect((await countersOf(world, id))['usage:cost']).toBeDefined();
      expect(await used(id)).toEqual(NONE);
    });
  });

  it('an answer that is compressed, on a path that is passed on', async () => {
    const { gzipSync } = await import('node:zlib');
    const { id, key } = await keyWith(world, limits);
    world.provider.play((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      answer.end(gzipSync(JSON.stringify(chatAnswer('hello', usage))));
    });
    await world.call({
      key,
      path: '/v1/proxy/chat/completions',
      body: chat('gpt-4o'),
      headers: { 'x-gateway-provider': `@${world.slug}`, 'accept-encoding': 'gzip' },
    });
    await allSettled(world);
    await eventually(async () => expect(await used(id)).toEqual(USED));
  });

  it('a look at files, which is free', async () => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(json(200, { object: 'list', data: [], usage }));
    await world.call({
      key,
      method: 'GET',
      path: '/v1/files',
      headers: { 'x-gateway-provider': `@${world.slug}` },
    });
    await allSettled(world);
    expect(await used(id)).toEqual(NONE);
  });
});
