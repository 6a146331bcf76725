import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dataOf } from '../../subgraphs/support.ts';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import {
  type CallOptions,
  created,
  messages,
  STORED_KEY,
  startWorld,
  type World,
} from '../../support/world.ts';

/** What each header of a request and of an answer does, a row each, through the front door. */

let world: World;
let other: ScriptedProvider;
/** Leads to `other`. */
let otherSlug: string;

beforeAll(async () => {
  world = await startWorld();
  other = await startProvider();
  otherSlug = await world.makeProvider({ configurations: { custom_host: other.url } });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});
beforeEach(() => {
  world.provider.play(json(200, chatAnswer('here')));
  other.play(json(200, chatAnswer('there')));
});

const body = { model: 'm', messages };
const sent = () => world.provider.requests[0];
const reached = () => [world.provider.requests.length, other.requests.length];
const withHeaders = (headers: Record<string, string>, rest: CallOptions = {}) =>
  world.call({ headers: { 'x-gateway-provider': `@${world.slug}`, ...headers }, body, ...rest });
const bearer = 'Bearer sk-of-the-caller-000000';

describe('request headers', () => {
  test.each<[string, () => CallOptions]>([
    ['x-gateway-api-key is the caller', () => ({})],
    [
      'Authorization is the caller where that is absent',
      () => ({ key: null, headers: { authorization: `Bearer ${world.app.workspaceKey}` } }),
    ],
    ['x-gateway-provider: @slug', () => ({ headers: { 'x-gateway-provider': `@${world.slug}` }, body })],
    [
      'x-gateway-virtual-key is the same as x-gateway-provider: @slug',
      () => ({ headers: { 'x-gateway-virtual-key': world.slug }, body }),
    ],
    ['x-gateway-config as JSON', () => ({ config: { provider: `@${world.slug}` }, body })],
  ])('%s', async (_rule, options) => {
    const answer = await world.call(options());
    expect([answer.status, reached(), sent()?.headers.authorization]).toEqual([
      200,
      [1, 0],
      `Bearer ${STORED_KEY}`,
    ]);
  });

  test('x-gateway-provider with an id takes the caller’s Authorization and x-gateway-custom-host', async () => {
    await withHeaders({
      'x-gateway-provider': 'openai',
      authorization: bearer,
      'x-gateway-custom-host': other.url,
    });
    expect([reached(), other.requests[0]?.headers.authorization]).toEqual([[0, 1], bearer]);
  });

  test('x-gateway-custom-host beats the hosts of every config level', async () => {
    const config = { custom_host: world.provider.url, provider: 'openai', api_key: 'k' };
    await world.call({ config, body, headers: { 'x-gateway-custom-host': other.url } });
    expect(reached()).toEqual([0, 1]);
  });

  test.each([
    ['a comma list', 'X-A, x-b'],
    ['a JSON array', '["x-a", "X-B"]'],
  ])('x-gateway-forward-headers as %s goes before the config’s', async (_rule, list) => {
    await withHeaders(
      { 'x-a': '1', 'x-b': '2', 'x-c': '3', 'x-gateway-forward-headers': list },
      { config: { forward_headers: ['x-c'] } },
    );
    expect(sent()?.headers).toMatchObject({ 'x-a': '1', 'x-b': '2' });
    expect(sent()?.headers).not.toHaveProperty('x-c');
  });

  test('x-gateway-trace-id is echoed, and made up where it is absent', async () => {
    const named = await withHeaders({ 'x-gateway-trace-id': 'trace-of-mine' });
    const made = await withHeaders({});
    expect(named.headers['x-gateway-trace-id']).toBe('trace-of-mine');
    expect(made.headers['x-gateway-trace-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['too long', 'trace-id', 'x'.repeat(257)],
    ['not printable', 'trace-id', 'caf\u00e9'],
    ['too long', 'span-id', 'x'.repeat(257)],
    ['too long', 'span-name', 'x'.repeat(257)],
    ['too long', 'parent-span-id', 'x'.repeat(257)],
  ])('what is %s in x-gateway-%s is refused, not replaced', async (_rule, name, value) => {
    const header = `x-gateway-${name}`;
    const answer = await withHeaders({ [header]: value });
    expect([answer.status, answer.json.error.param, reached()]).toEqual([400, header, [0, 0]]);
  });

  test('traceparent gives trace and parent, and explicit headers win', async () => {
    const trace = 'a'.repeat(32);
    const traceparent = `00-${trace}-${'b'.repeat(16)}-01`;
    const answers = [
      await withHeaders({ traceparent }),
      await withHeaders({ traceparent, 'x-gateway-trace-id': 'mine' }),
    ];
    expect(answers.map(({ headers }) => headers['x-gateway-trace-id'])).toEqual([trace, 'mine']);
  });

  test.each([
    [
      'x-gateway-metadata over baggage',
      { baggage: 'a=1,b=%32', 'x-gateway-metadata': '{"a": "3"}' },
      { a: '3', b: '2' },
    ],
    ['x-gateway-metadata that is no JSON counts as none', { 'x-gateway-metadata': '{a' }, {}],
  ])('%s', async (_rule, headers, expected) => {
    const { headers: answered } = await withHeaders(headers);
    const trace = answered['x-gateway-trace-id'];
    await world.app.logged();
    const document = '{ logs(filters: { traceId: "TRACE" }) { data { metadata } } }'.replace(
      'TRACE',
      String(trace),
    );
    const { logs } = dataOf(await world.app.graphql(document, {}, world.app.workspaceKey));
    expect(logs.data).toEqual([{ metadata: expected }]);
  });

  test('x-gateway-request-timeout beats the config’s', async () => {
    world.provider.play((_request, response) => void response.once('close', () => undefined));
    const answer = await withHeaders(
      { 'x-gateway-request-timeout': '20' },
      { config: { request_timeout: 60_000 } },
    );
    expect([answer.status, answer.json.error.type]).toEqual([408, 'timeout_error']);
  });

  test.each(['0', '-1', '1.5', '3600001', 'soon'])(
    'x-gateway-request-timeout: %s is refused',
    async (value) => {
      const answer = await withHeaders({ 'x-gateway-request-timeout': value });
      expect([answer.status, answer.json.error.param]).toEqual([400, 'x-gateway-request-timeout']);
    },
  );

  test.each([
    [
      'legacy headers',
      { 'x-gateway-mode': 'fallback', 'x-gateway-retry-count': '5', 'x-gateway-cache': 'simple' },
    ],
    [
      'guardrails that only the gateway may add',
      {
        'x-gateway-default-input-guardrails': '[{"default.contains": {"words": ["hello"]}, "deny": true}]',
        'x-gateway-default-output-guardrails': 'not JSON',
      },
    ],
    ['unknown ones', { 'x-gateway-beta': 'never-heard-of', 'x-gateway-anything': 'x' }],
  ])('%s have no effect', async (_rule, headers) => {
    world.provider.play(json(500, {}));
    const answer = await withHeaders(headers);
    expect([answer.status, reached(), answer.headers['x-gateway-cache-status']]).toEqual([
      500,
      [1, 0],
      'DISABLED',
    ]);
  });

  test.each(['/v1/chat/completions', '/v1/any/other'])(
    'at %s no header of the gateway goes on',
    async (path) => {
      const names =
        `api-key, provider virtual-key config custom-host forward-headers sensitive-headers trace-id span-id
      span-name parent-span-id metadata cache-force-refresh cache-namespace debug default-input-guardrails mode retry-count
      cache runtime runtime-version package-version openai-organization`
          .split(/[\s,]+/)
          .map((name) => `x-gateway-${name}`);
      await withHeaders(
        { 'x-gateway-forward-headers': names.slice(6).join(','), 'x-gateway-mode': 'x' },
        { path },
      );
      expect(Object.keys(sent()?.headers ?? {}).filter((name) => name.startsWith('x-gateway-'))).toEqual([
        'x-gateway-hops',
      ]);
    },
  );
});

describe('response headers', () => {
  const retry = { attempts: 1, on_status_codes: [429], use_retry_after_header: true };
  const busy = json(429, {}, { 'retry-after-ms': '1' });

  test('those of a plain answer', async () => {
    const answer = await withHeaders({ 'x-gateway-trace-id': 'trace-of-an-answer' });
    expect(answer.headers).toMatchObject({
      'x-gateway-trace-id': 'trace-of-an-answer',
      'x-gateway-retry-attempt-count': '0',
      'x-gateway-cache-status': 'DISABLED',
      'x-gateway-last-used-option-index': 'config',
      'x-gateway-provider': 'openai',
      'x-gateway-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.headers).not.toHaveProperty('x-gateway-gateway-exception');
  });

  test.each([
    ['n: succeeded on retry n', [busy, json(200, {})], '1'],
    ['-1: retries used up', [busy], '-1'],
    ['0: nothing was tried again', [json(400, {})], '0'],
  ])('x-gateway-retry-attempt-count %s', async (_rule, scripts, count) => {
    world.provider.play(...scripts);
    const answer = await withHeaders({}, { config: { retry } });
    expect(answer.headers['x-gateway-retry-attempt-count']).toBe(count);
  });

  test('x-gateway-last-used-option-index is the path of the target', async () => {
    const leaf = { provider: `@${world.slug}` };
    const group = { strategy: { mode: 'single' }, targets: [leaf] };
    world.provider.play(json(500, {}), json(200, {}));
    const config = { strategy: { mode: 'fallback' }, targets: [leaf, group] };
    const answer = await world.call({ config, body });
    expect(answer.headers['x-gateway-last-used-option-index']).toBe('config.targets[1].targets[0]');
  });

  test('x-gateway-gateway-exception marks what the gateway refuses, and ends a fallback', async () => {
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@nobody' }, { provider: `@${world.slug}` }],
    };
    const answer = await world.call({ config, body });
    expect([answer.status, answer.headers['x-gateway-gateway-exception'], reached()]).toEqual([
      400,
      'true',
      [0, 0],
    ]);
  });

  test('headers of the provider are passed through, those of its connection are not', async () => {
    world.provider.play(
      json(200, {}, { 'x-ratelimit-remaining': '9', 'set-cookie': ['a=1', 'b=2'], 'keep-alive': 'x' }),
    );
    const { headers } = await withHeaders({});
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '9', 'set-cookie': ['a=1', 'b=2'] });
    expect(headers['keep-alive']).not.toBe('x');
  });
});

describe('whose provider it is', () => {
  type Row = [rule: string, options: () => CallOptions, reached: number[]];
  const slugs = () => ({ here: `@${world.slug}`, there: `@${otherSlug}` });

  test.each<Row>([
    [
      'the target goes before the body',
      () => ({ config: { provider: slugs().here }, body: { ...body, model: `${slugs().there}/m` } }),
      [1, 0],
    ],
    [
      'the model of its override_params goes before the body',
      () => ({
        config: { override_params: { model: `${slugs().here}/m` } },
        body: { ...body, model: `${slugs().there}/x` },
      }),
      [1, 0],
    ],
    [
      'the body goes before the header',
      () => ({
        headers: { 'x-gateway-provider': slugs().there },
        body: { ...body, model: `${slugs().here}/m` },
      }),
      [1, 0],
    ],
    [
      'at a passthrough target the header goes before the body',
      () => ({
        config: { passthrough: true },
        headers: { 'x-gateway-provider': slugs().there },
        body: { ...body, model: `${slugs().here}/m` },
      }),
      [0, 1],
    ],
  ])('%s', async (_rule, options, expected) => {
    const answer = await world.call(options());
    const request = world.provider.requests[0] ?? other.requests[0];
    expect([answer.status, reached(), JSON.parse(String(request?.body)).model]).toEqual([200, expected, 'm']);
  });

  test('the slug is taken off the model, further slashes belong to it', async () => {
    await world.call({ body: { ...body, model: `@${world.slug}/vendor/model/1` } });
    expect(JSON.parse(String(sent()?.body)).model).toBe('vendor/model/1');
  });

  test.each<[string, () => Promise<CallOptions>, number, string]>([
    ['nothing named', async () => ({ body }), 400, 'provider_required'],
    ['an unknown slug', async () => ({ body: { ...body, model: '@nobody/m' } }), 400, 'unknown_provider'],
    [
      'an expired provider',
      async () => {
        const slug = await world.makeProvider();
        const expiresAt = new Date(Date.now() - 1000);
        await world.app.db.collection('providers').updateOne({ slug }, { $set: { expiresAt } });
        return { body: { ...body, model: `@${slug}/m` } };
      },
      400,
      'unknown_provider',
    ],
    [
      'a model that is not enabled',
      async () => {
        const slug = await world.makeProvider();
        await world.app.rest('PUT', `/v1/integrations/${slug}/models`, {
          body: { models: [{ slug: 'one', enabled: true }], allow_all_models: false },
        });
        return { body: { ...body, model: `@${slug}/two` } };
      },
      403,
      'forbidden',
    ],
    [
      'a provider of another workspace',
      async () => {
        const { workspaceKey: key } = await world.app.createTenant();
        return { key, body: { ...body, model: `@${world.slug}/m` } };
      },
      400,
      'unknown_provider',
    ],
  ])('%s is refused before the call', async (_rule, options, status, code) => {
    const answer = await world.call(await options());
    expect([answer.status, answer.json.error.code, reached()]).toEqual([status, code, [0, 0]]);
  });

  test('a saved config’s credential goes where the config says, whatever the request’s headers', async () => {
    const config = {
      provider: 'vertex-ai',
      vertex_region: 'europe-west1',
      vertex_project_id: 'project-1',
      vertex_service_account_json: '{"type":"service_account"}',
    };
    const { data } = await created(world.app, '/v1/configs', { name: 'kept', config });
    const answer = await world.call({
      config: data.id,
      body,
      headers: { 'x-gateway-custom-host': other.url },
    });
    expect([answer.status, answer.json.error.code, reached()]).toEqual([400, 'invalid_custom_host', [0, 0]]);
  });
});

/** Every spelling and address: test/lib/custom-host.test.ts */
describe('custom hosts', () => {
  test.each([
    ['another scheme', 'ftp://example.com/v1'],
    ['credentials', 'https://user@example.com/v1'],
    ['%', 'https://ex%61mple.com/v1'],
    ['xn--', 'https://xn--exmple-cua.com/v1'],
    ['a trailing dot', 'https://example.com./v1'],
    ['more than 10 labels', `https://${'a.'.repeat(10)}com/v1`],
    ['more than 2048 characters', `https://example.com/${'a'.repeat(2048)}`],
    ['a port beyond 65535', 'https://example.com:65536/v1'],
    ['a metadata address', 'http://169.254.169.254/latest'],
    ['a metadata address inside IPv6', 'http://[::ffff:169.254.169.254]/latest'],
    ['a metadata name', 'http://metadata/computeMetadata/v1'],
    ['a name inside a cluster', 'http://kubernetes.default.svc.cluster.local/v1'],
    ['a rebinding helper', 'http://10.0.0.1.nip.io/v1'],
    ['a private address', 'http://10.0.0.1/v1'],
    ['a private IPv6 address', 'http://[fd12::1]/v1'],
    ['a private name', 'http://ollama.internal/v1'],
    ['a decimal address', 'http://2130706433/v1'],
    ['a hexadecimal address', 'http://0x7f000001/v1'],
    ['an octal address', 'http://0177.0.0.1/v1'],
    ['a shortened address', 'http://127.1/v1'],
    ['the port of something else, on a trusted host', 'http://127.0.0.1:6379/v1'],
  ])('%s is refused', async (_rule, host) => {
    const answer = await withHeaders({ 'x-gateway-provider': 'openai', 'x-gateway-custom-host': host });
    expect([answer.status, answer.json.status, answer.json.error.code, answer.json.error.param]).toEqual([
      400,
      'failure',
      'invalid_custom_host',
      'x-gateway-custom-host',
    ]);
  });
});
