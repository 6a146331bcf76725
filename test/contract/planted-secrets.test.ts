import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Agent, fetch } from 'undici';
import type { Bootstrap } from '../../seeds/bootstrap.ts';
import type { LogBodiesPack } from '../../src/recording/log/record.ts';
import { unpack } from '../../src/recording/log/write-logs.ts';
import { findEmbedded } from '../../src/storage/embedded/index.ts';
import { writeConsoleDocuments } from '../support/built-console.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { json, type ScriptedProvider, startProvider } from '../support/provider.ts';

let directory: string;
/** What the command line reads. */
let bundles: string;
let sluice: SluiceProcess;
/** Where secrets are kept elsewhere, in the manner of Vault. */
let manager: ScriptedProvider;
let seeds: Bootstrap;
/** Each secret once, by what it is. */
const secrets = new Map<string, string>();
/** What was answered to any call but those that make a secret or have it echoed on purpose. */
const answers: { path: string; text: string }[] = [];
/** Everything in the database, headers and bodies of request logs unpacked. */
let stored: string;
let storedSize: number;
/** Everything printed once the start had shown how to try it, which it does with the workspace key. */
let printed: string;

/** Wrong credentials slow an address down: each round of them comes from one of its own. */
let rounds = 0;
let agent = new Agent();
async function fromElsewhere(): Promise<void> {
  await agent.close();
  agent = new Agent({ localAddress: `127.0.2.${++rounds}` });
}

type Call = { headers?: Record<string, string>; body?: unknown; method?: string };

