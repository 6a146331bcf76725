import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  fallback,
  startThreeProviders,
  type ThreeProviders,
  target,
} from '../dataplane/strategy/three-providers.ts';
import { dataOf } from '../subgraphs/support.ts';
import { startApp, type Tenant } from '../support/app.ts';
import { chatAnswer } from '../support/provider.ts';
import { type CallOptions, created, messages, type RawAnswer } from '../support/world.ts';

/** The rules of configs, one row each, through the front doors. */

let three: ThreeProviders;

beforeAll(async () => {
  three = await startThreeProviders();
});
afterAll(() => three.stop());
beforeEach(() => three.answer(200, 200, 200));

const app = () => three.world.app;
const single = (...targets: unknown[]) => ({ strategy: { mode: 'single' }, targets });
const loadbalance = (...targets: unknown[]) => ({ strategy: { mode: 'loadbalance' }, targets });
const own = (index: number) => ({
  provider: 'openai',
  api_key: 'k',
  custom_host: three.providers[index]?.url,
});
const when = (query: object, then = 'a') => ({ query, then });
const conditional = (...conditions: object[]) => ({
  strategy: { mode: 'conditional', conditions, default: 'b' },
  targets: [target(0, { name: 'a' }), target(1, { name: 'b' })],
});

const codeOf = ({ json: body }: RawAnswer) => body?.error?.code;

async function save(config: unknown, rest: object = {}): Promise<{ id: string; slug: string }> {
  const { data } = await created(app(), '/v1/configs', { name: 'spec', config, ...rest });
  const read = await app().rest('GET', `/v1/configs/${data.id}`);
  return (read.body as { data: { id: string; slug: string } }).data;
}

