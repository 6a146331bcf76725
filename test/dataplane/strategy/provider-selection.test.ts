import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import { type CallOptions, messages, STORED_KEY, startWorld, type World } from '../../support/world.ts';

let world: World;
let other: ScriptedProvider;
let otherSlug: string;

beforeAll(async () => {
  world = await startWorld();
  other = await startProvider();
  otherSlug = await world.makeProvider({
    key: 'sk-other-credential-0123456789',
    configurations: { custom_host: other.url },
  });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

/** Makes a call and answers what reached each of the two providers, and what the caller saw. */
async function route(options: CallOptions) {
  world.provider.play(json(200, chatAnswer('first')));
  other.play(json(200, chatAnswer('second')));
  const answer = await world.call(options);
  const [first, second] = [world.provider.requests[0], other.requests[0]];
  const request = first ?? second;
  return {
    answer,
    reached: [world.provider.requests.length, other.requests.length],
    authorization: request?.headers.authorization,
    headers: request?.headers,
    model: request && JSON.parse(request.body.toString()).model,
  };
}

const named = (provider: string, headers: Record<string, string> = {}) => ({
  headers: { 'x-gateway-provider': provider, ...headers },
  body: { model: 'gpt-4o', messages },
});
const here = () => ({ 'x-gateway-custom-host': world.provider.url });

test('a catalogue provider by header brings the stored credential, and the caller’s is left out', async () => {
  const { reached, authorization, model, answer } = await route(
    named(`@${world.slug}`, { authorization: 'Bearer sk-of-the-caller-000000' }),
  );
  expect([reached, authorization, model]).toEqual([[1, 0], `Bearer ${STORED_KEY}`, 'gpt-4o']);
  expect(answer.headers['x-gateway-provider']).toBe('openai');
});

test('the gateway key may come as bearer when the credential is stored', async () => {
  const { reached, authorization } = await route({
    ...named(`@${world.slug}`, { authorization: `Bearer ${world.app.workspaceKey}` }),
    key: null,
  });
  expect([reached, authorization]).toEqual([[1, 0], `Bearer ${STORED_KEY}`]);
});

test.each(['openai', 'groq', 'ollama', 'passthrough', 'x-ai'])(
  'the provider kind %s with a custom host takes the caller’s Authorization',
  async (kind) => {
    const { reached, authorization, answer } = await route(
      named(kind, { ...here(), authorization: 'Bearer sk-of-the-caller-000000' }),
    );
    expect([reached, authorization]).toEqual([[1, 0], 'Bearer sk-of-the-caller-000000']);
    expect(answer.headers['x-gateway-provider']).toBe(kind);
  },
);

test('a custom host without any credential gets none', async () => {
  const { reached, headers } = await route(named('openai', here()));
  expect(reached).toEqual([1, 0]);
  expect(headers).not.toHaveProperty('authorization');
});

test.each([
  ['@%s/gpt-4o', 'gpt-4o'],
  ['@%s/meta/llama-3/70b', 'meta/llama-3/70b'],
  ['@%s/@inner/x', '@inner/x'],
])('the model %s names the provider and goes on as %s', async (template, model) => {
  const result = await route({ body: { model: template.replace('%s', world.slug), messages } });
  expect([result.reached, result.model]).toEqual([[1, 0], model]);
});

test.each(['%s', '@%s'])('the virtual-key header takes the slug as %s', async (template) => {
  const result = await route({
    headers: { 'x-gateway-virtual-key': template.replace('%s', world.slug) },
    body: { model: 'm', messages },
  });
  expect([result.reached, result.authorization]).toEqual([[1, 0], `Bearer ${STORED_KEY}`]);
});

test('x-gateway-provider goes before x-gateway-virtual-key', async () => {
  const result = await route(named(`@${world.slug}`, { 'x-gateway-virtual-key': otherSlug }));
  expect(result.reached).toEqual([1, 0]);
});

/** Who is called when several places name a provider. */
test.each([
  ['target before body and header', { config: { provider: '@HERE' }, model: '@OTHER/m', header: '@OTHER' }],
  ['virtual_key of a target', { config: { virtual_key: 'HERE' }, model: '@OTHER/m', header: '@OTHER' }],
  [
    'model of override_params before body',
    { config: { override_params: { model: '@HERE/m' } }, model: '@OTHER/x', header: '@OTHER' },
  ],
  ['body before header', { model: '@HERE/m', header: '@OTHER' }],
  [
    'body under a config that names none',
    { config: { retry: { attempts: 0 } }, model: '@HERE/m', header: '@OTHER' },
  ],
  ['header alone', { model: 'm', header: '@HERE' }],
  ['passthrough: header before body', { config: { passthrough: true }, model: '@OTHER/m', header: '@HERE' }],
  ['passthrough: body without header', { config: { passthrough: true }, model: '@HERE/m' }],
] as [string, { config?: object; model: string; header?: string }][])(
  'precedence: %s',
  async (_name, { config, model, header }) => {
    const fill = (text: string) => text.replaceAll('HERE', world.slug).replaceAll('OTHER', otherSlug);
    const result = await route({
      headers: header ? { 'x-gateway-provider': fill(header) } : {},
      config: config && fill(JSON.stringify(config)),
      body: { model: fill(model), messages },
    });
    expect([result.reached, result.model]).toEqual([[1, 0], 'm']);
    expect(result.authorization).toBe(`Bearer ${STORED_KEY}`);
  },
);

test('organisation and project of the integration go to the provider', async () => {
  const slug = await world.makeProvider({
    configurations: {
      custom_host: world.provider.url,
      openai_organization: 'org-stored',
      openai_project: 'proj-stored',
      custom_headers: { 'X-Team': 'search' },
    },
  });
  const { headers } = await route(named(`@${slug}`, { 'x-team': 'of the caller' }));
  expect(headers).toMatchObject({
    'openai-organization': 'org-stored',
    'openai-project': 'proj-stored',
    'x-team': 'search',
  });
});

test.each([
  ['gateway headers', { 'x-gateway-openai-organization': 'org-1', 'x-gateway-openai-project': 'proj-1' }],
  ['bare headers', { 'openai-organization': 'org-1', 'openai-project': 'proj-1' }],
])('organisation and project as %s go to the provider', async (_name, extra) => {
  const { headers } = await route(named('openai', { ...here(), ...extra }));
  expect(headers).toMatchObject({ 'openai-organization': 'org-1', 'openai-project': 'proj-1' });
});

test('a config target brings credential, organisation and host of its own', async () => {
  const { reached, headers } = await route({
    config: {
      provider: 'openai',
      api_key: 'sk-of-the-config-00000',
      custom_host: world.provider.url,
      openai_organization: 'org-2',
    },
    headers: { authorization: 'Bearer sk-of-the-caller-000000' },
    body: { model: 'm', messages },
  });
  expect(reached).toEqual([1, 0]);
  expect(headers).toMatchObject({
    authorization: 'Bearer sk-of-the-config-00000',
    'openai-organization': 'org-2',
  });
});

const setModels = async (slug: string, body: object) => {
  const answer = await world.app.rest('PUT', `/v1/integrations/${slug}/models`, { body });
  expect(answer.status).toBe(200);
};

test('a listed and enabled model is served, and its own host goes before the integration’s', async () => {
  const slug = await world.makeProvider({ key: undefined });
  await setModels(slug, {
    models: [{ slug: 'tuned', enabled: true, is_custom: true, configurations: { custom_host: other.url } }],
    allow_all_models: false,
  });
  const { reached, model } = await route({ body: { model: `@${slug}/tuned`, messages } });
  expect([reached, model]).toEqual([[0, 1], 'tuned']);
});

test('a model’s headers go before the integration’s, and bar a request’s host as those do', async () => {
  const slug = await world.makeProvider({
    key: undefined,
    configurations: { custom_host: world.provider.url, custom_headers: { 'X-Team': 'all', 'x-all': '1' } },
  });
  const configurations = { custom_headers: { 'x-team': 'tuned', 'x-own': '2' } };
  await setModels(slug, { models: [{ slug: 'tuned', enabled: true, is_custom: true, configurations }] });
  const sent = async (model: string) =>
    (await route({ body: { model: `@${slug}/${model}`, messages } })).headers;
  expect(await sent('tuned')).toMatchObject({ 'x-team': 'tuned', 'x-all': '1', 'x-own': '2' });
  expect(await sent('other')).toMatchObject({ 'x-team': 'all', 'x-all': '1' });
  expect(await sent('other')).not.toHaveProperty('x-own');
  const bare = await world.makeProvider({ key: undefined });
  await setModels(bare, { models: [{ slug: 'tuned', enabled: true, is_custom: true, configurations }] });
  const { answer, reached } = await route({
    headers: { 'x-gateway-custom-host': other.url },
    body: { model: `@${bare}/tuned`, messages },
  });
  expect([answer.status, answer.json.error.code, reached]).toEqual([400, 'invalid_custom_host', [0, 0]]);
});

test('a stored credential cannot be pointed at a further host', async () => {
  const slug = await world.makeProvider();
  const put = (path: string, body: object) =>
    world.app.rest('PUT', `/v1/integrations/${slug}${path}`, { body });
  const elsewhere = { custom_host: other.url };
  const models = [{ slug: 'tuned', enabled: true, configurations: elsewhere }];
  expect((await put('/models', { models })).body).toMatchObject({
    error: { param: 'models[0].configurations.custom_host' },
  });
  expect((await put('', { configurations: elsewhere })).body).toMatchObject({
    error: { param: 'configurations.custom_host' },
  });
  expect((await route(named(`@${slug}`))).reached).toEqual([1, 0]);
  expect((await put('', { configurations: elsewhere, key: 'sk-for-the-other-host-0' })).status).toBe(200);
  const { reached, authorization } = await route(named(`@${slug}`));
  expect([reached, authorization]).toEqual([[0, 1], 'Bearer sk-for-the-other-host-0']);
});

test.each([
  ['text/plain', '{"model":"gpt-x","messages":[]}'],
  ['application/json', '{"model":"gpt-x","messages":[]} '],
  [
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\ngpt-x\r\n--b--\r\n',
  ],
])('a model that is switched off is refused also as %s', async (type, body) => {
  const slug = await world.makeProvider();
  await setModels(slug, { models: [{ slug: 'gpt-x', enabled: false }] });
  other.play(json(200, {}));
  world.provider.play(json(200, {}));
  const answer = await fetch(`${world.app.url}/v1/proxy/chat/completions`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': world.app.workspaceKey,
      'x-gateway-provider': `@${slug}`,
      'content-type': type,
    },
    body,
  });
  expect([answer.status, world.provider.requests.length]).toEqual([403, 0]);
});

