import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chatAnswer, json } from '../support/provider.ts';
import { messages, startWorld, type World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const call = (config: unknown) => {
  world.provider.play(json(200, chatAnswer('ok')));
  return world.call({ config, body: { model: 'm', messages } });
};

const leaf = { provider: '@loop-1' };
const group = (strategy: object, targets: unknown[] = [{ name: 'a', ...leaf }]) => ({ strategy, targets });
// biome-ignore lint/suspicious/noThenProperty: the config's own name for a condition's target
const when = (query: unknown, target = 'a') => ({ query, then: target });
const conditional = (query: unknown) =>
  group({ mode: 'conditional', conditions: [when(query)], default: 'a' });

/** A config and the path of the one mistake in it. */
test.each([
  ['nothing in it', {}, 'config'],
  ['an array', [], 'config'],
  ['a number of targets', { targets: 3, strategy: { mode: 'single' } }, 'config.targets'],
  ['no targets', group({ mode: 'single' }, []), 'config.targets'],
  ['targets without strategy', { targets: [leaf] }, 'config.strategy'],
  ['strategy without targets', { strategy: { mode: 'fallback' } }, 'config.targets'],
  ['an unknown mode', group({ mode: 'random' }), 'config.strategy.mode'],
  ['an unknown key', { ...leaf, colour: 'red' }, 'config.colour'],
  [
    'an unknown key of a target',
    group({ mode: 'single' }, [leaf, { ...leaf, colour: 1 }]),
    'config.targets[1].colour',
  ],
  ['an unknown key of the strategy', group({ mode: 'single', colour: 1 }), 'config.strategy.colour'],
  ['an unknown key of retry', { ...leaf, retry: { attempts: 1, delay: 3 } }, 'config.retry.delay'],
  ['the old format', { options: [] }, 'config.options'],
  ['a key of the prototype', '{"constructor": 1, "provider": "@loop-1"}', 'config.constructor'],
  ['__proto__', '{"__proto__": {"x": 1}, "provider": "@loop-1"}', 'config.__proto__'],
  ['another cache mode', { ...leaf, cache: { mode: 'fuzzy' } }, 'config.cache.mode'],
  ['another legacy cache mode', { ...leaf, cache: 'fuzzy' }, 'config.cache.mode'],
  ['cache without a mode', { ...leaf, cache: {} }, 'config.cache.mode'],
  ['a lifetime below a minute', { ...leaf, cache: { mode: 'simple', max_age: 59 } }, 'config.cache.max_age'],
  [
    'a lifetime beyond 90 days',
    { ...leaf, cache: { mode: 'simple', max_age: 7_776_001 } },
    'config.cache.max_age',
  ],
  ['an unknown key of cache', { ...leaf, cache: { mode: 'simple', size: 1 } }, 'config.cache.size'],
  ['a guardrail that is none', { ...leaf, input_guardrails: [1] }, 'config.input_guardrails[0]'],
  [
    'an unknown check',
    { ...leaf, output_guardrails: [{ 'default.nothing': {} }] },
    'config.output_guardrails[0].checks[0].id',
  ],
  [
    'a wrong parameter of a check',
    { ...leaf, beforeRequestHooks: [{ 'default.wordCount': { minWords: -1 } }] },
    'config.before_request_hooks[0].checks[0].parameters.minWords',
  ],
  [
    'a circuit breaker without cooldown',
    { ...leaf, cb_config: { failure_threshold: 1 } },
    'config.cb_config.cooldown_interval',
  ],
  [
    'a cooldown below half a minute',
    { ...leaf, cb_config: { failure_threshold: 1, cooldown_interval: 29_999 } },
    'config.cb_config.cooldown_interval',
  ],
  [
    'a circuit breaker without a threshold',
    { ...leaf, cb_config: { cooldown_interval: 30_000 } },
    'config.cb_config.failure_threshold',
  ],
  [
    'a threshold of 0',
    { ...leaf, cb_config: { failure_threshold: 0, cooldown_interval: 30_000 } },
    'config.cb_config.failure_threshold',
  ],
  [
    'more than all requests',
    { ...leaf, cb_config: { failure_threshold_percentage: 101, cooldown_interval: 30_000 } },
    'config.cb_config.failure_threshold_percentage',
  ],
  [
    'a circuit breaker that counts nothing',
    { ...leaf, cb_config: { failure_threshold: 1, cooldown_interval: 30_000, failure_status_codes: [] } },
    'config.cb_config.failure_status_codes',
  ],
  [
    'a circuit breaker of a strategy',
    group({ mode: 'fallback', cb_config: { failure_threshold: 1.5, cooldown_interval: 30_000 } }),
    'config.strategy.cb_config.failure_threshold',
  ],
  ['a stored prompt', { ...leaf, prompt_id: 'pp-1' }, 'config.prompt_id'],
  [
    'sticky sessions of nothing',
    group({ mode: 'loadbalance', sticky: { enabled: true, hash_fields: [] } }),
    'config.strategy.sticky.hash_fields',
  ],
  [
    'sticky sessions of something unknown',
    group({ mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['metadata.a', 'user'] } }),
    'config.strategy.sticky.hash_fields[1]',
  ],
  [
    'sticky sessions of a credential',
    group({ mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['headers.authorization'] } }),
    'config.strategy.sticky.hash_fields[0]',
  ],
  [
    'sticky sessions without balance',
    group({ mode: 'fallback', sticky: { enabled: true, hash_fields: ['metadata.a'] } }),
    'config.strategy.sticky',
  ],
  [
    'the catalogue at a target',
    group({ mode: 'single' }, [{ ...leaf, fetch_integrated_models: true }]),
    'config.targets[0].fetch_integrated_models',
  ],
  ['retry without attempts', { ...leaf, retry: {} }, 'config.retry.attempts'],
  ['six attempts', { ...leaf, retry: { attempts: 6 } }, 'config.retry.attempts'],
  ['half an attempt', { ...leaf, retry: { attempts: 0.5 } }, 'config.retry.attempts'],
  [
    'a status that is none',
    { ...leaf, retry: { attempts: 1, on_status_codes: [1000] } },
    'config.retry.on_status_codes[0]',
  ],
  [
    'a negative weight',
    group({ mode: 'loadbalance' }, [{ ...leaf, weight: -1 }]),
    'config.targets[0].weight',
  ],
  ['no weight above zero', group({ mode: 'loadbalance' }, [{ ...leaf, weight: 0 }]), 'config.targets'],
  ['a timeout of zero', { ...leaf, request_timeout: 0 }, 'config.request_timeout'],
  ['a timeout in text', { ...leaf, request_timeout: '5' }, 'config.request_timeout'],
  ['parameters that are a list', { ...leaf, override_params: [] }, 'config.override_params'],
  ['a host that is none', { provider: 'openai', custom_host: 'example.com' }, 'config.custom_host'],
  ['a metadata host', { provider: 'openai', custom_host: 'http://169.254.169.254' }, 'config.custom_host'],
  ['a header that is none', { ...leaf, forward_headers: ['a b'] }, 'config.forward_headers[0]'],
  [
    'forwarding the list itself',
    { ...leaf, forward_headers: ['X-Gateway-Forward-Headers'] },
    'config.forward_headers[0]',
  ],
  [
    'forwarding a metadata header',
    { ...leaf, forward_headers: ['x-a', 'Metadata-Flavor'] },
    'config.forward_headers[1]',
  ],
  [
    'conditional without conditions',
    group({ mode: 'conditional', default: 'a' }),
    'config.strategy.conditions',
  ],
  [
    'conditional without default',
    group({ mode: 'conditional', conditions: [when({})] }),
    'config.strategy.default',
  ],
  [
    'an unknown default',
    group({ mode: 'conditional', conditions: [when({})], default: 'b' }),
    'config.strategy.default',
  ],
  [
    'an unknown target',
    group({ mode: 'conditional', conditions: [when({}, 'b')], default: 'a' }),
    'config.strategy.conditions[0].then',
  ],
  [
    'equal names',
    group({ mode: 'single' }, [
      { name: 'a', ...leaf },
      { name: 'a', ...leaf },
    ]),
    'config.targets',
  ],
  ['passthrough with targets', { passthrough: true, ...group({ mode: 'single' }) }, 'config.passthrough'],
  ['passthrough with override_params', { passthrough: true, override_params: {} }, 'config.passthrough'],
  ['a kind without credential or host', { provider: 'openai' }, 'config'],
  ['a path that is none', { ...leaf, drop_params: ['a', 'a[['] }, 'config.drop_params[1]'],
  ['an index that is none', { ...leaf, drop_params: ['a[b].c'] }, 'config.drop_params[0]'],
  ['a path without a beginning', { ...leaf, drop_params: ['.a'] }, 'config.drop_params[0]'],
  [
    'a key in both spellings',
    { ...leaf, overrideParams: { a: 1 }, override_params: { a: 2 } },
    'config.override_params',
  ],
  [
    'the same below',
    group({ mode: 'fallback', onStatusCodes: [500], on_status_codes: [429] }, [
      { ...leaf, retry: { attempts: 1, use_retry_after_header: true, useRetryAfterHeaders: true } },
    ]),
    'config.strategy.on_status_codes config.targets[0].retry.useRetryAfterHeaders',
  ],
] as [string, unknown, string][])('%s is refused with its path', async (_name, config, path) => {
  const answer = await call(config);
  expect([answer.status, answer.json.error.code, answer.json.status]).toEqual([
    400,
    'invalid_config',
    'failure',
  ]);
  const paths = (answer.json.errors as string[]).map((line) => /^path: (\S+), message: ./.exec(line)?.[1]);
  expect(paths).toEqual(path.split(' '));
  expect(world.provider.requests).toHaveLength(0);
});

