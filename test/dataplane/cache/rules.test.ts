import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataOf } from '../../subgraphs/support.ts';
import { chatFrames, eventStream, json, type Script } from '../../support/provider.ts';
import { type CallOptions, created, messages, startWorld, type World } from '../../support/world.ts';

let world: World;
let count = 0;
let nonce = '';

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Whatever is asked, a thing with another id each time. */
const another: Script = (request, response, raw) =>
  json(200, { id: `thing-${++count}` })(request, response, raw);

/** Each test asks questions of its own. */
beforeEach(() => {
  nonce = `question ${++count}`;
  world.provider.play(another);
});

const ask = ({ headers, ...options }: CallOptions = {}) =>
  world.call({
    config: { cache: { mode: 'simple' } },
    body: { model: 'gpt-4o', messages, user: nonce },
    headers: { 'x-gateway-provider': `@${world.slug}`, ...headers },
    ...options,
  });
const statusOf = async (options: CallOptions) => (await ask(options)).headers['x-gateway-cache-status'];

describe('paths that are passed on', () => {
  it.each([
    '/v1/proxy/batches',
    '/v1/proxy/batches/b1/cancel',
    '/v1/proxy/batches/b1/output',
    '/v1/proxy/fine_tuning/jobs',
    '/v1/proxy/files',
    '/v1/proxy/v1/files',
    '/v1/proxy/openai/v1/batches',
    '/v1/proxy/images/edits',
    '/v1/proxy/responses/resp_1/cancel',
    '/v1/threads',
    '/v1/threads/t1/messages',
    '/v1/proxy/v1/threads/t1/messages',
    '/v1/threads/t/runs',
    '/v1/vector_stores',
    '/v1/uploads',
    '/v1/proxy/predictions',
    '/v1/proxy/models/flux/predictions',
    '/v1/proxy/v1beta/models/veo:predictLongRunning',
    '/v1/proxy/v1beta/models/gemini:batchGenerateContent',
    '/v1/proxy/model/titan/async-invoke',
    '/v1/proxy/endpoints/mine/async-invocations',
    '/v1/proxy/conversations',
  ])('a POST to %s is done each time', async (path) => {
    const first = await ask({ path });
    const second = await ask({ path });
    expect([first.headers['x-gateway-cache-status'], second.headers['x-gateway-cache-status']]).toEqual([
      'DISABLED',
      'DISABLED',
    ]);
    expect(second.json.id).not.toBe(first.json.id);
  });

  it.each([
    '/v1/proxy/chat/completions',
    '/v1/proxy/v1/chat/completions',
    '/v1/proxy/v1/messages',
    '/v1/proxy/openai/v1/responses',
    '/v1/proxy/openai/deployments/mine/chat/completions',
    '/v1/proxy/v1beta/openai/embeddings',
    '/v1/proxy/v2/embed',
    '/v1/proxy/v2/chat',
    '/v1/proxy/v2/rerank',
    '/v1/proxy/models/gemini:generateContent',
    '/v1/proxy/v1beta/models/gemini:embedContent',
    '/v1/proxy/v1/projects/p/locations/l/publishers/google/models/gemini:generateContent',
    '/v1/proxy/model/anthropic.claude-v2%3A1/converse',
    '/v1/proxy/model/anthropic.claude-v2%3A1/invoke',
    '/v1/proxy/endpoints/mine/invocations',
    '/v1/proxy/20231130/actions/chat',
    '/v1/proxy/run/@cf/meta/llama-3',
  ])('a POST to %s asks a model, and an equal one gets its answer', async (path) => {
    const first = await ask({ path });
    const second = await ask({ path });
    expect([first.headers['x-gateway-cache-status'], second.headers['x-gateway-cache-status']]).toEqual([
      'MISS',
      'HIT',
    ]);
    expect(second.json.id).toBe(first.json.id);
  });

  it.each([{ background: true }, { conversation: 'conv_1' }])(
    'a response with %j is made each time',
    async (acts) => {
      const path = '/v1/responses';
      const body = { model: 'gpt-4o', input: nonce, ...acts };
      expect([await statusOf({ path, body }), await statusOf({ path, body })]).toEqual([
        'DISABLED',
        'DISABLED',
      ]);
    },
  );

  it.each(['GET', 'PUT', 'DELETE'])('a %s never does', async (method) => {
    const call = () => statusOf({ method, path: '/v1/proxy/chat/completions' });
    expect([await call(), await call()]).toEqual(['DISABLED', 'DISABLED']);
  });

  it('who asks for a stream there gets one, though a whole answer is kept', async () => {
    const path = '/v1/proxy/chat/completions';
    await ask({ path });
    world.provider.play(eventStream(chatFrames(['one'])));
    const answer = await ask({ path, body: { model: 'gpt-4o', messages, user: nonce, stream: true } });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(answer.text).toContain('[DONE]');
  });
});