async function send(
  path: string,
  { headers, body, method }: Call,
): Promise<{ status: number; text: string }> {
  const response = await fetch(sluice.url + path, {
    dispatcher: agent,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    text: `${await response.text()}${JSON.stringify([...response.headers])}`,
  };
}

/** A call whose answer must not show a secret. */
async function call(path: string, options: Call = {}): Promise<number> {
  const { status, text } = await send(path, options);
  answers.push({ path, text });
  return status;
}

const fromOwnPage = { 'sec-fetch-site': 'same-origin' };

const admin = () => ({ authorization: `Bearer ${secrets.get('access token')}` });

/** A graph call that makes a secret; `path` leads to it. */
async function plant(what: string, query: string, secretOf: (data: any) => string): Promise<any> {
  const { text } = await send('/graphql', { headers: admin(), body: { query } });
  const { data, errors } = JSON.parse(text.slice(0, text.lastIndexOf('[['))) as {
    data: any;
    errors?: unknown;
  };
  expect(errors).toBeUndefined();
  secrets.set(what, secretOf(data));
  return data;
}

async function tokenOf(id: string, secret: string): Promise<string> {
  const response = await fetch(`${sluice.url}/oauth2/access_token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `grant_type=client_credentials&scope=tsg_id:${seeds.tsg_id}`,
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

const chat = (members: object = {}) => ({
  model: '@mock/mock-1',
  messages: [{ role: 'user', content: 'hello' }],
  ...members,
});

/** A secret that was not copied to its end. */
const cut = (secret: string): string => secret.slice(0, -6);

async function plantAll(): Promise<void> {
  secrets.set('admin key', seeds.admin_api_key);
  secrets.set('workspace key', seeds.workspace_api_key);
  secrets.set('client secret', seeds.client_secret);
  secrets.set('access token', await tokenOf(seeds.client_id, seeds.client_secret));
  const workspace = `workspaceId: "${seeds.workspace_id}"`;
  const { made } = await plant(
    'service key',
    `mutation { made: createWorkspaceServiceApiKey(
      input: { name: "planted", ${workspace}, scopes: ["completions.write", "logs.write"] }) { id key } }`,
    ({ made }) => made.key,
  );
  await plant(
    'rotated key',
    `mutation { made: rotateApiKey(id: "${made.id}") { key } }`,
    ({ made }) => made.key,
  );
  const { account } = await plant(
    'new client secret',
    'mutation { account: createServiceAccount(input: { name: "planted" }) { id clientSecret } }',
    ({ account }) => account.clientSecret,
  );
  await plant(
    'reset client secret',
    `mutation { account: resetServiceAccountSecret(id: "${account.id}") { clientSecret } }`,
    ({ account }) => account.clientSecret,
  );
  await plant(
    'invite secret',
    `mutation { createInvite(input: { email: "new@example.com", role: member,
      workspaces: [{ id: "${seeds.workspace_id}", role: member }],
      workspaceApiKeyDetails: { scopes: ["completions.write"] } }) { inviteLink } }`,
    ({ createInvite }) => createInvite.inviteLink.split('/').at(-1),
  );
  await plant(
    'invited key',
    `mutation { acceptInvite(input: { token: "${secrets.get('invite secret')}", firstName: "N", lastName: "N" }) {
      apiKeys { key } } }`,
    ({ acceptInvite }) => acceptInvite.apiKeys[0].key,
  );
  await plantSignIns();
  await plantRun();
  secrets.set('provider credential', 'planted-provider-credential-5e1f');
  secrets.set('virtual key credential', 'planted-virtual-key-credential-88c2');
  secrets.set('custom header', 'planted-custom-header-77ab');
  secrets.set('model header', 'planted-model-header-31dd');
  secrets.set('provider setting', 'planted+provider+setting+04b8');
  secrets.set('config credential', 'planted-config-credential-19cd');
  const key = { 'x-gateway-api-key': seeds.admin_api_key };
  const integration = {
    name: 'Planted',
    slug: 'planted',
    ai_provider_id: 'openai',
    key: secrets.get('provider credential'),
    configurations: {
      // Nobody listens there.
      custom_host: 'http://127.0.0.1:8/v1',
      custom_headers: { 'x-team': secrets.get('custom header') },
    },
  };
  expect(await call('/v1/integrations', { headers: key, body: integration })).toBe(200);
  const models = [
    {
      slug: 'planted-model',
      enabled: true,
      configurations: { custom_headers: { 'x-model': secrets.get('model header') } },
    },
  ];
  expect(
    await call('/v1/integrations/planted/models', { method: 'PUT', headers: key, body: { models } }),
  ).toBe(200);
  const further = {
    name: 'Planted too',
    slug: 'planted-too',
    ai_provider_id: 'bedrock',
    configurations: { aws_secret_access_key: secrets.get('provider setting') },
  };
  expect(await call('/v1/integrations', { headers: key, body: further })).toBe(200);
  const virtualKey = { name: 'Planted', slug: 'planted-vk', provider: 'openai' };
  const inWorkspace = { 'x-gateway-api-key': seeds.workspace_api_key };
  for (const [method, path] of [
    ['POST', '/v1/virtual-keys'],
    ['PUT', '/v1/virtual-keys/planted-vk'],
  ] as const) {
    const body = { ...(method === 'POST' ? virtualKey : {}), key: secrets.get('virtual key credential') };
    expect(await call(path, { method, headers: inWorkspace, body })).toBe(200);
  }
  expect(await call('/v1/virtual-keys', { method: 'GET', headers: inWorkspace })).toBe(200);
  secrets.set('manager credential', 'planted-manager-credential-62ac');
  secrets.set('managed credential', 'planted-managed-credential-98e0');
  manager.play(json(200, { data: { key: secrets.get('managed credential') } }));
  const reference = {
    name: 'Planted',
    slug: 'planted',
    manager_type: 'hashicorp_vault',
    auth_config: {
      vault_auth_type: 'token',
      vault_addr: manager.url.replace('/v1', ''),
      vault_token: secrets.get('manager credential'),
    },
    secret_path: 'kv1/planted',
  };
  expect(await call('/v1/secret-references', { headers: key, body: reference })).toBe(200);
  const managed = {
    name: 'Managed',
    slug: 'managed',
    ai_provider_id: 'openai',
    configurations: { custom_host: 'http://127.0.0.1:8/v1' },
    secret_mappings: [{ target_field: 'key', secret_reference_id: 'planted' }],
  };
  expect(await call('/v1/integrations', { headers: key, body: managed })).toBe(200);
  await call('/v1/secret-references/planted', { headers: key });
  const tried = { query: 'mutation { testSecretReference(id: "planted") { outcome message members } }' };
  expect(await call('/graphql', { headers: key, body: tried })).toBe(200);
  const asked = chat({ model: '@managed/gpt-test' });
  const caller = { 'x-gateway-api-key': seeds.workspace_api_key };
  // Its credential was read, and nobody is where it goes.
  expect(await call('/v1/chat/completions', { headers: caller, body: asked })).toBe(503);
  expect(manager.requests).toHaveLength(2);
  const config = { provider: 'openai', api_key: secrets.get('config credential') };
  const headers = { 'x-gateway-api-key': seeds.workspace_api_key };
  expect(await call('/v1/configs', { headers, body: { name: 'Planted', config } })).toBe(200);
  await plantManagers();
  await plantTrial();
  await plantGuardrails();
  await plantMcp();
  for (let repeat = 0; repeat < 2; repeat++) {
    const { status, text } = await send('/v1/api-keys/workspace/service', {
      headers: { ...headers, 'idempotency-key': 'planted' },
      body: { name: 'kept', workspace_id: seeds.workspace_id, scopes: ['completions.write'] },
    });
    expect(status).toBe(200);
    secrets.set('kept key', /"key":"([^"]+)"/.exec(text)?.[1] ?? '');
  }
  await plantBundle();
}

/** Credentials for secret managers of other kinds: read, changed and refused. */
async function plantManagers(): Promise<void> {
  secrets.set('AWS key of a manager', 'planted+aws+manager+secret+77c1');
  secrets.set('client secret of a manager', 'planted-entra-manager-secret-0ab4');
  secrets.set('secret id of a manager', 'planted-approle-secret-id-5d92');
  const headers = { 'x-gateway-api-key': seeds.admin_api_key };
  for (const [manager_type, secret_path, auth_config] of [
    [
      'aws_sm',
      'prod/openai',
      {
        ...{ aws_auth_type: 'accessKey', aws_region: 'eu-west-1', aws_access_key_id: 'AKIAPLANTEDPLANTED00' },
        aws_secret_access_key: secrets.get('AWS key of a manager'),
      },
    ],
    [
      'azure_kv',
      'openai',
      {
        ...{ azure_auth_mode: 'entra', azure_entra_tenant_id: 'tenant', azure_entra_client_id: 'client' },
        ...{ azure_entra_client_secret: secrets.get('client secret of a manager') },
        azure_vault_url: 'https://planted.vault.azure.net',
      },
    ],
    [
      'hashicorp_vault',
      'kv1/planted',
      {
        ...{ vault_auth_type: 'approle', vault_addr: manager.url.replace('/v1', ''), vault_role_id: 'role' },
        vault_secret_id: secrets.get('secret id of a manager'),
      },
    ],
  ] as const) {
    const slug = `planted-${manager_type}`;
    const body = { name: 'Planted', slug, manager_type, secret_path, auth_config };
    expect(await call('/v1/secret-references', { headers, body })).toBe(200);
    const at = `/v1/secret-references/${slug}`;
    expect(await call(at, { headers })).toBe(200);
    expect(await call(at, { method: 'PUT', headers, body: { auth_config, description: 'x' } })).toBe(200);
    const refused = { auth_config: { ...auth_config, colour: 'red' } };
    expect(await call(at, { method: 'PUT', headers, body: refused })).toBe(400);
  }
}

/** A credential that is tried out at a provider that says it back, and never stored. */
async function plantTrial(): Promise<void> {
  secrets.set('tried credential', 'planted-tried-credential-b3f8');
  const echoing = await startProvider();
  const message = `wrong key: ${secrets.get('tried credential')}`;
  echoing.play(json(401, { error: { message } }));
  const query = `mutation ($input: TestIntegrationInput) {
    testIntegration(input: $input) { ok status providerMessage hint models }
  }`;
  const configurations = { custom_host: echoing.url };
  const input = { aiProviderId: 'openai', key: secrets.get('tried credential'), configurations };
  const headers = { 'x-gateway-api-key': seeds.admin_api_key };
  expect(await call('/graphql', { headers, body: { query, variables: { input } } })).toBe(200);
  expect(answers.at(-1)?.text).toContain('"status":401');
  await echoing.stop();
}

/** Credentials of a service that a guardrail asks: read, changed and refused, in a workspace and in the organisation. */
async function plantGuardrails(): Promise<void> {
  secrets.set('guardrail header', 'planted-guardrail-header-a90b');
  secrets.set('guardrail secret', 'planted-guardrail-secret-2f67');
  const parameters = {
    webhookURL: 'https://judge.example/',
    headers: { 'x-judge': secrets.get('guardrail header') },
    secret: secrets.get('guardrail secret'),
  };
  const body = { name: 'Planted', slug: 'planted', checks: [{ id: 'default.webhook', parameters }] };
  for (const [base, key, slug] of [
    ['/v1/guardrails', seeds.workspace_api_key, 'planted'],
    ['/v1/org-guardrails', seeds.admin_api_key, 'planted-common'],
  ] as const) {
    const headers = { 'x-gateway-api-key': key };
    expect(await call(base, { headers, body: { ...body, slug } })).toBe(200);
    expect(await call(`${base}/${slug}`, { headers })).toBe(200);
    const changed = { checks: [{ id: 'default.webhook', parameters: { ...parameters, timeout: 10 } }] };
    expect(await call(`${base}/${slug}`, { method: 'PUT', headers, body: changed })).toBe(200);
    const refused = { checks: [{ id: 'default.webhook', parameters: { ...parameters, webhookURL: 'x' } }] };
    expect(await call(`${base}/${slug}`, { method: 'PUT', headers, body: refused })).toBe(400);
  }
}

/** Credentials of MCP servers: read, changed, refused, tried where a server says them back, and read from a manager. */
async function plantMcp(): Promise<void> {
  secrets.set('MCP header', 'planted-mcp-header-c0de');
  secrets.set('MCP static header', 'planted-mcp-static-header-77aa');
  secrets.set('MCP client secret', 'planted-mcp-client-secret-41b9');
  secrets.set('MCP introspection secret', 'planted-mcp-introspection-secret-6e30');
  const echoing = await startProvider();
  echoing.play(json(400, { error: secrets.get('MCP header') }));
  const headers = { 'x-gateway-api-key': seeds.admin_api_key };
  const configurations = {
    headers: { 'x-planted': secrets.get('MCP header') },
    passthrough_headers: { 'x-static': secrets.get('MCP static header') },
    oauth_metadata: { client_id: 'planted', client_secret: secrets.get('MCP client secret') },
    jwt_validation: {
      introspectEndpoint: 'https://issuer.example/introspect',
      introspectClientSecret: secrets.get('MCP introspection secret'),
    },
  };
  const body = { name: 'Planted', slug: 'planted', url: echoing.url, transport: 'http', configurations };
  for (const auth_type of ['headers', 'oauth_client_credentials'])
    expect(
      await call('/v1/mcp-integrations', {
        headers,
        body: { ...body, slug: `planted-${auth_type}`, auth_type },
      }),
    ).toBe(200);
  for (const path of ['planted-headers', 'planted-oauth_client_credentials', '?page_size=10']) {
    const place = `/v1/mcp-integrations${path.startsWith('?') ? '' : '/'}${path}`;
    expect(await call(place, { headers })).toBe(200);
    if (!path.startsWith('?')) expect(await call(`${place}/test`, { method: 'POST', headers })).toBe(200);
  }
  const changed = { configurations: { ...configurations, pin: 'block' } };
  const at = '/v1/mcp-integrations/planted-headers';
  expect(await call(at, { method: 'PUT', headers, body: changed })).toBe(200);
  const refused = { configurations: { ...configurations, pin: 'never' } };
  expect(await call(at, { method: 'PUT', headers, body: refused })).toBe(400);
  const named = {
    workspace_id: seeds.workspace_id,
    name: 'Planted',
    slug: 'planted-mcp',
    mcp_integration_id: 'planted-headers',
  };
  expect(await call('/v1/mcp-servers', { headers, body: named })).toBe(200);
  expect(await call('/v1/mcp-servers/planted-mcp', { headers })).toBe(200);
  await echoing.stop();
}

/** A bundle whose documents name a variable, which the command line reads; and what it exports of everything planted. */
/** A run that waits, with the headers of its request: each of its turns calls the model with them. */
async function plantRun(): Promise<void> {
  secrets.set('credential in the config of a run', 'planted-run-credential-6d0b');
  const config = {
    strategy: { mode: 'fallback' },
    targets: [
      { provider: '@mock', override_params: { model: 'mock-1' } },
      { provider: 'openai', api_key: secrets.get('credential in the config of a run') },
    ],
  };
  const headers = {
    authorization: `Bearer ${seeds.workspace_api_key}`,
    'x-gateway-provider': 'gateway',
    'x-gateway-config': JSON.stringify(config),
  };
  const ask = async (path: string, body?: object): Promise<any> => {
    const { status, text } = await send(path, { headers, body });
    expect({ status, text }).toMatchObject({ status: 200 });
    answers.push({ path, text });
    return JSON.parse(text.slice(0, text.lastIndexOf('[[')));
  };
  const tools = [{ type: 'function', function: { name: 'look' } }];
  const assistant = await ask('/v1/assistants', { model: 'mock-1', tools });
  let run = await ask('/v1/threads/runs', {
    assistant_id: assistant.id,
    thread: { messages: [{ role: 'user', content: '/tool' }] },
  });
  while (['queued', 'in_progress'].includes(run.status))
    run = await ask(`/v1/threads/${run.thread_id}/runs/${run.id}`);
  expect([run.status, run.last_error]).toEqual(['requires_action', null]);
}

async function plantBundle(): Promise<void> {
  secrets.set('bundle credential', 'planted-bundle-credential-c41f');
  const file = join(bundles, 'bundle.json');
  const document = {
    apiVersion: 'sluice/v1',
    kind: 'Integration',
    metadata: { slug: 'planted-bundle', bundle: 'planted' },
    spec: { name: 'Planted', aiProviderId: 'openai', key: { env: 'PLANTED' } },
  };
  await writeFile(file, JSON.stringify(document));
  for (const args of [['diff', file], ['apply', file], ['diff', file], ['export']])
    answers.push({ path: `sluice ${args.join(' ')}`, text: await runCommand(args) });
  expect(answers.at(-1)?.text).toContain('env: PLANTED');
  for (const slug of ['planted', 'planted-vk', 'planted-bundle', 'managed'])
    expect(answers.at(-1)?.text).toContain(`slug: ${slug}`);
  // What is refused is not repeated.
  const inClear = { ...document, spec: { ...document.spec, key: secrets.get('bundle credential') } };
  const refused = `query ($input: PlanBundleInput!) { planBundle(input: $input) { digest } }`;
  const variables = { input: { documents: [inClear] } };
  await call('/graphql', { headers: admin(), body: { query: refused, variables } });
  await writeFile(file, JSON.stringify(inClear));
  answers.push({ path: 'sluice validate', text: await runCommand(['validate', file]) });
  expect(answers.at(-1)?.text).toContain('must not hold a secret in clear');
}

/** All that `npm run sluice` prints, with the account's credential. */
const runCommand = (args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH,
      PLANTED: secrets.get('bundle credential'),
      SLUICE_URL: sluice.url,
      SLUICE_CLIENT_ID: seeds.client_id,
      SLUICE_CLIENT_SECRET: secrets.get('client secret'),
      SLUICE_TSG_ID: seeds.tsg_id,
    };
    const script = join(import.meta.dirname, '../../scripts/sluice.ts');
    const flags = ['--disable-warning=ExperimentalWarning', script];
    execFile(process.execPath, [...flags, ...args], { env }, (_error, out, err) => resolve(`${out}\n${err}`));
  });

/** A link that was used, the cookie that it gave, and a link that waits. */
/** What the console may ask here. */
const viewer = '{ viewer { name } signIns { data { id } } }';

async function plantSignIns(): Promise<void> {
  const { text } = await send('/graphql', { headers: admin(), body: { query: '{ users { data { id } } }' } });
  const [, userId] = /"id":"([^"]+)"/.exec(text) ?? [];
  const query = `mutation { made: createSignInLink(userId: "${userId}") { signInLink } }`;
  const secretOf = ({ made }: any) => made.signInLink.split('#')[1];
  await plant('used link', query, secretOf);
  const signedIn = await send('/console/sign-in', {
    headers: fromOwnPage,
    body: { link: secrets.get('used link') },
  });
  expect(signedIn.status).toBe(200);
  secrets.set('cookie', /sluice=(sl-[\w-]{43});/.exec(signedIn.text)?.[1] ?? '');
  await plant('waiting link', query, secretOf);
  const headers = { ...fromOwnPage, cookie: `sluice=${secrets.get('cookie')}` };
  expect(await call('/console/graphql', { headers, body: { query: viewer } })).toBe(200);
}

/** Places that say by their name what they hold, or that are never kept: a secret of any look is safe there. */
async function misuse(secret: string): Promise<void> {
  await fromElsewhere();
  const working = { 'x-gateway-api-key': seeds.workspace_api_key };
  const encoded = encodeURIComponent(secret);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const mock = { ...working, 'x-gateway-provider': '@mock' };
  const refusedConfig = { provider: 'openai', api_key: secret, nonsense: 1 };
  const acceptInvite = 'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { userId } }';
  await Promise.all([
    call('/v1/chat/completions', { headers: { 'x-gateway-api-key': secret }, body: chat() }),
    call('/v1/configs', { headers: { authorization: `Bearer ${secret}` } }),
    call('/v2/configs', { headers: { authorization: `Bearer ${secret}` } }),
    call('/v2/configs', { headers: { authorization: `Basic ${secret}` } }),
    call('/iam/v1/access_policies', { headers: { 'x-gateway-api-key': secret } }),
    call(`/invites/${encoded}`),
    call('/console/sign-in', { headers: fromOwnPage, body: { link: `${secret}x` } }),
    call('/console/sign-in', { headers: fromOwnPage, body: { key: `${secret}x` } }),
    call('/console/sign-in', { headers: fromOwnPage, body: { client_id: secret, client_secret: secret } }),
    call('/console/graphql', {
      headers: { ...fromOwnPage, cookie: `sluice=${secret}x; sluice-oidc=${encoded}` },
      body: { query: '{ viewer { name } }' },
    }),
    call(`/v1/models?key=${encoded}`, { headers: working }),
    call(`/v1/configs?api_key=${encoded}`, { headers: working, body: { name: 'x', config: refusedConfig } }),
    call(`/graphql?key=${encoded}`, {
      headers: admin(),
      body: { query: 'mutation { deleteConfig(id: "x") }' },
    }),
    call('/graphql', {
      headers: working,
      body: {
        query: acceptInvite,
        variables: { input: { token: `${secret}x`, firstName: 'N', lastName: 'N' } },
      },
    }),
    call(`/oauth2/access_token?client_secret=${encoded}`, {
      headers: { ...form, authorization: `Basic ${Buffer.from(`nobody:${secret}`).toString('base64')}` },
      body: `grant_type=client_credentials&client_secret=${encoded}&scope=tsg_id:1`,
    }),
    call('/v1/chat/completions', {
      headers: { ...working, cookie: `session=${secret}`, 'x-custom-token': secret },
      body: chat({ api_key: secret, nested: { client_secret: secret }, user: 'somebody' }),
    }),
    call('/v1/chat/completions', {
      headers: { ...working, 'x-gateway-config': JSON.stringify(refusedConfig) },
      body: chat(),
    }),
    call('/v1/forms', { headers: { ...mock, ...form }, body: `client_secret=${encoded}&x=1` }),
    call('/scim/v2/Users', { headers: { authorization: `Bearer ${secret}x` } }),
    call('/scim/v2/Users', {
      headers: admin(),
      body: { userName: `planted-${encoded.slice(0, 3)}@example.com`, password: secret },
    }),
    call('/scim/v2/Users/nobody', {
      method: 'PATCH',
      headers: admin(),
      body: { Operations: [{ op: 'replace', path: 'password', value: secret }] },
    }),
  ]);
}

/** Places that may hold anything: a secret is safe there when it is known by its look. */
async function mention(secret: string): Promise<void> {
  const working = { 'x-gateway-api-key': seeds.workspace_api_key };
  const encoded = encodeURIComponent(secret);
  const mock = { ...working, 'x-gateway-provider': '@mock' };
  const named = { query: 'mutation ($id: ID!) { deleteConfig(id: $id) }', variables: { id: secret } };
  await Promise.all([
    call(`/v1/configs/${encoded}`, { headers: working }),
    call(`/scim/v2/Users/${encoded}`, { headers: admin() }),
    call(`/scim/v2/Users/${encoded}`, { headers: admin(), method: 'DELETE' }),
    call(`/scim/v2/Groups?filter=${encoded}%20eq%20%22x%22`, { headers: admin() }),
    call(`/scim/v2/Groups?filter=displayName%20eq%20%22${encoded}%22`, { headers: admin() }),
    call('/scim/v2/Users/nobody', {
      method: 'PATCH',
      headers: admin(),
      body: { Operations: [{ op: 'replace', path: secret, value: 'x' }] },
    }),
    call(`/v1/api-keys/${encoded}`, { headers: working, method: 'DELETE' }),
    call('/v1/api-keys/identify', {
      headers: { 'x-gateway-api-key': seeds.admin_api_key },
      body: { secret },
    }),
    call(`/v2/api-keys/${encoded}/rotate`, { headers: admin(), body: {} }),
    call('/graphql', { headers: { ...admin(), 'user-agent': secret }, body: named }),
    call('/graphql', { headers: working, body: { query: `{ apiKey(id: "${secret}") { id ${secret} } }` } }),
    call('/graphql', { headers: working, body: { ...named, variables: { id: [secret] } } }),
    call('/console/sign-in', { headers: fromOwnPage, body: { [secret]: secret } }),
    call(`/console/${encoded}`, { headers: fromOwnPage }),
    call('/v1/chat/completions', { headers: { ...working, 'x-gateway-provider': secret }, body: chat() }),
    call('/v1/chat/completions', { headers: working, body: chat({ model: `@${secret}/m` }) }),
    call('/v1/chat/completions', {
      headers: { ...working, 'x-gateway-metadata': JSON.stringify({ team: secret, [secret]: 'x' }) },
      body: chat({ user: secret }),
    }),
    // These are answered with what they say.
    send(`/v1/rerank/${encoded}?q=it%20${encoded}`, { headers: mock, body: {} }),
    send('/graphql', { headers: { ...admin(), 'x-request-id': secret }, body: named }),
    send('/v1/chat/completions', {
      headers: { ...working, 'x-gateway-trace-id': secret, 'x-gateway-span-name': secret },
      body: chat({ messages: [{ role: 'user', content: `my key is:\n${secret}\nand "${secret}"` }] }),
    }),
  ]);
}

async function readEverything(): Promise<string> {
  const client = await MongoClient.connect((await findEmbedded(join(directory, 'store'))) ?? '');
  try {
    const texts: string[] = [];
    for (const { name } of await client.db().listCollections().toArray()) {
      const documents = await client.db().collection(name).find({}).toArray();
      texts.push(name, JSON.stringify(documents));
      if (name === 'log_bodies')
        texts.push(JSON.stringify((documents as unknown as LogBodiesPack[]).map(unpack)));
    }
    return texts.join('\n');
  } finally {
    await client.close();
  }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-planted-'));
  bundles = await mkdtemp(join(tmpdir(), 'sluice-bundles-'));
  manager = await startProvider();
  const CONSOLE_DIR = join(directory, 'console');
  await writeConsoleDocuments(CONSOLE_DIR, [viewer]);
  sluice = await startProcess(directory, { CONSOLE_DIR, LOG_LEVEL: 'debug' });
  const greeting = sluice.output().length;
  seeds = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  await plantAll();
  for (const secret of secrets.values()) {
    await misuse(secret);
    if (!secret.startsWith('planted')) await mention(secret);
  }
  for (const what of ['workspace key', 'access token', 'provider credential'])
    await misuse(cut(secrets.get(what) ?? ''));
  const lists = `{
    apiKeys { data { id name key scopes } } integrations { data { maskedKey configurations } }
    configs { data { config } } guardrails { data { checks { parameters } versions { checks { parameters } } } } serviceAccounts { data { id name } } mcpIntegrations { data { configurations } } mcpServers { data { mcpIntegrationDetails { configurations } } } invites { data { id email } }
    logs(pageSize: 100) { data { requestUrl metadata } }
  }`;
  await call('/graphql', { headers: admin(), body: { query: lists } });
  await new Promise((resolve) => setTimeout(resolve, 600));
  stored = await readEverything();
  storedSize = stored.length;
  await agent.close();
  await sluice.kill('SIGTERM');
  printed = sluice.output().slice(greeting);
}, 300_000);
afterAll(async () => {
  await sluice?.kill('SIGKILL');
  await manager.stop();
  for (const made of [directory, bundles]) await rm(made, { recursive: true, force: true });
});

/** The forms in which a secret can stand in a text; base64 at each of its three alignments. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}${secret}`).toString('base64');
    // The first and the last characters also depend on what stands beside the secret.
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** Kinds of which more than a beginning stands in a text. */
const foundIn = (text: string): string[] =>
  [...secrets]
    .filter(([, secret]) => formsOf(cut(secret)).some((form) => text.includes(form)))
    .map(([what]) => what);

describe('a secret of any kind, used, misused and cut off', () => {
  it('was there to be found', () => {
    expect([...secrets.values()].filter((secret) => !secret)).toEqual([]);
    expect(new Set(secrets.values()).size).toBe(secrets.size);
    expect(storedSize).toBeGreaterThan(100_000);
    // What stood beside the secrets is there.
    for (const beside of ['my key is:', '/v1/rerank/', 'x-custom-token', 'somebody', 'sealedCaller'])
      expect(stored).toContain(beside);
    expect(foundIn(`...${secrets.get('client secret')}`)).toEqual(['client secret']);
  });

  it('is not in the database', () => expect(foundIn(stored)).toEqual([]));

  it('is not in what the process prints', () => {
    expect(printed).not.toBe('');
    expect(foundIn(printed)).toEqual([]);
  });

  it('is in no answer but the one that made it', () => {
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter(({ text }) => foundIn(text).length > 0)).toEqual([]);
  });

  it('is in no file but the one that was written to show it', async () => {
    const names = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile() && entry.name !== 'bootstrap.json');
    expect(files.length).toBeGreaterThan(1);
    for (const { parentPath, name } of files) {
      const text = await readFile(join(parentPath, name), 'latin1');
      expect({ name, found: foundIn(text) }).toEqual({ name, found: [] });
    }
  });
});
