import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Agent, fetch } from 'undici';
import type { Bootstrap } from '../../seeds/bootstrap.ts';
import type { LogBodiesPack } from '../../src/recording/log/record.ts';
import { unpack } from '../../src/recording/log/write-logs.ts';
import { findEmbedded } from '../../src/storage/embedded/index.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';

let directory: string;
let sluice: SluiceProcess;
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
  secrets.set('provider credential', 'planted-provider-credential-5e1f');
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
  const config = { provider: 'openai', api_key: secrets.get('config credential') };
  const headers = { 'x-gateway-api-key': seeds.workspace_api_key };
  expect(await call('/v1/configs', { headers, body: { name: 'Planted', config } })).toBe(200);
  for (let repeat = 0; repeat < 2; repeat++) {
    const { status, text } = await send('/v1/api-keys/workspace/service', {
      headers: { ...headers, 'idempotency-key': 'planted' },
      body: { name: 'kept', workspace_id: seeds.workspace_id, scopes: ['completions.write'] },
    });
    expect(status).toBe(200);
    secrets.set('kept key', /"key":"([^"]+)"/.exec(text)?.[1] ?? '');
  }
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
    call(`/v1/api-keys/${encoded}`, { headers: working, method: 'DELETE' }),
    call(`/v2/api-keys/${encoded}/rotate`, { headers: admin(), body: {} }),
    call('/graphql', { headers: { ...admin(), 'user-agent': secret }, body: named }),
    call('/graphql', { headers: working, body: { query: `{ apiKey(id: "${secret}") { id ${secret} } }` } }),
    call('/graphql', { headers: working, body: { ...named, variables: { id: [secret] } } }),
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
  sluice = await startProcess(directory, { LOG_LEVEL: 'debug' });
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
    configs { data { config } } serviceAccounts { data { id name } } invites { data { id email } }
    logs(pageSize: 100) { data { requestUrl metadata } }
  }`;
  await call('/graphql', { headers: admin(), body: { query: lists } });
  await new Promise((resolve) => setTimeout(resolve, 600));
  stored = await readEverything();
  storedSize = stored.length;
  await agent.close();
  await sluice.kill('SIGTERM');
  printed = sluice.output().slice(greeting);
}, 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

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
    for (const beside of ['my key is:', '/v1/rerank/', 'x-custom-token', 'somebody'])
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
