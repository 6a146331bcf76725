import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, json, type ReceivedRequest, type Script } from '../support/provider.ts';
import { type CallOptions, messages, STORED_KEY, startWorld, type World } from '../support/world.ts';

// Through the front door: where each provider with a layout of its own is asked, and with which words.

let world: World;
/** The scripted provider without a version path. */
let host: string;
beforeAll(async () => {
  world = await startWorld();
  host = world.provider.url.replace(/\/v1$/, '');
});
afterAll(() => world.stop());

const KEY = 'key-of-the-caller-0123456789';
const chat = { model: 'model-1', messages };
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

async function call(
  provider: object,
  path = '',
  options: CallOptions = {},
  answer: Script = json(200, chatAnswer('hi')),
) {
  world.provider.play(answer);
  const result = await world.call({
    config: { api_key: KEY, custom_host: `${host}${path}`, ...provider },
    body: chat,
    ...options,
  });
  const nothing: ReceivedRequest = { method: '', url: '', headers: {}, body: Buffer.alloc(0) };
  const { method, url, headers, body } = world.provider.requests[0] ?? nothing;
  return { result, sent: { method, url, headers, body: body.toString() } };
}

test.each([
  ['voyage', '{"data": 1'],
  ['nomic', 'no JSON at all'],
])('an answer of %s that cannot be read is a failure like any other', async (provider, body) => {
  world.provider.play(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    },
    json(200, { object: 'list', data: [] }),
  );
  const answer = await world.call({
    path: '/v1/embeddings',
    body: { model: 'm', input: 'x' },
    config: {
      strategy: { mode: 'fallback' },
      custom_host: host,
      targets: [
        { provider, api_key: KEY },
        { provider: 'openai', api_key: KEY },
      ],
    },
  });
  const place = answer.headers['x-gateway-last-used-option-index'];
  expect([answer.status, place]).toEqual([200, 'config.targets[1]']);
});

const azure = { provider: 'azure-openai', azure_api_version: '2024-10-21' };
const deployments = [
  { deployment_id: 'd-mini', alias: 'model-1', api_version: '2024-06-01' },
  { deployment_id: 'd-main', alias: 'other', api_version: '2024-10-21', is_default: true },
];
const bearer = { authorization: `Bearer ${KEY}` };
const sigV4 = (service: string) => ({
  authorization: expect.stringMatching(
    `Credential=AKIDEXAMPLEAKIDEX001/\\d{8}/eu-west-1/${service}/aws4_request`,
  ),
});
const aws = {
  api_key: undefined,
  aws_region: 'eu-west-1',
  aws_access_key_id: 'AKIDEXAMPLEAKIDEX001',
  aws_secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAM0003',
};

