import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages } from '../../support/world.ts';
import { fallback, startThreeProviders, type ThreeProviders, target } from './three-providers.ts';

let three: ThreeProviders;

beforeAll(async () => {
  three = await startThreeProviders();
});
afterAll(() => three.stop());
beforeEach(() => three.answer(200, 200, 200));

describe('single', () => {
  test.each([
    ['a leaf', () => target(1), 'config'],
    [
      'single of several',
      () => ({ strategy: { mode: 'single' }, targets: [target(1), target(2)] }),
      'config.targets[0]',
    ],
  ])('%s calls one provider, whatever it answers', async (_name, config, path) => {
    three.answer(200, 500, 200);
    const answer = await three.call(config());
    expect([answer.status, three.reached()]).toEqual([500, [0, 1, 0]]);
    expect(answer.headers['x-gateway-last-used-option-index']).toBe(path);
  });
});

describe('fallback', () => {
  /** Statuses of the providers, codes, what is reached, whose answer is seen. */
  test.each([
    [[200, 200, 200], undefined, [1, 0, 0], 0],
    [[201, 200, 200], undefined, [1, 0, 0], 0],
    [[500, 200, 200], undefined, [1, 1, 0], 1],
    [[404, 200, 200], undefined, [1, 1, 0], 1],
    [[302, 200, 200], undefined, [1, 1, 0], 1],
    [[429, 408, 200], undefined, [1, 1, 1], 2],
    [[500, 502, 418], undefined, [1, 1, 1], 2],
    [[429, 200, 200], [429], [1, 1, 0], 1],
    [[500, 200, 200], [429], [1, 0, 0], 0],
    [[429, 500, 200], [429], [1, 1, 0], 1],
    [[429, 429, 429], [429], [1, 1, 1], 2],
    [[200, 500, 200], [200], [1, 1, 0], 1],
  ])(
    'statuses %j with on_status_codes %j: %j called, answer of %i',
    async (statuses, codes, called, last) => {
      three.answer(...statuses);
      const answer = await three.call(
        fallback([target(0), target(1), target(2)], codes && { on_status_codes: codes }),
      );
      expect([three.reached(), answer.status]).toEqual([called, statuses[last]]);
      expect(answer.json).toMatchObject(chatAnswer(`from ${last}`));
      expect(answer.headers).toMatchObject({
        'x-answered-by': String(last),
        'x-gateway-last-used-option-index': `config.targets[${last}]`,
        'x-gateway-retry-attempt-count': '0',
      });
    },
  );

  test('groups nest: an inner group that fails hands over to the next of the outer one', async () => {
    three.answer(500, 503, 200);
    const answer = await three.call(fallback([fallback([target(0), target(1)]), target(2)]));
    expect([answer.status, three.reached()]).toEqual([200, [1, 1, 1]]);
    expect(answer.headers['x-gateway-last-used-option-index']).toBe('config.targets[1]');
  });

  test('an inner group that succeeds ends the walk', async () => {
    three.answer(500, 200, 200);
    const answer = await three.call(fallback([fallback([target(0), target(1)]), target(2)]));
    expect([answer.status, three.reached()]).toEqual([200, [1, 1, 0]]);
    expect(answer.headers['x-gateway-last-used-option-index']).toBe('config.targets[0].targets[1]');
  });

  test('an inner group passes on what its own codes do not name, the outer one decides about it', async () => {
    three.answer(404, 200, 200);
    const inner = fallback([target(0), target(1)], { on_status_codes: [500] });
    expect((await three.call(fallback([inner, target(2)], { on_status_codes: [404] }))).status).toBe(200);
    expect(three.reached()).toEqual([1, 0, 1]);
  });

  test('the caller sees nothing of an answer that was thrown away', async () => {
    three.providers[0]?.play(
      json(500, { error: 'x'.repeat(300_000) }, { 'x-first': 'yes', 'set-cookie': 'a=b' }),
    );
    const answer = await three.call(fallback([target(0), target(1)]));
    expect(answer.json).toEqual(chatAnswer('from 1'));
    expect(answer.headers).not.toHaveProperty('x-first');
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test.each([
    ['an unknown provider', { provider: '@nobody' }, 'unknown_provider'],
    [
      'a refused host',
      { provider: 'openai', api_key: 'k', custom_host: 'http://10.0.0.1/v1' },
      'invalid_custom_host',
    ],
  ])('a gateway exception (%s) ends the walk', async (_name, broken, code) => {
    const first = await three.call(fallback([broken, target(1)]));
    expect([first.status, first.json.error.code, three.reached()]).toEqual([400, code, [0, 0, 0]]);
    expect(first.headers['x-gateway-gateway-exception']).toBe('true');
    three.answer(500, 200, 200);
    const second = await three.call(fallback([target(0), broken, target(1)]));
    expect([second.status, three.reached()]).toEqual([400, [1, 0, 0]]);
  });

  test.each([
    ['targets', fallback(Array.from({ length: 30 }, () => target(0))), 20, 'config.targets[19]'],
    [
      'retries of targets in groups',
      {
        ...fallback([fallback([target(0), target(0)]), fallback([target(0), target(0)])]),
        retry: { attempts: 5 },
      },
      20,
      'config.targets[1].targets[1]',
    ],
  ])(
    '%s: a call has 20 attempts in all, and the last answer goes out',
    async (_name, config, calls, path) => {
      three.answer(500, 200, 200);
      const answer = await three.call(config, { headers: { 'x-gateway-trace-id': `tries-${path}` } });
      expect([answer.status, three.reached()]).toEqual([500, [calls, 0, 0]]);
      expect(answer.headers['x-gateway-last-used-option-index']).toBe(path);
      expect(answer.json).toMatchObject(chatAnswer('from 0'));
      await three.world.app.logged();
      const logs = three.world.app.db.collection('logs').find({ traceId: `tries-${path}` });
      const errors = (await logs.toArray()).map(({ error }) => error).filter((error) => error !== null);
      expect(errors).toEqual([expect.stringContaining('The call ended with its 20 attempts')]);
    },
  );
  /** A provider, what it cannot be asked in the gateway's words, and the field that the answer names. */
  describe.each<[what: string, kind: object, path: string, body: object, param: string]>([
    [
      'a parameter that has no equal there',
      { provider: 'segmind' },
      '/v1/images/generations',
      { model: 'm', prompt: 'x', response_format: 'url' },
      'response_format',
    ],
    [
      'what the library for its format refuses',
      { provider: 'anthropic' },
      '/v1/chat/completions',
      { model: 'm', messages, n: 2 },
      'n',
    ],
    [
      'a message that chat cannot say',
      { provider: 'openai' },
      '/v1/messages',
      { model: 'm', max_tokens: 9, messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'tools[0].type',
    ],
    [
      'a model that has no place in its path',
      { provider: 'predibase', predibase_user: 'me' },
      '/v1/chat/completions',
      { model: '../m', messages },
      'model',
    ],
    [
      'a deployment without its version',
      { provider: 'azure-openai', azure_resource_name: 'r', azure_deployment_id: 'd' },
      '/v1/chat/completions',
      { model: 'm', messages },
      'azure_api_version',
    ],
    [
      'a request that it cannot sign',
      { provider: 'oracle', oracle_region: 'r' },
      '/v1/chat/completions',
      { model: 'm', messages },
      'oracle_private_key',
    ],
  ])('a 400 of our own is one of the target: %s', (_what, kind, path, body, param) => {
    const refusing = () => ({
      ...kind,
      api_key: 'sk-of-the-config-00000',
      custom_host: three.providers[0]?.url,
    });
    // It takes messages as they are.
    const claude = () => ({ provider: 'anthropic', api_key: 'k', custom_host: three.providers[1]?.url });
    const next = () => (path === '/v1/messages' ? claude() : target(1));

    test('the next target is asked', async () => {
      const answer = await three.call(fallback([refusing(), next()]), { path, body });
      expect([answer.status, three.reached()]).toEqual([200, [0, 1, 0]]);
    });

    test('unless on_status_codes names other codes', async () => {
      const config = fallback([refusing(), next()], { on_status_codes: [429] });
      const answer = await three.call(config, { path, body });
      expect([answer.status, three.reached()]).toEqual([400, [0, 0, 0]]);
      expect(answer.json.error.message).toMatch(/./);
      if (path !== '/v1/messages') expect(answer.json.error.param).toBe(param);
      expect(answer.headers).toMatchObject({ 'x-gateway-last-used-option-index': 'config.targets[0]' });
      expect(answer.headers).not.toHaveProperty('x-gateway-gateway-exception');
    });
  });

  test('a body goes to each target unaltered, also on a proxied path', async () => {
    three.answer(500, 500, 200);
    const body = Buffer.from('{ "odd":  true }');
    const headers = { 'content-type': 'text/plain' };
    await three.call(fallback([target(0), target(1), target(2)]), {
      path: '/v1/any/path?x=1',
      body,
      headers,
    });
    expect(three.providers.map(({ requests }) => [requests[0]?.url, requests[0]?.body.toString()])).toEqual(
      three.providers.map(() => ['/v1/any/path?x=1', '{ "odd":  true }']),
    );
  });

  test('each target has its own parameters and credential', async () => {
    three.answer(500, 200, 200);
    await three.call(
      fallback([
        target(0, { override_params: { model: 'big' } }),
        target(1, { override_params: { model: 'small' } }),
      ]),
    );
    expect([three.sent(0).model, three.sent(1).model]).toEqual(['big', 'small']);
  });
});

describe('loadbalance', () => {
  const loadbalance = (...weights: (number | undefined)[]) => ({
    strategy: { mode: 'loadbalance' },
    targets: weights.map((weight, index) => target(index, weight === undefined ? {} : { weight })),
  });

  test.each([
    [
      [1, 0, 0],
      [1, 0, 0],
    ],
    [
      [0, 1, 0],
      [0, 1, 0],
    ],
    [
      [0, 0, 0.001],
      [0, 0, 1],
    ],
    [
      [7, 2, 1],
      [0.7, 0.2, 0.1],
    ],
    [
      [undefined, undefined, 2],
      [0.25, 0.25, 0.5],
    ],
  ])('weights %j spread the calls as %j', async (weights, shares) => {
    const calls = 300;
    const config = loadbalance(...weights);
    const seen = await Promise.all(Array.from({ length: calls }, () => three.call(config)));
    expect(seen.every((answer) => answer.status === 200)).toBe(true);
    three.reached().forEach((count, index) => {
      const share = shares[index] ?? 0;
      // Five standard deviations: a false alarm in some millions of runs, and none where the share is 0 or 1.
      const spread = 5 * Math.sqrt(calls * share * (1 - share));
      expect(Math.abs(count - calls * share)).toBeLessThanOrEqual(spread);
    });
    for (const answer of seen) {
      const by = answer.headers['x-answered-by'];
      expect(answer.headers['x-gateway-last-used-option-index']).toBe(`config.targets[${by}]`);
    }
  });

  test('a failure is not tried on another target', async () => {
    three.answer(500, 500, 500);
    expect((await three.call(loadbalance(1, 1, 1))).status).toBe(500);
    expect(three.reached().reduce((sum, count) => sum + count)).toBe(1);
  });

  test('a group may be a target', async () => {
    three.answer(500, 200, 200);
    const config = {
      strategy: { mode: 'loadbalance' },
      targets: [{ weight: 1, ...fallback([target(0), target(1)]) }, target(2, { weight: 0 })],
    };
    expect((await three.call(config)).headers['x-gateway-last-used-option-index']).toBe(
      'config.targets[0].targets[1]',
    );
  });
});