describe('a restriction of models holds however the request is written', () => {
  const form = (...parts: string[]) => `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
  const field = (head: string, value: string) => `content-disposition: form-data; ${head}\r\n\r\n${value}`;
  const ok = field('name="model"', 'ok');
  const plain = 'application/json';
  const multipart = 'multipart/form-data; boundary=b';

  let denies: string;
  let allows: string;
  beforeAll(async () => {
    [denies, allows] = [await world.makeProvider(), await world.makeProvider()];
    await setModels(denies, { models: [{ slug: 'bad', enabled: false }] });
    await setModels(allows, { models: [{ slug: 'ok', enabled: true }], allow_all_models: false });
  });

  type Sent = {
    path?: string;
    type?: string;
    headers?: Record<string, string>;
    body?: string;
    config?: object;
  };
  const send = (slug: string, { path = '/v1/proxy/x', type = plain, headers, body, config }: Sent) => {
    world.provider.play(json(200, {}));
    return world.call({
      path,
      headers: { 'x-gateway-provider': `@${slug}`, 'content-type': type, ...headers },
      body: body ?? null,
      config,
    });
  };

  test.each([
    ['two members', '{"model":"bad","model":"ok"}', '{"model":"ok"}'],
    ['an escaped member', '{"mod\\u0065l":"bad", "model":"ok"}', '{"model":"ok"}'],
  ])('JSON with %s goes out as it was read', async (_name, body, expected) => {
    for (const slug of [denies, allows]) {
      for (const path of ['/v1/chat/completions', '/v1/proxy/chat/completions']) {
        expect((await send(slug, { path, body })).status).toBe(200);
        expect(String(world.provider.requests[0]?.body)).toBe(expected);
      }
    }
  });

  test.each([
    ['another member like it', { body: '{"Model":"bad","model":"ok"}' }, 400],
    [
      'a model that is a list',
      { body: '{"model":["bad"],"x":1}', config: { default_params: { model: 'ok' } } },
      400,
    ],
    [
      'parameters of the config',
      { body: '{"model":"ok"}', config: { override_params: { MODEL: 'bad' } } },
      400,
    ],
    ['a model in other letters', { body: '{"model":" Bad"}' }, 403],
    ['models to fall back on', { body: '{"model":"ok","models":["bad"]}' }, 403],
    ['JSON with another type', { type: 'text/plain', body: '{"model":"ok"}' }, 403],
    ['JSON that only some parsers read', { body: '{"model":"bad","n":NaN}' }, 403],
    ['JSON in UTF-16', { body: '{\0"\0m\0"\0:\x001\0}\0' }, 403],
    ['a path in other letters', { path: '/v1/proxy/openai/Deployments/bad/x', body: '{"model":"ok"}' }, 403],
    ['an endpoint', { path: '/v1/proxy/endpoints/bad/invocations', body: '{"model":"ok"}' }, 403],
    ['a deployed endpoint', { path: '/v1/proxy/endpoints/bad:rawPredict', body: '{"model":"ok"}' }, 403],
    [
      'chat at a deployed endpoint',
      { path: '/v1/proxy/endpoints/bad/chat/completions', body: '{"model":"ok"}' },
      403,
    ],
    ['a path of predictions', { path: '/v1/proxy/models/bad/predictions', body: '{"model":"ok"}' }, 403],
    ['a tuned model', { path: '/v1/proxy/tunedModels/bad:generateContent', body: '{"model":"ok"}' }, 403],
    [
      'a batch of messages',
      { path: '/v1/proxy/messages/batches', body: '{"model":"ok","requests":[{"params":{"model":"bad"}}]}' },
      403,
    ],
    [
      'a batch with two members',
      {
        path: '/v1/proxy/messages/batches',
        body: '{"model":"ok","requests":[{"params":{"model":"ok","Model":"bad"}}]}',
      },
      403,
    ],
    ['a session', { body: '{"model":"ok","session":{"Model":"bad"}}' }, 403],
    ['a tool', { body: '{"model":"ok","tools":[{"type":"image_generation","model":"bad"}]}' }, 403],
    [
      'a tool of a batch',
      { body: '{"model":"ok","requests":[{"params":{"tools":[{"model":"bad"}]}}]}' },
      403,
    ],
    [
      'the audio of a session',
      { body: '{"model":"ok","session":{"audio":{"input":{"transcription":{"model":"bad"}}}}}' },
      403,
    ],
    [
      'a run of an evaluation',
      {
        path: '/v1/proxy/evals/e/runs',
        body: '{"model":"ok","data_source":{"type":"completions","model":"bad"}}',
      },
      403,
    ],
    ['criteria', { body: '{"model":"ok","testing_criteria":[{"type":"score_model","model":"bad"}]}' }, 403],
    [
      'a grader',
      { body: '{"model":"ok","method":{"reinforcement":{"grader":{"graders":{"a":{"Model":"bad"}}}}}}' },
      403,
    ],
    ['a list in a list', { body: '{"model":"ok","x":{"models":[["ok","bad"]]}}' }, 403],
    ['a model that is an object', { body: '{"model":"ok","x":{"model":{"id":"bad"}}}' }, 400],
    ['a model as a resource', { body: '{"model":"ok","requests":[{"model":"models/bad"}]}' }, 403],
    [
      'what is nested too deeply',
      { body: `{"model":"ok","x":${'['.repeat(100)}{"model":"bad"}${']'.repeat(100)}}` },
      400,
    ],
    ['a model by id', { body: '{"model":"ok","modelId":"bad"}' }, 403],
    ['a batch in a file', { path: '/v1/batches', body: '{"model":"ok","input_file_id":"file-1"}' }, 403],
    ['an encoded path', { path: '/v1/proxy/%6dodels/bad:generateContent', body: '{}' }, 403],
    ['a path with empty segments', { path: '/v1/proxy/models//bad:generateContent', body: '{}' }, 403],
    [
      'a deployment behind an empty segment',
      { path: '/v1/proxy/deployments//bad/chat/completions', body: '{"model":"ok"}' },
      403,
    ],
    ['an encoded model in the path', { path: '/v1/proxy/models/%62ad:generateContent', body: '{}' }, 403],
    ['a query', { path: '/v1/proxy/realtime/calls?x=1&%6dodel=bad', body: '{"model":"ok"}' }, 403],
    ['a query of deployments', { path: '/v1/proxy/x?Deployment=bad', body: '{"model":"ok"}' }, 403],
    ['a form with a quoted pair', { type: multipart, body: form(ok, field('name="mo\\del"', 'bad')) }, 400],
    ['a form with name*', { type: multipart, body: form(ok, field("name*=utf-8''model", 'bad')) }, 400],
    [
      'a form with a name in pieces',
      { type: multipart, body: form(ok, field('name*0=mo; name*1=del', 'bad')) },
      400,
    ],
    [
      'a form with two names',
      { type: multipart, body: form(field('name="x"; name="model"', 'bad'), ok) },
      400,
    ],
    [
      'a form with a model in other letters',
      { type: multipart, body: form(ok, field('name="MODEL"', 'bad')) },
      400,
    ],
    [
      'a form with a file for a model',
      { type: multipart, body: form(field('name="model"; filename="m"', 'bad')) },
      400,
    ],
    [
      'a form with folded headers',
      { type: multipart, body: form(ok, 'content-disposition: form-data;\r\n name="model"\r\n\r\nbad') },
      400,
    ],
    [
      'a form with two dispositions',
      {
        type: multipart,
        body: form(`content-disposition: form-data; name="x"\r\n${field('name="model"', 'bad')}`, ok),
      },
      400,
    ],
    [
      'a form with an encoded value',
      {
        type: multipart,
        body: form(`content-transfer-encoding: quoted-printable\r\n${field('name="model"', '=62ad')}`),
      },
      400,
    ],
    [
      'a form behind other text',
      { type: multipart, body: `x\n--b\r\n${field('name="model"', 'bad')}\r\n${form(ok)}` },
      400,
    ],
    [
      'a form with more behind its end',
      { type: multipart, body: `${form(ok)}${form(field('name="model"', 'bad'))}` },
      400,
    ],
    [
      'a form with lines that end differently',
      { type: multipart, body: form(ok, field('name="x"', `1\n--b\r\n${field('name="model"', 'bad')}`)) },
      400,
    ],
    ['a form without end', { type: multipart, body: form(ok).slice(0, -6) }, 400],
    ['two boundaries', { type: 'multipart/form-data; boundary=b; boundary=c', body: form(ok) }, 403],
    ['a form in another character set', { type: `${multipart}; charset=utf-7`, body: form(ok) }, 403],
    [
      'a form whose config adds a model',
      { type: multipart, body: form(ok), config: { override_params: { Model: 'bad' } } },
      400,
    ],
    [
      'a form whose config breaks out of its field',
      {
        type: multipart,
        body: form(ok),
        config: { override_params: { x: `1\r\n--b\r\n${field('name="model"', 'bad')}` } },
      },
      400,
    ],
  ] as [string, Sent, number][])('%s goes to no provider', async (_name, sent, status) => {
    for (const slug of [denies, allows]) {
      const answer = await send(slug, sent);
      expect([slug, answer.status, world.provider.requests.length]).toEqual([slug, status, 0]);
    }
  });

  test.each([
    ['huggingface', '/v1/proxy/models/org/bad', '{"model":"ok","inputs":"x"}'],
    ['workers-ai', '/v1/proxy/run/@cf/org/bad', '{"model":"ok","prompt":"x"}'],
    ['oracle', '/v1/proxy/20231130/actions/chat', '{"model":"ok","servingMode":{"modelId":"bad"}}'],
    ['replicate', '/v1/proxy/predictions', '{"model":"ok","version":"bad"}'],
    ['stability-ai', '/v1/proxy/v1/generation/bad/text-to-image', '{"model":"ok"}'],
    ['triton', '/v1/models/bad/infer', '{"model":"ok"}'],
    ['workers-ai', '/v1/models/bad', '{"model":"ok"}'],
    ['replicate', '/v1/rerank', '{"model":"ok","version":"bad"}'],
    ['segmind', '/v1/moderations', '{"model":"ok"}'],
  ])("a model in a place of %s's own goes to no provider", async (ai_provider_id, path, body) => {
    const own = await world.makeProvider({ ai_provider_id });
    await setModels(own, { models: [{ slug: 'ok', enabled: true }], allow_all_models: false });
    const answer = await send(own, { path, body });
    expect([answer.status, world.provider.requests.length]).toEqual([403, 0]);
    expect(answer.json.error.message).toContain('does not show which it asks for');
  });

  const onlyOk = async (integration: object) => {
    const slug = await world.makeProvider(integration);
    await setModels(slug, { models: [{ slug: 'ok', enabled: true }], allow_all_models: false });
    return slug;
  };
  const sageMaker = () =>
    onlyOk({
      ai_provider_id: 'sagemaker',
      key: undefined,
      configurations: {
        ...{
          aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
          aws_secret_access_key: 'a'.repeat(40),
          aws_region: 'eu-west-1',
        },
        custom_host: world.provider.url,
      },
    });

  describe('a model in a header goes out where it is enabled', () => {
    const invoked = { path: '/v1/proxy/endpoints/ok/invocations', body: '{"inputs":"x"}' };
    const deployment = 'azureml-model-deployment';
    const chat = { path: '/v1/chat/completions', body: '{"model":"ok","messages":[]}' };
    let slugs: Record<string, string>;
    beforeAll(async () => {
      slugs = { sagemaker: await sageMaker(), 'azure-ai': await onlyOk({ ai_provider_id: 'azure-ai' }) };
    });

    test.each<[kind: string, place: string, (model: string) => Sent]>([
      ...['target-model', 'target-container-hostname', 'inference-component', 'model-name'].flatMap(
        (name): [string, string, (model: string) => Sent][] =>
          [`x-amzn-sagemaker-${name}`, `x-gateway-amzn-sagemaker-${name}`].map((header) => [
            'sagemaker',
            header,
            (model) => ({ ...invoked, headers: { [header]: model } }),
          ]),
      ),
      [
        'sagemaker',
        'config.amzn_sagemaker_target_model',
        (model) => ({
          ...invoked,
          config: { provider: `@${slugs.sagemaker}`, amzn_sagemaker_target_model: model },
        }),
      ],
      [
        'azure-ai',
        deployment,
        (model) => ({ path: '/v1/proxy/score', body: '{"model":"ok"}', headers: { [deployment]: model } }),
      ],
      [
        'azure-ai',
        deployment,
        (model) => ({
          ...chat,
          headers: { [deployment]: model, 'x-gateway-forward-headers': deployment },
        }),
      ],
      [
        'azure-ai',
        deployment,
        (model) => ({
          ...chat,
          headers: { [deployment]: model },
          config: { forward_headers: [deployment] },
        }),
      ],
    ])('%s, %s', async (kind, place, sent) => {
      const slug = slugs[kind] ?? '';
      const { status, json } = await send(slug, sent('bad'));
      expect([status, json.error.param, world.provider.requests.length]).toEqual([403, place, 0]);
      expect((await send(slug, sent('ok, bad'))).status).toBe(403);
      expect((await send(slug, sent('ok'))).status).toBe(200);
    });

    test('what the integration itself sends is not the caller’s choice', async () => {
      const slug = await onlyOk({
        ai_provider_id: 'azure-ai',
        configurations: {
          azure_deployment_name: 'blue',
          custom_host: world.provider.url,
          custom_headers: { 'x-more': '1' },
        },
      });
      expect((await send(slug, chat)).status).toBe(200);
      expect(world.provider.requests[0]?.headers[deployment]).toBe('blue');
    });

    test('a variant of an endpoint is no model', async () => {
      const headers = { 'x-amzn-sagemaker-target-variant': 'blue' };
      expect((await send(slugs.sagemaker ?? '', { ...invoked, headers })).status).toBe(200);
    });
  });

  test('a model goes out by the name of the resource that it is to the provider', async () => {
    const gemini = await onlyOk({ ai_provider_id: 'google' });
    const embedded = (model: string) => ({
      path: '/v1/proxy/models/ok:batchEmbedContents',
      body: `{"requests":[{"model":"models/${model}","content":{"parts":[{"text":"x"}]}}]}`,
    });
    expect((await send(gemini, embedded('ok'))).status).toBe(200);
    expect((await send(gemini, embedded('bad'))).status).toBe(403);
    const vertex = await onlyOk({
      ai_provider_id: 'vertex-ai',
      configurations: {
        vertex_region: 'eu',
        vertex_project_id: 'project-1',
        custom_host: world.provider.url,
      },
    });
    const predicted = (path: string) => ({
      path: `/v1/proxy/projects/p/locations/l/endpoints/${path}`,
      body: '{"instances":[{"model":"T"}]}',
    });
    expect((await send(vertex, predicted('ok:predict'))).status).toBe(200);
    expect((await send(vertex, predicted('bad:predict'))).status).toBe(403);
    const chat = { ...predicted('openapi/chat/completions'), body: '{"model":"ok","messages":[]}' };
    expect((await send(vertex, chat)).status).toBe(200);
  });

  test('a model in the path goes out where the provider has it there', async () => {
    const own = await sageMaker();
    const asked = (endpoint: string) =>
      send(own, { path: `/v1/proxy/endpoints/${endpoint}/invocations`, body: '{"inputs":"x"}' });
    expect([(await asked('ok')).status, (await asked('bad')).status]).toEqual([200, 403]);
  });

  test('what takes the model away goes to no provider that lists its models', async () => {
    const config = { drop_params: ['model'] };
    for (const sent of [{ body: '{"model":"ok"}' }, { type: multipart, body: form(ok) }])
      expect((await send(allows, { ...sent, config })).status).toBe(403);
    expect(world.provider.requests).toHaveLength(0);
  });

  test.each([
    ['JSON', { body: '{"model": "ok", "n": 1}' }],
    [
      'a form as .NET writes it',
      { type: 'multipart/form-data; boundary="b"', body: form(field('name=model', 'ok')) },
    ],
    [
      'a form as Java writes it',
      {
        type: multipart,
        body: form(
          `content-disposition: form-data; name="model"\r\nContent-Transfer-Encoding: binary\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Length: 2\r\n\r\nok`,
          field(`name="file"; filename="a \\ b.wav"; filename*=utf-8''a.wav`, 'RIFF'),
        ),
      },
    ],
    ['a model in the path', { path: '/v1/proxy/models/ok:generateContent', body: '{}' }],
    [
      'what is called a model in the caller’s own data',
      {
        body: JSON.stringify({
          model: 'ok',
          messages: [{ role: 'user', content: [{ model: 'bad' }] }],
          input: { model: 'bad' },
          metadata: { model: 'bad' },
          tools: [{ function: { name: 'f', parameters: { properties: { model: { type: 'string' } } } } }],
          response_format: { json_schema: { schema: { properties: { model: { const: 'bad' } } } } },
          data_source: { source: { content: [{ item: { model: 'bad' } }] }, item_schema: { model: 'bad' } },
          testing_criteria: [{ model: 'ok', input: [{ model: 'bad' }], labels: ['bad'] }],
        }),
      },
    ],
    [
      'own data that is nested deeply',
      { body: `{"model":"ok","input":${'['.repeat(100)}${']'.repeat(100)}}` },
    ],
    ['no body', { path: '/v1/batches/b/cancel' }],
  ] as [string, Sent][])('%s goes out', async (_name, sent) => {
    for (const slug of [denies, allows]) expect([slug, (await send(slug, sent)).status]).toEqual([slug, 200]);
  });

  test('without a restriction all goes out as it came', async () => {
    for (const [type, body] of [
      [plain, '{"model":"a", "Model":"b","model":"c"}'],
      ['text/plain', '{"model":"a"}'],
      [multipart, `x\r\n${form(ok, field('name="mo\\del"', 'bad'))}`],
    ]) {
      expect((await send(world.slug, { type, body })).status).toBe(200);
      expect(String(world.provider.requests[0]?.body)).toBe(body);
    }
  });
});

test('a change of the models acts at once', async () => {
  const slug = await world.makeProvider();
  const call = () => route({ body: { model: `@${slug}/gpt-x`, messages } });
  expect((await call()).answer.status).toBe(200);
  await setModels(slug, { models: [{ slug: 'gpt-x', enabled: false }] });
  expect((await call()).answer.status).toBe(403);
  await setModels(slug, { models: [{ slug: 'gpt-x', enabled: true }] });
  expect((await call()).answer.status).toBe(200);
});

test.each([true, false])(
  'a model in a proxied path has its own host, whatever the body calls a model (all others allowed: %s)',
  async (allow_all_models) => {
    const slug = await world.makeProvider({ key: undefined });
    const configurations = { custom_host: other.url };
    const models = [
      { slug: 'tuned', enabled: true, is_custom: true, configurations },
      { slug: 'plain', enabled: true },
    ];
    await setModels(slug, { models, allow_all_models });
    const path = '/v1/proxy/models/tuned:generateContent';
    const { reached } = await route({
      path,
      headers: { 'x-gateway-provider': `@${slug}` },
      body: { model: 'plain' },
    });
    expect(reached).toEqual([0, 1]);
  },
);

test('a deleted provider is refused at once', async () => {
  const slug = await world.makeProvider();
  expect((await route(named(`@${slug}`))).reached).toEqual([1, 0]);
  expect((await world.app.rest('DELETE', `/v1/providers/${slug}`)).status).toBe(200);
  expect((await route(named(`@${slug}`))).answer.status).toBe(400);
});

test('a slug of another tenant is unknown', async () => {
  const neighbour = await world.app.createTenant();
  const { answer, reached } = await route({ ...named(`@${world.slug}`), key: neighbour.workspaceKey });
  expect([answer.status, answer.json.error.code, reached]).toEqual([400, 'unknown_provider', [0, 0]]);
});

test('an organisation integration that is not shared with the workspace is unknown until it is', async () => {
  const slug = `org-${world.slug}`;
  const admin = { key: world.app.adminKey };
  const make = await world.app.rest('POST', '/v1/integrations', {
    ...admin,
    body: {
      name: slug,
      slug,
      ai_provider_id: 'openai',
      key: STORED_KEY,
      configurations: { custom_host: world.provider.url },
    },
  });
  expect(make.status).toBe(200);
  const share = (enabled: boolean) =>
    world.app.rest('PUT', `/v1/integrations/${slug}/workspaces`, {
      ...admin,
      body: {
        workspaces: [{ id: world.app.workspaceId, enabled }],
        global_workspace_access: { enabled: false },
      },
    });
  expect((await share(true)).status).toBe(200);
  expect((await route(named(`@${slug}`))).reached).toEqual([1, 0]);
  expect((await share(false)).status).toBe(200);
  expect((await route(named(`@${slug}`))).answer.json.error.code).toBe('unknown_provider');
});