/** A provider of a config, the path of the custom host, and where a chat completion goes with which headers. */
const chats: [string, object, string, string, object][] = [
  [
    'azure-openai: a deployment',
    { ...azure, deployment_id: 'd-1' },
    '/openai',
    '/openai/deployments/d-1/chat/completions?api-version=2024-10-21',
    { 'api-key': KEY },
  ],
  [
    'azure-openai: a deployment called like the model',
    azure,
    '/openai',
    '/openai/deployments/model-1/chat/completions?api-version=2024-10-21',
    { 'api-key': KEY },
  ],
  [
    'azure-openai: a deployment by its alias',
    { ...azure, deployments },
    '/openai',
    '/openai/deployments/d-mini/chat/completions?api-version=2024-06-01',
    {},
  ],
  [
    'azure-openai: the version without dates',
    { provider: 'azure-openai', azure_api_version: 'v1' },
    '/openai',
    '/openai/v1/chat/completions',
    { 'api-key': KEY },
  ],
  [
    'azure-openai: a token',
    { ...azure, api_key: undefined, azure_ad_token: 'ad-token' },
    '/openai',
    '/openai/deployments/model-1/chat/completions?api-version=2024-10-21',
    { authorization: 'Bearer ad-token' },
  ],
  [
    'azure-ai',
    {
      provider: 'azure-ai',
      azure_api_version: '2024-05-01-preview',
      azure_deployment_name: 'blue',
      azure_extra_params: 'drop',
    },
    '/models',
    '/models/chat/completions?api-version=2024-05-01-preview',
    { ...bearer, 'azureml-model-deployment': 'blue', 'extra-parameters': 'drop' },
  ],
  ['bedrock-mantle: a key', { provider: 'bedrock-mantle' }, '', '/v1/chat/completions', bearer],
  [
    'bedrock-mantle: a key pair',
    { provider: 'bedrock-mantle', ...aws },
    '',
    '/v1/chat/completions',
    sigV4('bedrock-mantle'),
  ],
  [
    'bytez',
    { provider: 'bytez' },
    '/models/v2',
    '/models/v2/openai/v1/chat/completions',
    { authorization: `Key ${KEY}` },
  ],
  [
    'cortex',
    { provider: 'cortex' },
    '/api/v2',
    '/api/v2/cortex/v1/chat/completions',
    { ...bearer, 'x-snowflake-authorization-token-type': 'KEYPAIR_JWT' },
  ],
  ['databricks', { provider: 'databricks' }, '', '/serving-endpoints/chat/completions', bearer],
  [
    'databricks: an endpoint',
    { provider: 'databricks', databricks_serving_endpoint_name: 'mine' },
    '',
    '/serving-endpoints/mine/invocations',
    bearer,
  ],
  [
    'huggingface: the model in the URL',
    { provider: 'huggingface' },
    '/models',
    '/models/model-1/v1/chat/completions',
    bearer,
  ],
  ['huggingface: an endpoint of one’s own', { provider: 'huggingface' }, '', '/v1/chat/completions', bearer],
  [
    'mistral-ai: filling in the middle',
    { provider: 'mistral-ai', mistral_fim_completion: 'true' },
    '/v1',
    '/v1/fim/completions',
    bearer,
  ],
  ['ollama', { provider: 'ollama' }, '', '/v1/chat/completions', bearer],
  ['ollama: a host with the version', { provider: 'ollama' }, '/v1', '/v1/chat/completions', bearer],
  [
    'predibase',
    { provider: 'predibase', predibase_user: 'u-1' },
    '/u-1/deployments/v2/llms',
    '/u-1/deployments/v2/llms/model-1/v1/chat/completions',
    bearer,
  ],
  ['reka-ai', { provider: 'reka-ai' }, '', '/v1/chat/completions', { 'x-api-key': KEY }],
  ['workers-ai', { provider: 'workers-ai' }, '/accounts/a/ai', '/accounts/a/ai/v1/chat/completions', bearer],
];