/** A malformed query is refused when it is saved, and skipped when it comes with a request. */
test.each([
  ['an unknown operator', { 'metadata.x': { $like: 'y' } }],
  ['an unknown root', { 'cookies.x': 'y' }],
  ['three segments', { 'params.a.b': 'y' }],
  ['a credential', { 'headers.Authorization': 'y' }],
  ['a credential of the gateway', { 'headers.x-gateway-api-key': { $regex: '^sl' } }],
  ['$and that is no list', { $and: { 'metadata.x': 'y' } }],
  ['$or of something else', { $or: ['x'] }],
  ['a list as value', { 'metadata.x': ['y'] }],
  ['$in without a list', { 'metadata.x': { $in: 'y' } }],
  ['a pattern that is none', { 'metadata.x': { $regex: '(' } }],
  ['a pattern that looks ahead', { 'metadata.x': { $regex: 'a(?=b)' } }],
])('%s in a condition is refused on saving and skipped on the request', async (_name, query) => {
  const config = conditional({ $or: [{ 'metadata.x': 'y' }, query] });
  const saved = await world.app.rest('POST', '/v1/configs', { body: { name: 'Malformed', config } });
  expect(saved).toMatchObject({ status: 400, body: { error: { code: 'AB01', param: 'config' } } });
  expect((saved.body as { error: { errors: string[] } }).error.errors).toEqual([
    expect.stringMatching(/^path: config\.strategy\.conditions\[0\]\.query, message: /),
  ]);
  expect((await call(config)).status).toBe(200);
});