describe('keys and inheritance', () => {
  type Row = [rule: string, config: () => object, expected: object, options?: CallOptions];
  const params = (index: number) => three.sent(index);

  const rows: Row[] = [
    ['targets nest', () => single(single(single(target(2)))), { reached: [0, 0, 1] }],
    ['virtual_key is the slug of a provider', () => ({ virtual_key: 'loop-2' }), { reached: [0, 1, 0] }],
    ['provider, api_key and custom_host of a target', () => own(1), { reached: [0, 1, 0] }],
    [
      'on_status_codes outside the strategy has no effect',
      () => ({ ...fallback([target(0), target(1)]), on_status_codes: [500] }),
      { reached: [1, 0, 0] },
    ],
    [
      'override_params are forced, default_params fill in, drop_params come last',
      () =>
        target(0, { override_params: { a: 1, b: 1 }, default_params: { a: 2, c: 2 }, drop_params: ['b'] }),
      { body: { a: 1, c: 2 } },
    ],
    [
      'override_params merge per key, the child’s winning',
      () => ({ ...single(target(0, { override_params: { b: 2 } })), override_params: { a: 1, b: 1 } }),
      { body: { a: 1, b: 2 } },
    ],
    [
      'a child’s drop_params replace its parent’s',
      () => ({ ...single(target(0, { drop_params: ['seed'] })), drop_params: ['model'] }),
      { body: { model: 'm' } },
    ],
    [
      'camelCase keys are the same keys',
      () => single({ ...target(0), overrideParams: { maxTokens: 1 }, requestTimeout: 5000 }),
      { body: { maxTokens: 1 } },
    ],
    [
      'weight 0 starves a target, which is not the default',
      () => loadbalance(target(0, { weight: 0 }), target(1)),
      { reached: [0, 1, 0] },
    ],
    [
      'forward_headers of the nearest level',
      () => ({ ...single(target(0, { forward_headers: ['X-B'] })), forward_headers: ['x-a'] }),
      { headers: { 'x-b': '2' } },
      { headers: { 'x-a': '1', 'x-b': '2' } },
    ],
    [
      'passthrough takes the header’s provider before the body’s',
      () => ({ passthrough: true }),
      { reached: [0, 1, 0] },
      { headers: { 'x-gateway-provider': '@loop-2' }, body: { model: '@loop-3/m', messages } },
    ],
    [
      'passthrough takes the body’s provider without a header',
      () => ({ passthrough: true }),
      { reached: [0, 0, 1] },
      { body: { model: '@loop-3/m', messages } },
    ],
  ];

  test.each(rows.map(([rule, config, expected, options = {}]) => ({ rule, config, expected, options })))(
    '$rule',
    async ({ config, expected, options }) => {
      const answer = await three.call(config(), options);
      expect(answer.status).toBe(200);
      const at = three.reached().findIndex((count) => count > 0);
      const seen = {
        reached: three.reached(),
        body: params(at),
        headers: three.providers[at]?.requests[0]?.headers,
      };
      expect(seen).toMatchObject(expected);
    },
  );

  test('credentials and settings are not inherited', async () => {
    const config = { ...single({ provider: 'openai', custom_host: three.providers[0]?.url }), api_key: 'k' };
    await three.call(config);
    expect(three.providers[0]?.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('fetch_integrated_models lists the catalogue of what the config names', async () => {
    const config = { ...fallback([target(0), target(1)]), fetch_integrated_models: true };
    const answer = await three.world.call({ method: 'GET', path: '/v1/models', config });
    expect([answer.json.object, three.reached()]).toEqual(['list', [0, 0, 0]]);
  });
});

describe('what a config must hold', () => {
  test.each<[object, boolean]>([
    [{ provider: 'openai', api_key: 'k' }, true],
    [{ provider: 'openai', custom_host: 'https://example.com/v1' }, true],
    [{ provider: '@loop-1' }, true],
    [{ virtual_key: 'loop-1' }, true],
    [{ strategy: { mode: 'single' }, targets: [{ provider: '@loop-1' }] }, true],
    [{ cache: { mode: 'simple' } }, true],
    [{ cache: 'semantic' }, true],
    [{ retry: { attempts: 1 } }, true],
    [{ request_timeout: 1000 }, true],
    [{ forward_headers: ['x-a'] }, true],
    [{ passthrough: true }, true],
    [{ default_params: {} }, true],
    [{ drop_params: ['a'] }, true],
    [{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'a'.repeat(40) }, true],
    [{ vertex_region: 'us-central1', vertex_project_id: 'project-1' }, true],
    [{ vertex_region: 'us-central1', vertex_service_account_json: '{}' }, true],
    [{ provider: 'ollama' }, true],
    [{}, false],
    [{ provider: 'openai' }, false],
    [{ api_key: 'k' }, false],
    [{ passthrough: false }, false],
    [{ weight: 1, name: 'a' }, false],
    [{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE' }, false],
    [{ vertex_project_id: 'project-1' }, false],
    [{ provider: 'openai', vertex_region: 'us-central1', vertex_project_id: 'project-1' }, false],
  ])('%j is enough: %s', async (config, enough) => {
    const answer = await app().rest('POST', '/v1/configs', { body: { name: 'content', config } });
    expect(answer.status).toBe(enough ? 200 : 400);
  });

  test.each([
    ['a long pattern', { 'params.x': { $regex: 'a'.repeat(257) } }],
    ['many repetitions', { 'params.x': { $regex: '(a{50}){51}' } }],
  ])('%s is refused on saving', async (_what, query) => {
    const target = { name: 't', provider: 'openai', api_key: 'k' };
    // biome-ignore lint/suspicious/noThenProperty: the config's own name for a condition's target
    const strategy = { mode: 'conditional', default: 't', conditions: [{ query, then: 't' }] };
    const body = { name: 'pattern', config: { strategy, targets: [target] } };
    expect((await app().rest('POST', '/v1/configs', { body })).status).toBe(400);
  });

  test('parameters are counted at every target that inherits them', async () => {
    const params = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`p${index}`, 1]));
    const targets = Array.from({ length: 50 }, () => ({ provider: 'openai', api_key: 'k' }));
    const config = { strategy: { mode: 'fallback' }, override_params: params, targets };
    const answer = await app().rest('POST', '/v1/configs', { body: { name: 'many', config } });
    expect(answer.body).toMatchObject({
      error: { message: expect.stringContaining('inherited ones included') },
    });
  });

  test('a provider that nobody knows is refused on saving, with its place', async () => {
    const known = { provider: 'openai', api_key: 'k' };
    const config = { strategy: { mode: 'fallback' }, targets: [known, { ...known, provider: 'nosuch' }] };
    const answer = await app().rest('POST', '/v1/configs', { body: { name: 'unknown', config } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { param: 'config.targets[1].provider', message: expect.stringContaining('nosuch') } },
    });
  });

  test('credentials of any provider are sealed and masked', async () => {
    const config = {
      provider: 'bedrock',
      aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      awsSecretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      aws_region: 'eu-west-1',
    };
    const { id } = await save(config);
    const masked = { aws_access_key_id: 'AKI***MPLE', awsSecretAccessKey: 'wJa***EKEY' };
    const read = await app().rest('GET', `/v1/configs/${id}`);
    expect(read.body).toMatchObject({ data: { config: { ...config, ...masked } } });
    const stored = await app().db.collection<{ _id: string }>('configs').findOne({ _id: id });
    expect(JSON.stringify(stored)).not.toMatch(/AKIAIOSFODNN7EXAMPLE|bPxRfiCYEXAMPLEKEY/);
    const put = (next: object) => app().rest('PUT', `/v1/configs/${id}`, { body: { config: next } });
    expect((await put({ ...config, ...masked, aws_region: 'us-east-1' })).status).toBe(200);
    const elsewhere = { ...config, ...masked, aws_role_arn: 'arn:aws:iam::123456789012:role/other' };
    expect(await put(elsewhere)).toMatchObject({ status: 400, body: { error: { code: 'AB01' } } });
  });
});

describe('strategies', () => {
  test.each([
    [246, undefined, 0],
    [204, undefined, 0],
    [446, undefined, 1],
    [408, undefined, 1],
    [412, undefined, 1],
    [429, undefined, 1],
    [500, undefined, 1],
    [246, [246], 1],
    [500, [429], 0],
    [500, [], 0],
  ])('fallback after %i with on_status_codes %j: target %i answers', async (status, codes, last) => {
    three.answer(status, 200, 200);
    const config = fallback([target(0), target(1)], codes && { on_status_codes: codes });
    const { headers } = await three.call(config);
    expect(headers['x-gateway-last-used-option-index']).toBe(`config.targets[${last}]`);
  });

  test('the last answer of a fallback is returned unchanged', async () => {
    three.answer(500, 418);
    const answer = await three.call(fallback([target(0), target(1)]));
    expect(answer.status).toBe(418);
    expect(answer.json).toMatchObject(chatAnswer('from 1'));
  });

  test('weights that add up to nothing are refused', async () => {
    const answer = await three.call(loadbalance(target(0, { weight: 0 }), target(1, { weight: 0 })));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_config']);
  });
});

/** Operators, missing keys and malformed queries: test/dataplane/strategy/routing-properties.test.ts */
describe('conditions see', () => {
  const headers = {
    'x-plan': 'pro',
    'x-gateway-metadata': '{"plan": "pro", "authorization": "yes"}',
    authorization: 'Bearer sk-of-the-caller-000000',
    cookie: 'plan=pro',
  };

  test.each<[string, object, string]>([
    ['a header', { 'headers.x-plan': 'pro' }, 'a'],
    ['a header, however it is written', { 'headers.X-Plan': { $in: ['pro'] } }, 'a'],
    ['a header that is missing', { 'headers.x-other': { $ne: 'pro' } }, 'b'],
    ['no Authorization', { 'headers.authorization': { $regex: '.' } }, 'b'],
    ['no gateway key', { 'headers.x-gateway-api-key': { $regex: '.' } }, 'b'],
    ['no cookie', { 'headers.cookie': { $regex: '.' } }, 'b'],
    ['no config', { 'headers.x-gateway-config': { $regex: '.' } }, 'b'],
    ['metadata, whatever its name', { 'metadata.authorization': 'yes' }, 'a'],
    ['the body', { 'params.model': 'm' }, 'a'],
    ['the path', { 'url.pathname': '/v1/chat/completions' }, 'a'],
    ['several at once', { 'headers.x-plan': 'pro', 'metadata.plan': 'free' }, 'b'],
  ])('%s', async (_rule, query, expected) => {
    const answer = await three.call(conditional(when(query)), { headers });
    const index = expected === 'a' ? 0 : 1;
    expect([answer.status, answer.headers['x-gateway-last-used-option-index']]).toEqual([
      200,
      `config.targets[${index}]`,
    ]);
  });

  test('nothing of a body that is not JSON', async () => {
    const options = { path: '/v1/other', body: 'm', headers: { 'content-type': 'text/plain' } };
    await three.call(conditional(when({ 'params.model': { $regex: '' } })), options);
    expect(three.reached()).toEqual([0, 1, 0]);
  });

  test('a malformed condition is skipped, and the next one decides', async () => {
    const config = conditional(
      when({ 'params.model': { $like: 'm' } }, 'b'),
      when({ 'params.model': 'm' }, 'a'),
    );
    await three.call(config);
    expect(three.reached()).toEqual([1, 0, 0]);
  });
});

describe('versions', () => {
  test('a slug means the current version, which the log names', async () => {
    const { id, slug } = await save(target(0));
    await app().rest('PUT', `/v1/configs/${id}`, { body: { config: target(1) } });
    await three.call(slug, { headers: { 'x-gateway-trace-id': 'versioned' } });
    await app().logged();
    const document =
      '{ logs(filters: { traceId: "versioned" }) { data { configId configVersionId } } config(id: "ID") { versionId } }';
    const { logs, config } = dataOf(await app().graphql(document.replace('ID', id), {}, app().workspaceKey));
    expect([three.reached(), logs.data]).toEqual([
      [0, 1, 0],
      [{ configId: id, configVersionId: config.versionId }],
    ]);
  });
});

/** Every mistake inside a config: test/routing-config/validation.test.ts */
describe('what is refused with 400 in shape A', () => {
  const header = (name: string, value: string): CallOptions => ({
    headers: { [name]: value },
    body: { model: 'm', messages },
  });

  test.each<[string, CallOptions]>([
    ['another content type', { body: 'a=b', headers: { 'content-type': 'text/plain' } }],
    ['neither config nor provider', { body: { model: 'm', messages } }],
    ['an unknown provider', header('x-gateway-provider', 'nobody')],
    ['an unknown slug', header('x-gateway-provider', '@nobody')],
    ['an unknown config', { config: 'pc-nobody' }],
    ['a config that is not JSON', { config: '{' }],
    [
      'a config without a provider, and no header',
      { config: { retry: { attempts: 1 } }, body: { model: 'm' } },
    ],
    ['a config in the old format', { config: { options: [{ provider: 'openai' }] } }],
    ['a host that is none', header('x-gateway-custom-host', 'example.com')],
    [
      'a list of headers that names itself',
      { headers: { 'x-gateway-forward-headers': 'x-a, X-Gateway-Forward-Headers' } },
    ],
    ['a timeout that is none', { headers: { 'x-gateway-request-timeout': 'soon' } }],
  ])('%s', async (_rule, options) => {
    const answer = await three.world.call(options);
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({ status: 'failure', message: expect.stringMatching(/./) }),
    ]);
    expect(answer.headers['x-gateway-gateway-exception']).toBe('true');
    expect(three.reached()).toEqual([0, 0, 0]);
  });

  test('a violation of the schema lists its paths', async () => {
    const { json: body } = await three.call({ ...target(0), retry: { attempts: 9 } });
    expect(body.errors).toEqual([expect.stringMatching(/^path: config\.retry\.attempts, message: /)]);
  });
});

