import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../../support/provider.ts';
import { recordsOf } from '../../support/records.ts';
import { type CallOptions, messages } from '../../support/world.ts';
import { startThreeProviders, type ThreeProviders, target } from '../strategy/three-providers.ts';

let three: ThreeProviders;

beforeAll(async () => {
  three = await startThreeProviders();
});
afterAll(() => three.stop());
beforeEach(() => three.answer(200, 200, 200));

describe('inheritance', () => {
  const group = (parent: object, child: object = {}) => ({
    ...parent,
    strategy: { mode: 'single' },
    targets: [target(0, child)],
  });
  const nested = (parent: object, middle: object) => ({
    ...parent,
    strategy: { mode: 'single' },
    targets: [group(middle)],
  });
  const slow = () =>
    three.providers[0]?.play(async (_request, response) => void response.once('close', () => {}));

  test.each([
    ['parent', group({ override_params: { a: 1 } }), { a: 1 }],
    [
      'child over parent, member by member',
      group({ override_params: { a: 1, b: 1 } }, { override_params: { b: 2 } }),
      { a: 1, b: 2 },
    ],
    [
      'over two levels',
      nested({ override_params: { a: 1, c: 1 } }, { override_params: { c: 2 } }),
      { a: 1, c: 2 },
    ],
    [
      'default_params',
      group({ default_params: { a: 1, b: 1 } }, { default_params: { b: 2 } }),
      { a: 1, b: 2 },
    ],
    ['override before default', group({ default_params: { a: 1 } }, { override_params: { a: 3 } }), { a: 3 }],
  ] as [string, object, object][])('parameters: %s', async (_name, config, expected) => {
    await three.call(config);
    expect(three.sent(0)).toMatchObject(expected);
  });

  test('drop_params of a child replace those of the parent', async () => {
    await three.call(group({ drop_params: ['a'] }, { drop_params: ['b'] }), {
      body: { model: 'm', a: 1, b: 1 },
    });
    expect(three.sent(0)).toEqual({ model: 'm', a: 1 });
    three.answer(200);
    await three.call(group({ drop_params: ['a'] }), { body: { model: 'm', a: 1, b: 1 } });
    expect(three.sent(0)).toEqual({ model: 'm', b: 1 });
  });

  test('the nearest request_timeout holds', async () => {
    slow();
    expect((await three.call(group({ request_timeout: 30 }))).status).toBe(408);
    slow();
    expect((await three.call(group({ request_timeout: 600_000 }, { request_timeout: 30 }))).status).toBe(408);
    three.answer(200);
    expect((await three.call(group({ request_timeout: 1 }, { request_timeout: 600_000 }))).status).toBe(200);
  });

  test('retry is inherited whole, and a child’s own replaces it', async () => {
    const retry = { attempts: 1, on_status_codes: [429], use_retry_after_header: true };
    const busy = () => three.providers[0]?.play(json(429, {}, { 'retry-after-ms': '1' }));
    busy();
    await three.call(group({ retry }));
    expect(three.reached()[0]).toBe(2);
    busy();
    await three.call(group({ retry }, { retry: { attempts: 0 } }));
    expect(three.reached()[0]).toBe(1);
    busy();
    await three.call(group({ retry }, { retry: { ...retry, attempts: 2 } }));
    expect(three.reached()[0]).toBe(3);
  });

  test('forward_headers: the nearest list, and the request’s own list before any', async () => {
    const headers = { 'x-a': 'a', 'x-b': 'b', 'x-c': 'c' };
    const seen = () => ['x-a', 'x-b', 'x-c'].filter((name) => three.providers[0]?.requests[0]?.headers[name]);
    await three.call(group({ forward_headers: ['X-A'] }), { headers });
    expect(seen()).toEqual(['x-a']);
    three.answer(200);
    await three.call(group({ forward_headers: ['x-a'] }, { forward_headers: ['x-b'] }), { headers });
    expect(seen()).toEqual(['x-b']);
    three.answer(200);
    await three.call(group({ forward_headers: ['x-a'] }), {
      headers: { ...headers, 'x-gateway-forward-headers': '["X-B", "x-c"]' },
    });
    expect(seen()).toEqual(['x-b', 'x-c']);
  });

  test('a host flows down to targets without a stored credential', async () => {
    const config = {
      custom_host: three.providers[2]?.url,
      strategy: { mode: 'single' },
      targets: [{ provider: 'openai', api_key: 'sk-of-the-config-00000' }],
    };
    expect((await three.call(config)).json).toEqual(chatAnswer('from 2'));
  });

  test('credentials do not flow down', async () => {
    const config = {
      api_key: 'sk-of-the-parent-00000',
      strategy: { mode: 'single' },
      targets: [{ provider: 'openai', custom_host: three.providers[0]?.url }],
    };
    expect((await three.call(config)).status).toBe(200);
    expect(three.providers[0]?.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('parameters', () => {
  const body = {
    model: 'm',
    messages,
    temperature: 0,
    tools: [{ a: 1, b: 2 }, { a: 3 }],
    deep: { x: { y: 1, z: 2 } },
  };

  test.each([
    [
      'override replaces',
      { override_params: { temperature: 1, top_p: 0.5 } },
      { ...body, temperature: 1, top_p: 0.5 },
    ],
    [
      'default fills in only what is absent',
      { default_params: { temperature: 1, seed: 7 } },
      { ...body, seed: 7 },
    ],
    ['drop a member', { drop_params: ['temperature'] }, without('temperature')],
    ['drop below', { drop_params: ['deep.x.y'] }, { ...body, deep: { x: { z: 2 } } }],
    ['drop in one item', { drop_params: ['tools[0].a'] }, { ...body, tools: [{ b: 2 }, { a: 3 }] }],
    ['drop in every item', { drop_params: ['tools[*].a'] }, { ...body, tools: [{ b: 2 }, {}] }],
    [
      'drop what is not there',
      { drop_params: ['no.such', 'tools[9].a', 'model.x', 'tools[*][*]', 'deep[0]'] },
      body,
    ],
    [
      'drop comes last',
      { override_params: { temperature: 1 }, drop_params: ['temperature'] },
      without('temperature'),
    ],
    ['nothing of the prototype', { drop_params: ['__proto__.x', 'constructor'] }, body],
  ] as [string, object, object][])('%s', async (_name, behaviour, expected) => {
    const answer = await three.call(target(0, behaviour), { body });
    expect([answer.status, three.sent(0)]).toEqual([200, expected]);
  });

  function without(name: keyof typeof body) {
    const { [name]: _dropped, ...rest } = body;
    return rest;
  }

  test('they apply to JSON on proxied paths', async () => {
    await three.call(target(0, { override_params: { top_n: 3 } }), {
      path: '/v1/rerank',
      body: { query: 'q' },
    });
    expect(three.sent(0)).toEqual({ query: 'q', top_n: 3 });
  });

  test('they leave other bodies alone', async () => {
    await three.call(target(0, { override_params: { a: 1 } }), {
      path: '/v1/files',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from('plain {"text"}'),
    });
    expect(three.providers[0]?.requests[0]?.body.toString()).toBe('plain {"text"}');
  });

  test.each([
    ['that are compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, '\x1f\x8b'],
    ['that only look like JSON', { 'content-type': 'application/json' }, '{"temperature":NaN}'],
    ['that say they are JSON and are not', { 'content-type': 'application/json' }, 'temperature'],
  ])('bodies %s are refused where they apply', async (_name, headers, text) => {
    const config = target(0, { override_params: { temperature: 1 } });
    const answer = await three.call(config, {
      path: '/v1/proxy/x',
      headers,
      body: Buffer.from(text, 'latin1'),
    });
    expect([answer.status, answer.json.error.param, three.reached()]).toEqual([
      400,
      'content-type',
      [0, 0, 0],
    ]);
  });

  test('a member of the caller in other letters does not stand beside them', async () => {
    const behaviour = { override_params: { max_tokens: 10 }, drop_params: ['seed'] };
    await three.call(target(0, behaviour), { body: { model: 'm', messages, Max_Tokens: 9999, SEED: 1 } });
    expect(three.sent(0)).toEqual({ model: 'm', messages, max_tokens: 10 });
  });

  test('a model of override_params may name the provider, whose slug is removed', async () => {
    await three.call({ override_params: { model: '@loop-3/vendor/large' } });
    expect([three.reached(), three.sent(2).model]).toEqual([[0, 0, 1], 'vendor/large']);
  });
});

describe('a model of default_params counts like one of a body that names none', () => {
  const header = { 'x-gateway-provider': '@loop-1' };
  const byDefault = (model: string, rest: object = {}) => ({ default_params: { model }, ...rest });
  const large = byDefault('@loop-3/vendor/large');

  test.each([
    ['its slug names the provider, ahead of a header', large, { body: { messages } }, 2, 'vendor/large'],
    ['a body with a slug goes before it', large, { body: { model: '@loop-2/m', messages } }, 1, 'm'],
    ['a body without a slug as well', large, { body: { model: 'm', messages } }, 0, 'm'],
    ['so does one with null', large, { body: { model: null, messages } }, 0, null],
    [
      'a config that names the provider goes before its slug',
      target(1, large),
      { body: { messages } },
      1,
      'vendor/large',
    ],
    [
      'override_params decide the model',
      { ...large, override_params: { model: 'small' } },
      { body: { messages } },
      2,
      'small',
    ],
    [
      'with passthrough a header goes before its slug',
      { ...large, passthrough: true },
      { body: { messages } },
      0,
      'vendor/large',
    ],
  ] as [string, object, CallOptions, number, string | null][])(
    '%s',
    async (_name, config, options, index, model) => {
      const answer = await three.call(config, { headers: header, ...options });
      expect([answer.status, three.reached().indexOf(1), three.sent(index)?.model]).toEqual([
        200,
        index,
        model,
      ]);
    },
  );

  test.each([
    ['azure-openai', '/deployments/large/chat/completions'],
    ['google', '/models/large:generateContent'],
    ['anthropic', '"model":"large"'],
  ])('%s is asked for it', async (provider, place) => {
    const host = three.providers[0]?.url;
    const config = byDefault('large', {
      provider,
      api_key: 'a-key-of-the-config-00000',
      custom_host: host,
      api_version: '2024-10-21',
    });
    await three.call(config, { body: { messages, max_tokens: 9 } });
    const [request] = three.providers[0]?.requests ?? [];
    expect(`${request?.url} ${request?.body}`).toContain(place);
  });

  test('sections 7.2 and 8.1: its price and its headers are those of the model, and the log names it', async () => {
    const { world, providers } = three;
    const price = (cents: number) => ({ price: cents });
    const slug = await world.makeProvider();
    await setModels(slug, {
      models: [
        {
          slug: 'tuned',
          enabled: true,
          is_custom: true,
          configurations: { custom_headers: { 'x-own': 'of the model' } },
          pricing_config: {
            type: 'static',
            pay_as_you_go: { request_token: price(0.001), response_token: price(0) },
          },
        },
      ],
    });
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    providers[0]?.play(json(200, chatAnswer('hi', usage)));
    await three.call(byDefault(`@${slug}/tuned`), {
      body: { messages },
      headers: { 'x-gateway-trace-id': 'by-default' },
    });
    expect(providers[0]?.requests[0]?.headers['x-own']).toBe('of the model');
    expect(await recordsOf(world.app, { traceId: 'by-default' })).toMatchObject([
      { aiModel: 'tuned', costNanodollars: 10 * 0.001 * 1e7 },
    ]);
  });

  const setModels = (slug: string, body: object) =>
    three.world.app.rest('PUT', `/v1/integrations/${slug}/models`, { body });

  test('of a provider with restricted models it has to be an enabled one', async () => {
    const slug = await three.world.makeProvider();
    await setModels(slug, { models: [{ slug: 'on', enabled: true }], allow_all_models: false });
    const ask = async (model: string, config: object = {}, options: CallOptions = {}) => {
      const answer = await three.call(byDefault(model, config), { body: { messages }, ...options });
      return [answer.status, answer.json.error?.param];
    };
    const provider = { provider: `@${slug}` };
    const refusal = [403, 'config.default_params.model'];
    expect(await ask(`@${slug}/off`)).toEqual(refusal);
    expect(await ask(`@${slug}/off`, provider)).toEqual(refusal);
    expect(three.reached()).toEqual([0, 0, 0]);
    expect(await ask(`@${slug}/on`)).toEqual([200, undefined]);
    expect(await ask(`@${slug}/on`, provider)).toEqual([200, undefined]);
    // What has no body asks for none.
    const files = { method: 'GET', path: '/v1/files', body: undefined };
    expect(await ask(`@${slug}/on`, provider, files)).toEqual([200, undefined]);
  });

  test.each([
    ['that lacks the field', null, 2, 'whisper-1'],
    ['whose field names another one', '@loop-2/other', 1, 'other'],
  ])('of a form %s', async (_name, own, index, model) => {
    const form = new FormData();
    if (own !== null) form.set('model', own);
    form.set('file', new Blob(['RIFF']), 'a.wav');
    const sent = new Response(form);
    const { status } = await three.call(byDefault('@loop-3/whisper-1'), {
      path: '/v1/audio/transcriptions',
      headers: { 'content-type': sent.headers.get('content-type') ?? '' },
      body: Buffer.from(await sent.arrayBuffer()),
    });
    expect([status, three.reached().indexOf(1)]).toEqual([200, index]);
    const models = String(three.providers[index]?.requests[0]?.body).match(/(?<=name="model"\r\n\r\n).*/g);
    expect(models).toEqual([model]);
  });
});