describe('where a chat completion goes', () => {
  test.each(chats)('%s', async (_name, provider, path, url, headers) => {
    const { result, sent } = await call(provider, path);
    expect([result.status, sent.url]).toEqual([200, url]);
    expect(sent.headers).toMatchObject(headers);
    expect(JSON.parse(sent.body)).toEqual(chat);
    if (!('authorization' in headers))
      expect(sent.headers).not.toHaveProperty('authorization', bearer.authorization);
    expect(Object.keys(sent.headers).filter((name) => name.startsWith('x-gateway-'))).toEqual([
      'x-gateway-hops',
    ]);
  });

  test('oracle: signed over the date, the place and the body', async () => {
    const { result, sent } = await call({
      provider: 'oracle',
      api_key: undefined,
      oracle_region: 'eu-frankfurt-1',
      oracle_tenancy: 'ocid1.tenancy.oc1..t',
      oracle_user: 'ocid1.user.oc1..u',
      oracle_fingerprint: Array(16).fill('0a').join(':'),
      oracle_private_key: pem,
      oracle_compartment_id: 'ocid1.compartment.oc1..c',
    });
    expect([result.status, sent.url]).toEqual([200, '/20231130/actions/v1/chat/completions']);
    const {
      authorization = '',
      date,
      host: to,
      'x-content-sha256': hash,
    } = sent.headers as Record<string, string>;
    expect(authorization).toContain(
      `keyId="ocid1.tenancy.oc1..t/ocid1.user.oc1..u/${Array(16).fill('0a').join(':')}"`,
    );
    const text = [
      `date: ${date}`,
      '(request-target): post /20231130/actions/v1/chat/completions',
      `host: ${to}`,
      `x-content-sha256: ${hash}`,
      'content-type: application/json',
      `content-length: ${sent.headers['content-length']}`,
    ].join('\n');
    const signature = /signature="([^"]+)"/.exec(authorization)?.[1] ?? '';
    expect(createVerify('RSA-SHA256').update(text).verify(publicKey, signature, 'base64')).toBe(true);
    expect(sent.headers).toMatchObject({ 'opc-compartment-id': 'ocid1.compartment.oc1..c' });
  });

  test.each<[string, object, string, object]>([
    [
      'azure-openai without a version',
      { provider: 'azure-openai', azure_deployment_id: 'd' },
      'azure_api_version',
      chat,
    ],
    [
      'azure-openai v1 with another deployment',
      { provider: 'azure-openai', azure_deployment_id: 'd', azure_api_version: 'v1' },
      'model',
      chat,
    ],
    [
      'azure-openai with Entra and no tenant',
      { ...azure, api_key: undefined, azure_auth_mode: 'entra' },
      'azure_entra_tenant_id',
      chat,
    ],
    ['huggingface with a path for a model', { provider: 'huggingface' }, 'model', { ...chat, model: '../x' }],
    [
      'oracle with a model that no cluster of the account serves',
      { provider: 'oracle', oracle_serving_mode: 'DEDICATED' },
      'model',
      chat,
    ],
    [
      'oracle with an endpoint that is nobody else’s',
      { provider: 'oracle', oracle_serving_mode: 'ON_DEMAND' },
      'model',
      { ...chat, model: 'ocid1.generativeaiendpoint.oc1.x.y' },
    ],
    [
      'vertex-ai without the service account that it shall use',
      {
        provider: 'vertex-ai',
        vertex_region: 'r',
        vertex_project_id: 'p-1',
        vertex_auth_type: 'serviceAccount',
      },
      'vertex_service_account_json',
      chat,
    ],
    ['oracle without a key', { provider: 'oracle' }, 'oracle_private_key', chat],
  ])('%s is refused with 400', async (_name, provider, param, body) => {
    const { result } = await call(provider, '/models', { body });
    expect([result.status, result.json.error.param, world.provider.requests.length]).toEqual([400, param, 0]);
  });
});