describe('saved only', () => {
  let tenant: Tenant;
  let slug: string;

  beforeAll(async () => {
    tenant = await app().createTenant();
    const { data } = await created(
      app(),
      '/v1/configs',
      { name: 'saved', config: { provider: '@mock', override_params: { model: 'mock-1' } } },
      tenant.workspaceKey,
    );
    slug = data.id;
    const document =
      'mutation { updateOrganisationSettings(input: { savedConfigsOnly: true }) { settings { savedConfigsOnly } } }';
    dataOf(await app().graphql(document, {}, tenant.adminKey));
  });

  const call = (headers: Record<string, string>, model = 'mock-1') =>
    three.world.call({ key: tenant.workspaceKey, headers, body: { model, messages } });

  test.each([
    ['inline_config_blocked', 'x-gateway-config', '{"provider": "@mock"}'],
    ['inline_config_blocked', 'x-gateway-config', ' [1]'],
    ['inline_provider_blocked', 'x-gateway-provider', 'openai'],
    ['inline_custom_host_blocked', 'x-gateway-custom-host', 'https://example.com/v1'],
    ['inline_provider_url_blocked', 'x-gateway-vertex-region', 'europe-west1'],
    ['inline_forward_headers_blocked', 'x-gateway-forward-headers', 'x-a'],
  ])('%s: %s: %s', async (code, name, value) => {
    const answer = await call({ 'x-gateway-provider': '@mock', [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      status: 'failure',
      error: { code, message: expect.any(String), field: name },
      message: answer.json.error.message,
    });
  });

  test('the first violation is the one that is named', async () => {
    const answer = await call({ 'x-gateway-config': '{}', 'x-gateway-provider': 'openai' });
    expect(codeOf(answer)).toBe('inline_config_blocked');
  });

  test.each<[string, () => Record<string, string>, string]>([
    ['a saved config', () => ({ 'x-gateway-config': slug }), 'm'],
    ['@slug', () => ({ 'x-gateway-provider': '@mock' }), 'mock-1'],
    ['@slug/model', () => ({}), '@mock/mock-1'],
    ['x-gateway-virtual-key', () => ({ 'x-gateway-virtual-key': 'mock' }), 'mock-1'],
    [
      'a credential',
      () => ({ 'x-gateway-provider': '@mock', authorization: 'Bearer sk-mine-00000000' }),
      'mock-1',
    ],
  ])('%s is still fine', async (_rule, headers, model) => {
    expect((await call(headers(), model)).status).toBe(200);
  });

  test('SAVED_CONFIGS_ONLY says so for all organisations', async () => {
    const strict = await startApp({ SAVED_CONFIGS_ONLY: 'true' });
    const headers = { 'x-gateway-config': '{"provider": "@mock"}' };
    const answer = await strict.rest('POST', '/v1/chat/completions', {
      headers,
      body: { model: 'm', messages },
    });
    await strict.stop();
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'inline_config_blocked' } } });
  });

  test('other organisations are free', async () => {
    expect((await three.call(target(0))).status).toBe(200);
  });
});