test.each([
  [{ ...leaf, drop_params: ['a[['] }, 'config.drop_params[0]'],
  [{ ...leaf, virtual_key: 'a', virtualKey: 'b' }, 'config.virtualKey'],
  [{ ...leaf, request_timeout: 5000, requestTimeout: 5000 }, 'config.requestTimeout'],
])('%j is not saved', async (config, path) => {
  const saved = await world.app.rest('POST', '/v1/configs', { body: { name: 'Mistaken', config } });
  expect(saved).toMatchObject({ status: 400, body: { error: { param: 'config' } } });
  expect((saved.body as { error: { errors: string[] } }).error.errors).toEqual([
    expect.stringContaining(`path: ${path}, message: `),
  ]);
});

test('every mistake is reported', async () => {
  const answer = await call({ ...leaf, colour: 1, retry: { attempts: 9 }, weight: 'x' });
  expect(answer.json.errors).toHaveLength(3);
});

test.each(['{', '{"provider":', '[1', '{provider: "@x"}', '{} {}'])('%j is not JSON', async (text) => {
  const answer = await call(text);
  expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([
    400,
    'invalid_config',
    'x-gateway-config',
  ]);
});

test.each([
  [
    'snake_case',
    {
      retry: { attempts: 0, on_status_codes: [500], use_retry_after_header: true },
      override_params: { maxTokens: 1 },
      drop_params: ['model'],
      request_timeout: 5000,
    },
  ],
  [
    'camelCase',
    {
      retry: { attempts: 0, onStatusCodes: [500], useRetryAfterHeader: true },
      overrideParams: { maxTokens: 1 },
      dropParams: ['model'],
      requestTimeout: 5000,
    },
  ],
  [
    'the other alias',
    {
      retry: { attempts: 0, use_retry_after_headers: true },
      overrideParams: { maxTokens: 1 },
      drop_params: ['model'],
      strictOpenAiCompliance: false,
    },
  ],
])('keys in %s are taken, and the caller’s own data keeps its spelling', async (_name, config) => {
  const answer = await call({ ...leaf, ...config });
  expect(answer.status).toBe(200);
  expect(JSON.parse(String(world.provider.requests[0]?.body))).toEqual({ messages, maxTokens: 1 });
});