describe('other endpoints', () => {
  test.each<[string, object, string, CallOptions, string, object]>([
    [
      'azure-openai: files of the resource',
      azure,
      '/openai',
      { method: 'GET', path: '/v1/files' },
      '/openai/files?api-version=2024-10-21',
      {},
    ],
    [
      'azure-openai: models of the resource',
      azure,
      '/openai',
      { method: 'GET', path: '/v1/models' },
      '/openai/models?api-version=2024-10-21',
      {},
    ],
    [
      'azure-openai: as it is',
      azure,
      '/openai',
      { path: '/v1/proxy/deployments/d/x?api-version=2025-01-01' },
      '/openai/deployments/d/x?api-version=2025-01-01',
      {},
    ],
    [
      'azure-ai: Claude',
      { provider: 'azure-ai' },
      '',
      { path: '/v1/messages', body: { ...chat, model: 'claude-sonnet-4-5', max_tokens: 9 } },
      '/anthropic/v1/messages',
      { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    ],
    [
      'anthropic-aws: messages',
      { provider: 'anthropic-aws', ...aws, anthropic_aws_workspace_id: 'wrkspc_1' },
      '/v1',
      { path: '/v1/messages', body: { ...chat, max_tokens: 9 } },
      '/v1/messages',
      { ...sigV4('aws-external-anthropic'), 'anthropic-workspace-id': 'wrkspc_1' },
    ],
    [
      'fireworks-ai: an account',
      { provider: 'fireworks-ai' },
      '/inference/v1',
      { method: 'GET', path: '/v1/proxy/accounts/a/models' },
      '/v1/accounts/a/models',
      bearer,
    ],
    [
      'ollama: embeddings',
      { provider: 'ollama' },
      '',
      { path: '/v1/embeddings', body: { model: 'm', input: 'x' } },
      '/v1/embeddings',
      {},
    ],
    [
      'sagemaker',
      { provider: 'sagemaker', ...aws },
      '',
      {
        path: '/v1/proxy/endpoints/e/invocations',
        body: {},
        headers: {
          'x-gateway-amzn-sagemaker-target-model': 'm.tar.gz',
          'x-gateway-amzn-sagemaker-model-name': 'm-1',
        },
      },
      '/endpoints/e/invocations',
      {
        ...sigV4('sagemaker'),
        'x-amzn-sagemaker-target-model': 'm.tar.gz',
        'x-amzn-sagemaker-model-name': 'm-1',
      },
    ],
    [
      'qdrant',
      { provider: 'qdrant' },
      '',
      { path: '/v1/proxy/collections/c/points/search', body: {} },
      '/collections/c/points/search',
      { 'api-key': `Bearer ${KEY}` },
    ],
    [
      'scenario-ai',
      { provider: 'scenario-ai', api_key: 'key:secret' },
      '/v1',
      { path: '/v1/proxy/generate', body: {} },
      '/v1/generate',
      { authorization: `Basic ${Buffer.from('key:secret').toString('base64')}` },
    ],
  ])('%s', async (_name, provider, path, options, url, headers) => {
    const { result, sent } = await call(provider, path, options);
    expect([result.status, sent.url]).toEqual([200, url]);
    expect(sent.headers).toMatchObject(headers);
  });

  test('workers-ai: a model whose name begins like a slug', async () => {
    const body = { ...chat, model: '@cf/meta/llama-3' };
    const { result, sent } = await call({ provider: 'workers-ai' }, '/ai', { body });
    expect([result.status, sent.url, JSON.parse(sent.body)]).toEqual([200, '/ai/v1/chat/completions', body]);
    const headers = { 'x-gateway-provider': 'workers-ai', 'x-gateway-custom-host': `${host}/ai` };
    world.provider.play(json(200, chatAnswer('hi')));
    expect((await world.call({ headers, body })).status).toBe(200);
  });

  test.each(['replicate', 'palm', 'meshy', 'gateway'])(
    '%s has no chat completions, and says so',
    async (provider) => {
      const { result } = await call({ provider });
      expect([result.status, world.provider.requests.length]).toEqual([400, 0]);
      expect(result.json.error.message).toMatch(/has no \/chat\/completions|is no provider/);
    },
  );
});

describe('endpoints in words of their own', () => {
  const usage = { prompt_tokens: 2, total_tokens: 2 };
  const images = '/v1/images/generations';
  test.each<[string, string, string, object, Script, string, unknown, unknown]>([
    [
      'voyage',
      '/v1',
      '/v1/embeddings',
      { model: 'voyage-3', input: 'x', dimensions: 256, user: 'u' },
      json(200, {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
        model: 'voyage-3',
        usage: { total_tokens: 2 },
      }),
      '/v1/embeddings',
      { model: 'voyage-3', input: ['x'], output_dimension: 256 },
      { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], model: 'voyage-3', usage },
    ],
    [
      'nomic',
      '/v1',
      '/v1/embeddings',
      { model: 'nomic-embed-text-v1.5', input: ['x'] },
      json(200, { embeddings: [[0.5]], usage }),
      '/v1/embedding/text',
      { model: 'nomic-embed-text-v1.5', texts: ['x'], task_type: 'search_document' },
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
        model: 'nomic-embed-text-v1.5',
        usage,
      },
    ],
    [
      'triton',
      '',
      '/v1/completions',
      { model: 'm', prompt: 'x', max_tokens: 3, stop: 'E', n: 1 },
      json(200, { text_output: 'hi' }),
      '/generate',
      { text_input: 'x', max_tokens: 3, stop_words: ['E'] },
      { object: 'text_completion', choices: [{ text: 'hi' }] },
    ],
    [
      'workers-ai',
      '/ai',
      '/v1/completions',
      { model: 'meta/llama', prompt: 'x', top_p: 2 },
      json(200, { result: { response: 'hi', usage } }),
      '/ai/run/@cf/meta/llama',
      { prompt: 'x', top_p: 1 },
      { choices: [{ text: 'hi' }], usage },
    ],
    [
      'workers-ai',
      '/ai',
      images,
      { model: 'black-forest-labs/flux', prompt: 'x', size: '512x256' },
      json(200, { result: { image: 'aW1n' } }),
      '/ai/run/@cf/black-forest-labs/flux',
      { prompt: 'x', width: 512, height: 256 },
      { data: [{ b64_json: 'aW1n' }] },
    ],
    [
      'segmind',
      '/v1',
      images,
      { model: 'sdxl', prompt: 'x', steps: 500 },
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg' }).end('img');
      },
      '/v1/sdxl',
      { prompt: 'x', num_inference_steps: 100, base64: true },
      { data: [{ b64_json: 'aW1n' }] },
    ],
    [
      'stability-ai',
      '',
      images,
      { model: 'stable-diffusion-xl', prompt: 'x', n: 2, style: 'vivid' },
      json(200, { artifacts: [{ base64: 'aW1n' }] }),
      '/v1/generation/stable-diffusion-xl/text-to-image',
      { text_prompts: [{ text: 'x', weight: 1 }], samples: 2 },
      { data: [{ b64_json: 'aW1n' }] },
    ],
  ])('%s at %s takes %s', async (provider, path, asked, body, script, url, said, answered) => {
    const { result, sent } = await call({ provider }, path, { path: asked, body }, script);
    expect([result.status, sent.url, JSON.parse(sent.body)]).toEqual([200, url, said]);
    expect(result.json).toMatchObject(answered as object);
  });

  test('stability-ai takes a form for its later models', async () => {
    const body = { model: 'stable-image-core', prompt: 'a "lake"', seed: 7 };
    const { result, sent } = await call(
      { provider: 'stability-ai', stability_client_id: 'sluice' },
      '',
      { path: images, body },
      json(200, { image: 'aW1n' }),
    );
    expect([sent.url, result.json.data]).toEqual([
      '/v2beta/stable-image/generate/core',
      [{ b64_json: 'aW1n' }],
    ]);
    expect(sent.headers).toMatchObject({
      ...bearer,
      accept: 'application/json',
      'stability-client-id': 'sluice',
    });
    const form = await new Response(sent.body, {
      headers: { 'content-type': String(sent.headers['content-type']) },
    }).formData();
    expect(Object.fromEntries(form)).toEqual({ prompt: 'a "lake"', seed: '7', output_format: 'png' });
  });

  test.each<[string, string, object, string]>([
    ['voyage', '/v1/embeddings', { model: 'm' }, 'input'],
    ['triton', '/v1/completions', { model: 'm', prompt: 'x', stream: true }, 'stream'],
    ['segmind', images, { model: 'm', prompt: 'x', response_format: 'url' }, 'response_format'],
    ['segmind', images, { model: '../m', prompt: 'x' }, 'model'],
    ['stability-ai', images, { model: 'sd3', prompt: 'x', n: 2 }, 'n'],
    ['workers-ai', images, { model: 'm', prompt: 'x', size: 'large' }, 'size'],
  ])('%s at %s refuses %j', async (provider, path, body, param) => {
    const { result } = await call({ provider }, '', { path, body });
    expect([result.status, result.json.error.param, world.provider.requests.length]).toEqual([400, param, 0]);
  });

  test.each([
    [{ detail: 'slow down' }, 'nomic error: slow down'],
    [{ error: { message: 'slow down' } }, 'nomic error: slow down'],
    [{ errors: ['slow down'] }, 'nomic error: slow down'],
  ])('an error %j keeps its status and says so in OpenAI’s shape', async (answer, message) => {
    const options = { path: '/v1/embeddings', body: { model: 'm', input: 'x' } };
    const { result } = await call(
      { provider: 'nomic' },
      '',
      options,
      json(429, answer, { 'retry-after': '1' }),
    );
    expect([result.status, result.json.error.message, result.headers['retry-after']]).toEqual([
      429,
      message,
      '1',
    ]);
  });
});

