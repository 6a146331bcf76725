import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../../support/provider.ts';
import { bodiesOf, recordsOf } from '../../support/records.ts';
import { type CallOptions, startWorld, type World } from '../../support/world.ts';

let world: World;
/** A provider whose model `on` is the only one that may be asked. */
let restricted: string;

beforeAll(async () => {
  world = await startWorld();
  restricted = await world.makeProvider();
  const body = { models: [{ slug: 'on', enabled: true }], allow_all_models: false };
  expect((await world.app.rest('PUT', `/v1/integrations/${restricted}/models`, { body })).status).toBe(200);
});
afterAll(() => world.stop());
beforeEach(() => world.provider.play(json(200, chatAnswer('ok'))));

/** The bytes that reach the provider. */
async function sent(body: string | Buffer, options: CallOptions = {}): Promise<string> {
  const answer = await world.call({ body, ...options });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return world.provider.requests.at(-1)?.body.toString('latin1') ?? '';
}
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const odd = (model: string, more = '') =>
  ` {\t"seed" : 12345678901234567890,\n"temperature":1.0 , "top_p": -0.0, "é\\u00e9\\/": "日本\\ud83d\\ude00 \\"model\\":1",
  "model" :  ${model} , "messages":[ {"role":"user","content":"x","model":"@inner/one"} ], "n":1e2${more} }\r\n`;

describe.each(['/v1/chat/completions', '/v1/proxy/chat/completions'])('on %s', (path) => {
  test('a model loses its slug, and all other bytes stay', async () => {
    const body = odd(`"@${world.slug}/vendor/gpt"`);
    expect(await sent(body, { path })).toBe(bytes(odd('"vendor/gpt"')));
  });

  test('a config changes its members alone', async () => {
    const config = {
      provider: `@${world.slug}`,
      override_params: { temperature: 0.5, user: 'Zoë' },
      default_params: { seed: 1, logprobs: true },
      drop_params: ['n', 'messages[*].model'],
    };
    const expected = odd('"gpt"')
      .replace('1.0', '0.5')
      .replace(',"model":"@inner/one"', '')
      .replace(', "n":1e2', ',"logprobs":true,"user":"Zoë"');
    expect(await sent(odd('"gpt"'), { path, config })).toBe(bytes(expected));
  });

  test('with the model of a restricted provider all other bytes stay', async () => {
    expect(await sent(odd(`"@${restricted}/on"`), { path })).toBe(bytes(odd('"on"')));
  });
});

test('a stream is asked for its token counts beside the options that the caller has', async () => {
  const headers = { 'x-gateway-provider': `@${world.slug}` };
  const streamed = (options: string) =>
    `{"model":"m","n":1.0,"stream":true,"stream_options" : ${options}, "messages":[]}`;
  expect(await sent(streamed('{"limit":1.0}'), { headers })).toBe(
    streamed('{"limit":1.0,"include_usage":true}'),
  );
  expect(await sent(streamed('{ "include_usage":false }'), { headers })).toBe(
    streamed('{ "include_usage":true }'),
  );
  expect(await sent(streamed('null'), { headers })).toBe(streamed('{"include_usage":true}'));
});

describe('of a member that comes twice only the one that was read goes out', () => {
  const twice: [string, string][] = [
    ['the same', '"model":"off"'],
    ['with escapes', '"mod\\u0065l":"off"'],
    ['with nothing but escapes', '"\\u006d\\u006f\\u0064\\u0065\\u006c":"off"'],
  ];

  test.each(twice)('%s, where a slug is taken off', async (_name, first) => {
    expect(JSON.parse(await sent(`{${first},"n":1.0,"model":"@${world.slug}/on"}`))).toEqual({
      n: 1,
      model: 'on',
    });
    expect(world.provider.requests.at(-1)?.body.toString()).toBe('{"n":1.0,"model":"on"}');
  });

  test.each(twice)('%s, where models are restricted', async (_name, first) => {
    const headers = { 'x-gateway-provider': `@${restricted}` };
    for (const model of [`@${restricted}/on`, 'on']) {
      expect(await sent(`{${first},"model":"${model}"}`, { headers })).toBe('{"model":"on"}');
      const reversed = await world.call({ headers, body: `{"model":"${model}",${first}}` });
      expect([reversed.status, reversed.json.error.param]).toEqual([403, 'model']);
    }
    expect(await sent(`{"model":"on","x":[{${first},"model":"on"}]}`, { headers })).not.toContain('off');
  });

  test('where models are restricted, and V8 takes a name with escapes for another one', async () => {
    const headers = { 'x-gateway-provider': `@${restricted}` };
    await sent('{"model":"on","\\\\":"x"}', { headers });
    for (const body of [
      '{"model":"on","\\u006dodel":"off"}',
      `{"model":"@${restricted}/on","\\u006dodel":"off"}`,
    ]) {
      const { status } = await world.call({ headers, body });
      // Read as it should be, it would be refused.
      expect([200, 403]).toContain(status);
      for (const { body: reached } of world.provider.requests)
        expect(reached.toString()).not.toContain('u006d');
    }
  });

  test('bytes that are no UTF-8, where models are restricted', async () => {
    const headers = { 'x-gateway-provider': `@${restricted}` };
    const body = Buffer.from('{"x":"\xc3","model":"on"}', 'latin1');
    expect(await sent(body, { headers })).toBe(bytes('{"x":"\ufffd","model":"on"}'));
  });

  test('where a condition read it', async () => {
    const target = { name: 'only', provider: `@${world.slug}` };
    // biome-ignore lint/suspicious/noThenProperty: it is the config's word for the target.
    const conditions = [{ query: { 'params.tier': { $eq: 'low' } }, then: 'only' }];
    const config = { strategy: { mode: 'conditional', conditions, default: 'only' }, targets: [target] };
    expect(await sent('{"model":"m","tier":"high","tier":"low"}', { config })).toBe(
      '{"model":"m","tier":"low"}',
    );
  });

  test('where a config changes another one', async () => {
    const config = { provider: `@${world.slug}`, override_params: { max_tokens: 5 } };
    const body = '{"model":"m","max_tokens":9,"max\\u005ftokens":99,"MAX_tokens":999}';
    expect(await sent(body, { config })).toBe('{"model":"m","max_tokens":5}');
  });
});

test('numbers that only differ in digits which a parser drops have an answer each in the cache', async () => {
  const config = { provider: `@${world.slug}`, cache: { mode: 'simple' } };
  const status = async (seed: string) => {
    const answer = await world.call({ config, body: `{"model":"m","messages":[],"seed":${seed}}` });
    return answer.headers['x-gateway-cache-status'];
  };
  expect(await status('12345678901234567890')).toBe('MISS');
  expect(world.provider.requests.at(-1)?.body.toString()).toContain('12345678901234567890');
  expect(await status('12345678901234567891')).toBe('MISS');
  expect(await status('12345678901234567890')).toBe('HIT');
});

test('the log shows what was sent', async () => {
  const body = odd(`"@${world.slug}/gpt"`);
  const headers = { 'x-gateway-trace-id': 'spliced' };
  await sent(body, { headers });
  const [record] = await recordsOf(world.app, { traceId: 'spliced' });
  const bodies = await bodiesOf(world.app, record as NonNullable<typeof record>);
  expect(bodies?.transformedRequest?.body).toBe(odd('"gpt"'));
});