describe('default configs', () => {
  const keyOf = async (type: string, defaults?: object): Promise<string> => {
    const body = { name: 'defaults', scopes: ['completions.write'], ...(defaults && { defaults }) };
    return (await created(app(), `/v1/api-keys/workspace/${type}`, body)).key;
  };
  const plain: CallOptions = { body: { model: 'm', messages } };

  test('the key’s, unless the request brings one', async () => {
    const { slug } = await save(target(0));
    const key = await keyOf('service', { config_id: slug });
    await three.world.call({ ...plain, key });
    await three.call(target(1), { key });
    expect(three.reached()).toEqual([1, 1, 0]);
  });

  test('a key may forbid configs on the request', async () => {
    const { slug } = await save(target(0));
    const key = await keyOf('service', { config_id: slug, allow_config_override: false });
    const answer = await three.call(target(1), { key });
    expect([answer.status, answer.json.status, three.reached()]).toEqual([400, 'failure', [0, 0, 0]]);
  });

  test('user keys take the one that their workspace has for them, which then cannot be deleted', async () => {
    const { id, slug } = await save(target(2));
    const workspace = `/v1/admin/workspaces/${app().workspaceId}`;
    const update = (config: string | null) =>
      app().rest('PUT', workspace, {
        key: app().adminKey,
        body: { defaults: { user_api_key_config: config } },
      });
    expect(await update('pc-nobody')).toMatchObject({
      status: 400,
      body: { error: { param: 'defaults.user_api_key_config' } },
    });
    expect((await update(slug)).status).toBe(200);
    const read = await app().rest('GET', workspace, { key: app().adminKey });
    expect(read.body).toMatchObject({ defaults: { user_api_key_config: slug } });
    expect(await app().rest('DELETE', `/v1/configs/${id}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'AB07' } },
    });
    const [user, service] = [await keyOf('user'), await keyOf('service')];
    expect((await three.world.call({ ...plain, key: user })).status).toBe(200);
    expect((await three.world.call({ ...plain, key: service })).status).toBe(400);
    expect(three.reached()).toEqual([0, 0, 1]);
    expect((await update(null)).status).toBe(200);
  });

  test('the workspace’s own, for what would otherwise have no provider', async () => {
    expect((await three.world.call(plain)).status).toBe(400);
    const { slug } = await save(target(2), { isDefault: 1 });
    expect((await three.world.call(plain)).status).toBe(200);
    await three.world.call({ ...plain, headers: { 'x-gateway-provider': '@loop-1' } });
    await three.world.call({ body: { model: '@loop-2/m', messages } });
    expect(three.reached()).toEqual([1, 1, 1]);
    const models = await three.world.call({ method: 'GET', path: '/v1/models' });
    expect(models.json.object).toBe('list');
    await app().rest('DELETE', `/v1/configs/${slug}`);
    expect((await three.world.call(plain)).status).toBe(400);
  });
});

test('a setting that belongs to a stored credential is not for a config to choose', async () => {
  const slug = await three.world.makeProvider({ ai_provider_id: 'bedrock', key: 'k', configurations: {} });
  const answer = await three.call({ provider: `@${slug}`, aws_role_arn: 'arn:aws:iam::123456789012:role/a' });
  expect([answer.status, codeOf(answer), answer.json.error.param]).toEqual([
    400,
    'invalid_config',
    'config.aws_role_arn',
  ]);
});