describe('the settings of an integration', () => {
  const integration = () => ({
    ai_provider_id: 'azure-openai',
    configurations: {
      custom_host: `${host}/openai`,
      azure_deployments: deployments,
      azure_api_version: '2024-10-21',
    },
  });

  test('decide the deployment by the model’s alias', async () => {
    const slug = await world.makeProvider(integration());
    world.provider.play(json(200, chatAnswer('hi')));
    for (const model of ['model-1', 'unknown'])
      expect((await world.call({ body: { model: `@${slug}/${model}`, messages } })).status).toBe(200);
    expect(world.provider.requests.map(({ url, headers }) => [url, headers['api-key']])).toEqual([
      ['/openai/deployments/d-mini/chat/completions?api-version=2024-06-01', STORED_KEY],
      ['/openai/deployments/d-main/chat/completions?api-version=2024-10-21', STORED_KEY],
    ]);
  });

  test('may be an object where they are the text of one, and stay secret', async () => {
    const account = { client_email: 'a@b.example', private_key: 'planted-private-key-0042' };
    const slug = await world.makeProvider({
      ai_provider_id: 'vertex-ai',
      key: undefined,
      configurations: {
        vertex_region: 'europe-west1',
        vertex_project_id: 'project-1',
        vertex_auth_type: 'serviceAccount',
        vertex_service_account_json: account,
      },
    });
    const { body } = await world.app.rest('GET', `/v1/integrations/${slug}`);
    expect(body).toMatchObject({
      configurations: {
        vertex_auth_type: 'serviceAccount',
        vertex_service_account_json: expect.stringMatching(/^.{3}\*{3}.{4}$/),
      },
    });
    const stored = await world.app.db.collection('integrations').findOne({ slug });
    expect(JSON.stringify(stored)).not.toContain('planted-private-key');
  });

  test('that are secret sign its calls, and neither request nor config leads them elsewhere', async () => {
    const { api_key: _none, ...settings } = aws;
    const slug = await world.makeProvider({
      ai_provider_id: 'sagemaker',
      key: undefined,
      configurations: { ...settings, custom_host: host },
    });
    const path = '/v1/proxy/endpoints/e/invocations';
    const ask = (headers: object, config?: object) => {
      world.provider.play(json(200, {}));
      return world.call({
        path,
        body: {},
        config,
        headers: { 'x-gateway-provider': `@${slug}`, ...headers },
      });
    };
    expect((await ask({ 'x-gateway-aws-region': 'us-west-2' })).status).toBe(200);
    expect(world.provider.requests[0]?.headers.authorization).toContain('/us-west-2/sagemaker/');
    expect((await ask({ 'x-gateway-custom-host': host })).json.error.code).toBe('invalid_custom_host');
    const config = { provider: `@${slug}`, aws_access_key_id: 'AKIDEXAMPLEAKIDEX009' };
    expect((await ask({}, config)).json.error.code).toBe('invalid_config');
    expect(world.provider.requests).toEqual([]);
  });
});