test.each([
  ['a catalogue provider', leaf],
  ['virtual_key', { virtual_key: 'loop-1' }],
  ['cache alone', { cache: { mode: 'semantic' }, provider: '@loop-1' }],
  ['the legacy form of cache', { ...leaf, cache: 'simple' }],
  [
    'a circuit breaker in camelCase',
    { ...leaf, cbConfig: { failureThreshold: 3, cooldownInterval: 30_000, failureStatusCodes: [500] } },
  ],
  [
    'sticky sessions in camelCase',
    group({ mode: 'loadbalance', sticky: { enabled: false, hashFields: ['metadata.a'] } }),
  ],
  ['fetch_integrated_models', { ...leaf, fetchIntegratedModels: true }],
  ['on_status_codes outside the strategy', { ...leaf, on_status_codes: [500] }],
  ['a weight outside a group', { ...leaf, weight: 3 }],
  ['passthrough: false beside parameters', { passthrough: false, override_params: { model: '@loop-1/m' } }],
  [
    'groups in groups',
    group({ mode: 'single' }, [group({ mode: 'single' }, [group({ mode: 'single' }, [leaf])])]),
  ],
  [
    'a hundred targets',
    group(
      { mode: 'fallback' },
      Array.from({ length: 100 }, () => leaf),
    ),
  ],
])('%s is accepted', async (_name, config) => {
  expect((await call(config)).status).toBe(200);
});

test.each([
  [
    'targets',
    (depth: number) =>
      `${'{"strategy":{"mode":"single"},"targets":['.repeat(depth)}{"provider":"@loop-1"}${']}'.repeat(depth)}`,
    1400,
  ],
  [
    'parameters',
    (depth: number) => `{"override_params":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
    25_000,
  ],
  [
    'conditions',
    (depth: number) =>
      JSON.stringify(conditional('QUERY')).replace(
        '"QUERY"',
        `${'{"$and":['.repeat(depth)}${']}'.repeat(depth)}`,
      ),
    5000,
  ],
])('%s nested without end are refused', async (_name, nest, depth) => {
  expect((await call(nest(3))).status).not.toBe(500);
  const answer = await call(nest(depth));
  expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_config']);
});

const keys = [
  'strategy',
  'targets',
  'mode',
  'provider',
  'retry',
  'attempts',
  'conditions',
  'query',
  'then',
  'default',
  'name',
  'weight',
  'override_params',
  'drop_params',
  'custom_host',
  'onStatusCodes',
  'request_timeout',
  'forward_headers',
  'passthrough',
  'metadata.x',
  '$and',
  '$regex',
  '__proto__',
  'constructor',
  'toString',
  '',
];
const words = [
  'single',
  'fallback',
  'loadbalance',
  'conditional',
  '@loop-1',
  'openai',
  'a',
  'http://127.0.0.1:1/v1',
  '',
  '[*].a',
];

test('no config whatever makes the gateway fail', async () => {
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...words),
      fc.constantFrom(0, 1, -1, 2.5, 500, 1e9, true, false, null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.constantFrom(...keys), tie('node')), { maxLength: 5 })
        .map((pairs) => Object.fromEntries(pairs)),
    ),
  }));
  const config = fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...keys), node), { maxLength: 6 })
        .map((pairs) => JSON.stringify(Object.fromEntries(pairs))),
    },
    { weight: 1, arbitrary: fc.stringMatching(/^[ -~]{1,60}$/) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }).map((text) => text.replace(/[^ -~]/g, '?')) },
  );
  await fc.assert(
    fc.asyncProperty(config, async (text) => {
      const answer = await call(text);
      // A host that nobody listens at may be named: that is the only failure that is not the caller's.
      expect([200, 400, 503]).toContain(answer.status);
      expect(answer.text).not.toMatch(/\bat .*\.ts:\d/);
    }),
    { numRuns: 250 },
  );
});