describe('who shares an answer of a path that is passed on', () => {
  const from = (headers: CallOptions['headers'], options: CallOptions = {}) =>
    statusOf({
      path: '/v1/proxy/chat/completions',
      ...options,
      headers: { 'x-gateway-cache-namespace': 'shared', ...headers },
    });

  it.each([
    'x-request-id',
    'request-id',
    'x-correlation-id',
    'x-ms-client-request-id',
    'user-agent',
    'x-stainless-retry-count',
    'amz-sdk-invocation-id',
    'idempotency-key',
    'accept-encoding',
    'referer',
    'sec-fetch-site',
    'cf-ray',
    'cf-connecting-ip',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-real-ip',
    'true-client-ip',
    'via',
    'x-envoy-attempt-count',
    'x-amz-cf-id',
    'x-amzn-trace-id',
    'x-cloud-trace-context',
    'sentry-trace',
    'x-b3-spanid',
    'x-datadog-parent-id',
    'elastic-apm-traceparent',
    'tracestate',
    'baggage',
  ])('calls that differ in %s', async (name) => {
    expect(await from({ [name]: 'one' })).toBe('MISS');
    expect(await from({ [name]: 'two' })).toBe('HIT');
  });

  it('calls of different traces', async () => {
    const trace = (digit: string) => ({ traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` });
    expect(await from(trace('1'))).toBe('MISS');
    expect(await from(trace('2'))).toBe('HIT');
  });

  it.each([
    'accept',
    'accept-language',
    'openai-beta',
    'openai-organization',
    'x-amzn-bedrock-guardrailidentifier',
    'cookie',
    'x-api-key',
    'x-user-token',
    'x-forwarded-user',
    'x-forwarded-access-token',
    'x-forwarded-client-cert',
    'cf-access-jwt-assertion',
    'x-acme-login',
  ])('not calls that differ in %s', async (name) => {
    expect(await from({ [name]: 'one' })).toBe('MISS');
    expect(await from({ [name]: 'two' })).toBe('MISS');
    expect(await from({ [name]: 'one' })).toBe('HIT');
  });

  it.each(['X-Request-Id', 'User-Agent'])('not calls that differ in a forwarded %s', async (name) => {
    const forwarded = (value: string) => from({ 'x-gateway-forward-headers': name, [name]: value });
    expect(await forwarded('one')).toBe('MISS');
    expect(await forwarded('two')).toBe('MISS');
    expect(await forwarded('one')).toBe('HIT');
  });

  it('not calls with another key, or with another credential for the provider', async () => {
    const { key } = await created(world.app, '/v1/api-keys/workspace/service', {
      name: 'another',
      scopes: ['completions.write'],
    });
    expect(await from({})).toBe('MISS');
    expect(await from({}, { key })).toBe('MISS');
    const own = (token: string) =>
      from({
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': world.provider.url,
        authorization: `Bearer ${token}`,
      });
    expect([await own('sk-one'), await own('sk-two'), await own('sk-one')]).toEqual(['MISS', 'MISS', 'HIT']);
  });
});

describe('the mode of logging', () => {
  const setMode = async (logMode: string | null) =>
    dataOf(
      await world.app.graphql(
        'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { settings { logMode } } }',
        { input: { logMode } },
      ),
    );

  it('does not switch the cache off, and x-gateway-debug: false does so only without a mode', async () => {
    const silent = { headers: { 'x-gateway-debug': 'false' } };
    await setMode('metrics');
    expect([await statusOf({}), await statusOf({}), await statusOf(silent)]).toEqual(['MISS', 'HIT', 'HIT']);
    await setMode(null);
    expect([await statusOf({}), await statusOf(silent)]).toEqual(['HIT', 'DISABLED']);
  });
});
