import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import { type CallOptions, messages, startWorld, type World } from '../../support/world.ts';

let world: World;
let other: ScriptedProvider;

beforeAll(async () => {
  world = await startWorld();
  other = await startProvider();
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

/** Makes a call and answers how many requests reached each of the two providers, and what the caller saw. */
async function route(options: CallOptions) {
  world.provider.play(json(200, chatAnswer('first')));
  other.play(json(200, chatAnswer('second')));
  const answer = await world.call(options);
  return { answer, reached: [world.provider.requests.length, other.requests.length] };
}

const named = (provider: string, headers: Record<string, string> = {}) => ({
  headers: { 'x-gateway-provider': provider, ...headers },
  body: { model: 'gpt-4o', messages },
});
const setModels = async (slug: string, body: object) => {
  const answer = await world.app.rest('PUT', `/v1/integrations/${slug}/models`, { body });
  expect(answer.status).toBe(200);
};

type Refusal = {
  status: number;
  code: string;
  param?: string;
  options: () => CallOptions | Promise<CallOptions>;
};

const refusals: [string, Refusal][] = [
  [
    'no provider named anywhere',
    {
      status: 400,
      code: 'provider_required',
      param: 'x-gateway-provider',
      options: () => ({ body: { model: 'm', messages } }),
    },
  ],
  [
    'a passthrough config without provider',
    {
      status: 400,
      code: 'provider_required',
      options: () => ({ config: { passthrough: true }, body: { model: 'm' } }),
    },
  ],
  ['an unknown provider kind', { status: 400, code: 'unknown_provider', options: () => named('nobody') }],
  ['a kind in capitals', { status: 400, code: 'unknown_provider', options: () => named('OpenAI') }],
  ['an unknown slug', { status: 400, code: 'unknown_provider', options: () => named('@nobody') }],
  [
    'an unknown slug in the model',
    { status: 400, code: 'unknown_provider', options: () => ({ body: { model: '@nobody/m', messages } }) },
  ],
  [
    'an unknown virtual key',
    {
      status: 400,
      code: 'unknown_provider',
      options: () => ({ headers: { 'x-gateway-virtual-key': 'nobody' }, body: { model: 'm' } }),
    },
  ],
  [
    'an expired provider',
    {
      status: 400,
      code: 'unknown_provider',
      options: async () => {
        const slug = await world.makeProvider();
        await world.app.db
          .collection('providers')
          .updateOne({ slug }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
        return named(`@${slug}`);
      },
    },
  ],
  [
    'a provider whose integration is archived',
    {
      status: 400,
      code: 'unknown_provider',
      options: async () => {
        const slug = await world.makeProvider();
        await world.app.db.collection('integrations').updateOne({ slug }, { $set: { status: 'archived' } });
        return named(`@${slug}`);
      },
    },
  ],
  [
    'a model that is switched off',
    {
      status: 403,
      code: 'forbidden',
      param: 'model',
      options: async () => {
        const slug = await world.makeProvider();
        await setModels(slug, { models: [{ slug: 'gpt-off', enabled: false }] });
        return { body: { model: `@${slug}/gpt-off`, messages } };
      },
    },
  ],
  [
    'a model that is not listed where only listed ones are allowed',
    {
      status: 403,
      code: 'forbidden',
      param: 'model',
      options: async () => {
        const slug = await world.makeProvider();
        await setModels(slug, { models: [{ slug: 'gpt-on', enabled: true }], allow_all_models: false });
        return { body: { model: `@${slug}/gpt-4o`, messages } };
      },
    },
  ],
  ...(
    [
      [
        'a forced model that covers for another one in a body that is not read',
        {
          config: { override_params: { model: 'gpt-on' } },
          path: '/v1/proxy/chat/completions',
          headers: { 'content-type': 'text/plain' },
          body: '{"model":"gpt-off"}',
        },
      ],
      [
        'a model that only the config gives',
        { config: { default_params: { model: 'gpt-off' } }, body: { messages } },
      ],
      ['a model in the path', { path: '/v1/proxy/models/gpt-off:generateContent', body: { contents: [] } }],
      ['a request that names none', { path: '/v1/images/generations', body: { prompt: 'x' } }],
    ] as [string, CallOptions & { config?: object }][]
  ).map(([name, { config, headers, ...options }]): [string, Refusal] => [
    `${name}, where only listed ones are allowed`,
    {
      status: 403,
      code: 'forbidden',
      param: config && 'default_params' in config ? 'config.default_params.model' : 'model',
      options: async () => {
        const slug = await world.makeProvider();
        await setModels(slug, { models: [{ slug: 'gpt-on', enabled: true }], allow_all_models: false });
        return { ...options, config, headers: { 'x-gateway-provider': `@${slug}`, ...headers } };
      },
    },
  ]),
  [
    'a custom host beside a stored credential',
    {
      status: 400,
      code: 'invalid_custom_host',
      options: () => named(`@${world.slug}`, { 'x-gateway-custom-host': other.url }),
    },
  ],
  [
    'a custom host of a config beside a stored credential',
    {
      status: 400,
      code: 'invalid_custom_host',
      options: () => ({
        config: { provider: `@${world.slug}`, custom_host: other.url },
        body: { model: 'm' },
      }),
    },
  ],
  [
    'a custom host beside stored headers',
    {
      status: 400,
      code: 'invalid_custom_host',
      options: async () => {
        const slug = await world.makeProvider({
          key: undefined,
          configurations: { custom_host: world.provider.url, custom_headers: { 'x-token': 'stored secret' } },
        });
        return named(`@${slug}`, { 'x-gateway-custom-host': other.url });
      },
    },
  ],
  [
    'a kind that needs a host, without one',
    { status: 400, code: 'invalid_custom_host', options: () => named('ollama') },
  ],
  [
    'a host that is not allowed',
    {
      status: 400,
      code: 'invalid_custom_host',
      param: 'x-gateway-custom-host',
      options: () => named('openai', { 'x-gateway-custom-host': 'http://169.254.169.254/latest' }),
    },
  ],
  [
    'a host on a port of another protocol',
    {
      status: 400,
      code: 'invalid_custom_host',
      options: () => named('openai', { 'x-gateway-custom-host': 'http://127.0.0.1:6379/v1' }),
    },
  ],
];

test.each(refusals)('%s is refused and nobody is called', async (_name, { status, code, param, options }) => {
  const { answer, reached } = await route(await options());
  expect([answer.status, answer.json.error.code, reached]).toEqual([status, code, [0, 0]]);
  expect(answer.json).toMatchObject({ status: 'failure', message: answer.json.error.message });
  expect(answer.headers['x-gateway-gateway-exception']).toBe('true');
  if (param) expect(answer.json.error.param).toBe(param);
});

describe('an error names the place where the mistake stands', () => {
  const second = (target: object, above: object = {}) => ({
    ...above,
    strategy: { mode: 'fallback', on_status_codes: [200] },
    targets: [{ provider: `@${world.slug}` }, target],
  });
  const privateHost = 'http://10.0.0.1/v1';

  test.each<[place: string, () => CallOptions | Promise<CallOptions>]>([
    ['config.targets[1].provider', () => ({ config: second({ provider: '@nobody' }) })],
    ['config.targets[1].provider', () => ({ config: second({ provider: 'nobody', api_key: 'k' }) })],
    ['config.targets[1].virtual_key', () => ({ config: second({ virtual_key: 'nobody' }) })],
    [
      'config.targets[1].override_params.model',
      () => ({ config: second({ override_params: { model: '@nobody/m' } }) }),
    ],
    ['config.targets[1].provider', () => ({ config: second({ retry: { attempts: 1 } }) })],
    ['model', () => ({ body: { model: '@nobody/m', messages } })],
    ['x-gateway-virtual-key', () => ({ headers: { 'x-gateway-virtual-key': 'nobody' } })],
    ['x-gateway-provider', () => ({ headers: { 'x-gateway-provider': '@nobody' } })],
    ['config.targets[1].custom_host', () => ({ config: second({ provider: 'ollama' }) })],
    [
      'config.targets[1].custom_host',
      () => ({ config: second({ provider: 'openai', api_key: 'k', custom_host: privateHost }) }),
    ],
    [
      'config.targets[1].custom_host',
      () => ({ config: second({ provider: `@${world.slug}`, custom_host: other.url }) }),
    ],
    [
      'config.targets[1].targets[0].custom_host',
      () => ({
        config: second({
          strategy: { mode: 'single' },
          targets: [
            { custom_host: privateHost, strategy: { mode: 'single' }, targets: [{ provider: 'openai' }] },
          ],
        }),
      }),
    ],
    [
      'config.targets[1].override_params.model',
      async () => {
        const slug = await world.makeProvider();
        await setModels(slug, { models: [{ slug: 'off', enabled: false }] });
        return { config: second({ provider: `@${slug}`, override_params: { model: 'off' } }) };
      },
    ],
  ])('%s', async (place, options) => {
    const { answer } = await route({ body: { model: 'm', messages }, ...(await options()) });
    expect(answer.json.error.param).toBe(place);
  });

  test('and the log shows which target it was', async () => {
    const { answer } = await route({
      config: second({ provider: '@nobody' }),
      body: { model: 'm', messages },
    });
    expect(answer.headers['x-gateway-last-used-option-index']).toBe('config.targets[1]');
    await world.app.logged();
    const found = await world.app.db
      .collection('logs')
      .findOne({ traceId: String(answer.headers['x-gateway-trace-id']), responseStatusCode: 400 });
    expect(found).toMatchObject({
      mode: 'fallback',
      lastUsedOptionIndex: 1,
      lastUsedOptionJsonPath: 'config.targets[1]',
      error: 'There is no provider @nobody in this workspace: see config.targets[1].provider.',
    });
  });
});

test('without a provider the answer names the header that is missing', async () => {
  const { answer } = await route({ body: { model: 'm', messages } });
  expect(answer.json.error.message).toMatch(/x-gateway-provider/);
});
