import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dump } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type ScriptedProvider, startProvider } from '../support/provider.ts';
import * as aws from '../support/secret-managers/aws.ts';
import * as azure from '../support/secret-managers/azure.ts';
import { makeReference, testReference } from '../support/secret-managers/references.ts';
import * as vault from '../support/secret-managers/vault.ts';

const VALUE = 'sk-kept-elsewhere-0123456789';
let directory: string;
let server: ScriptedProvider;
let origin: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-managers-'));
  for (const [name, text] of [
    ['web', aws.WEB_TOKEN],
    ['box', 'container-token'],
    ['federated', azure.FEDERATED_TOKEN],
    ['pod', `${vault.POD_TOKEN}\n`],
  ] as const)
    await writeFile(join(directory, name), text);
  server = await startProvider();
  origin = server.url.replace('/v1', '');
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

const machines = new Map<string, Promise<TestApp>>();
afterAll(async () => {
  for (const app of machines.values()) await (await app).stop();
});

/** Runs with an app on a machine with these identities, which all tests share that want the same. */
async function onMachine(env: Record<string, string>, run: (app: TestApp) => Promise<void>): Promise<void> {
  const key = JSON.stringify(env);
  const app =
    machines.get(key) ??
    startApp({
      TRUSTED_HOSTS: '127.0.0.1',
      SECRET_IDENTITY_HOSTS: '127.0.0.1',
      AWS_ENDPOINT_URL_SECRETS_MANAGER: origin,
      AWS_ENDPOINT_URL_STS: origin,
      AZURE_AUTHORITY_HOST: origin,
      KUBERNETES_TOKEN_FILE: join(directory, 'pod'),
      ...env,
    });
  machines.set(key, app);
  await run(await app);
}

const machine = {
  plain: () => ({}),
  withKeys: () => ({
    AWS_ACCESS_KEY_ID: aws.MACHINE_KEYS.id,
    AWS_SECRET_ACCESS_KEY: aws.MACHINE_KEYS.secret,
    IDENTITY_ENDPOINT: `${origin}/identity`,
    IDENTITY_HEADER: azure.IDENTITY_HEADER,
  }),
  withTokens: () => ({
    AWS_ROLE_ARN: aws.ROLE,
    AWS_WEB_IDENTITY_TOKEN_FILE: join(directory, 'web'),
    AWS_REGION: aws.REGION,
    AZURE_TENANT_ID: azure.TENANT,
    AZURE_CLIENT_ID: azure.CLIENT_ID,
    AZURE_FEDERATED_TOKEN_FILE: join(directory, 'federated'),
  }),
  withContainer: () => ({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(directory, 'box'),
    AZURE_TENANT_ID: azure.TENANT,
    AZURE_CLIENT_ID: azure.CLIENT_ID,
    AZURE_CLIENT_SECRET: azure.CLIENT_SECRET,
  }),
};

const found = { outcome: 'found', message: 'The manager gave the secret.' };

describe('AWS Secrets Manager', () => {
  const byKey = {
    aws_auth_type: 'accessKey',
    aws_access_key_id: aws.ADMIN_KEYS.id,
    aws_secret_access_key: aws.ADMIN_KEYS.secret,
    aws_region: aws.REGION,
  };
  const byRole = {
    aws_auth_type: 'assumedRole',
    aws_role_arn: aws.ROLE,
    aws_external_id: aws.EXTERNAL_ID,
    aws_region: aws.REGION,
  };
  const input = (authConfig: object, secretPath = 'prod/openai') => ({
    name: 'AWS',
    managerType: 'aws_sm',
    authConfig,
    secretPath,
  });
  beforeEach(() => server.play(aws.awsScript(new Map([['prod/openai', JSON.stringify({ key: VALUE })]]))));

  it.each([
    ['with a key of the reference', machine.plain, byKey],
    ['as a role that the key of the machine takes on', machine.withKeys, byRole],
    ['as a role that the token of the machine leads to', machine.withTokens, byRole],
    [
      'as the machine, by its key',
      machine.withKeys,
      { aws_auth_type: 'serviceRole', aws_region: aws.REGION },
    ],
    ['as the machine, by its token', machine.withTokens, { aws_auth_type: 'serviceRole' }],
    ['as the container', machine.withContainer, { aws_auth_type: 'serviceRole', aws_region: aws.REGION }],
  ])('is asked %s, signed', async (_how, env, authConfig) => {
    const script = aws.awsScript(new Map([['prod/openai', JSON.stringify({ key: VALUE })]]));
    server.play((request, response, raw) =>
      (request.url === '/container' ? aws.containerScript : script)(request, response, raw),
    );
    await onMachine(env(), async (app) => {
      const { id } = await makeReference(app, input(authConfig));
      expect(await testReference(app, id)).toMatchObject({ ...found, members: ['key'] });
      expect(await dump(app)).not.toContain(VALUE);
    });
  });

  it('says which secret is missing, and whom it refuses', () =>
    onMachine(machine.withKeys(), async (app) => {
      const missing = await makeReference(app, input(byKey, 'prod/nothing'));
      expect(await testReference(app, missing.id)).toMatchObject({
        outcome: 'missing',
        message: 'AWS Secrets Manager has no such secret (ResourceNotFoundException).',
      });
      const wrong = { ...byKey, aws_secret_access_key: 'another+secret/0123456789' };
      const refused = await makeReference(app, input(wrong));
      expect(await testReference(app, refused.id)).toMatchObject({
        outcome: 'denied',
        message: 'AWS Secrets Manager does not give this secret (InvalidSignatureException).',
      });
      const stranger = await makeReference(app, input({ ...byRole, aws_external_id: 'of-others' }));
      expect(await testReference(app, stranger.id)).toMatchObject({ outcome: 'denied' });
    }));
});

describe('Azure Key Vault', () => {
  const entra = {
    azure_auth_mode: 'entra',
    azure_entra_tenant_id: azure.TENANT,
    azure_entra_client_id: azure.CLIENT_ID,
    azure_entra_client_secret: azure.CLIENT_SECRET,
  };
  const input = (authConfig: object, secretPath = 'openai') => ({
    name: 'Azure',
    managerType: 'azure_kv',
    authConfig: { ...authConfig, azure_vault_url: origin },
    secretPath,
  });
  beforeEach(() =>
    server.play(
      azure.azureScript(
        new Map([
          ['openai', VALUE],
          ['openai/0123abcd', 'older'],
        ]),
      ),
    ),
  );

  it.each([
    ['with a client secret', machine.plain, entra],
    [
      'as a managed identity',
      machine.withKeys,
      { azure_auth_mode: 'managed', azure_managed_client_id: azure.CLIENT_ID },
    ],
    ["as the machine's application, by its secret", machine.withContainer, { azure_auth_mode: 'default' }],
    ["as the machine's application, by its token", machine.withTokens, { azure_auth_mode: 'default' }],
  ])('is asked %s', (_how, env, authConfig) =>
    onMachine(env(), async (app) => {
      const { id } = await makeReference(app, input(authConfig));
      expect(await testReference(app, id)).toMatchObject({ ...found, members: [] });
      const older = await makeReference(app, input(authConfig, 'openai/0123abcd'));
      expect(await testReference(app, older.id)).toMatchObject(found);
      const missing = await makeReference(app, input(authConfig, 'nothing'));
      expect(await testReference(app, missing.id)).toMatchObject({ outcome: 'missing' });
    }),
  );

  it('says that Entra issues no token', () =>
    onMachine({}, async (app) => {
      const { id } = await makeReference(app, input({ ...entra, azure_entra_client_secret: 'wrong' }));
      expect(await testReference(app, id)).toMatchObject({
        outcome: 'denied',
        message: 'Entra issued no token (status 401).',
      });
    }));
});

describe('Vault and OpenBao', () => {
  let engine: vault.VaultServer;
  const byToken = { vault_auth_type: 'token', vault_token: vault.TOKEN };
  const byRole = {
    vault_auth_type: 'approle',
    vault_role_id: vault.ROLE_ID,
    vault_secret_id: vault.SECRET_ID,
  };
  const input = (authConfig: object, secretPath = 'secret/data/openai') => ({
    name: 'Vault',
    managerType: 'hashicorp_vault',
    authConfig: { ...authConfig, vault_addr: origin },
    secretPath,
  });
  beforeEach(() => {
    engine = vault.vaultServer();
    engine.secrets.set('secret/openai', { key: VALUE });
    engine.secrets.set('kv1/openai', { key: VALUE });
    server.play(engine.script);
  });

  it.each([
    ['with a token', byToken],
    ['with AppRole', byRole],
    ['as a pod', { vault_auth_type: 'kubernetes', vault_role: vault.POD_ROLE }],
  ])('are asked %s, for engines of both versions', (_how, authConfig) =>
    onMachine({}, async (app) => {
      for (const path of ['secret/data/openai', 'secret/openai', 'kv1/openai']) {
        const { id } = await makeReference(app, input(authConfig, path));
        expect(await testReference(app, id)).toMatchObject({ ...found, members: ['key'] });
      }
      for (const path of ['secret/data/nothing', 'secret/nothing', 'kv1/nothing']) {
        const { id } = await makeReference(app, input(authConfig, path));
        expect(await testReference(app, id)).toMatchObject({ outcome: 'missing' });
      }
    }),
  );

  it.each(['secret/data/openai', 'secret/openai'])(
    'are asked for %s by whose policy names the path of the API alone',
    (path) =>
      onMachine({}, async (app) => {
        engine.allowed = 'secret/data/openai';
        const { id } = await makeReference(app, input(byRole, path));
        expect(await testReference(app, id)).toMatchObject(found);
        expect(engine.tokens.size).toBe(1);
        const closed = await makeReference(app, input(byToken, 'secret/other'));
        expect(await testReference(app, closed.id)).toMatchObject({
          outcome: 'denied',
          message: 'Vault does not give this secret (status 403).',
        });
      }),
  );

  it.each([
    ['a text', 'key'],
    ['an object', 'object'],
    ['a number', 'number'],
  ])('are found to have the member that is meant, be it %s', (_what, secretKey) =>
    onMachine({}, async (app) => {
      engine.secrets.set('secret/openai', { key: VALUE, object: { of: VALUE }, number: 7 });
      const { id } = await makeReference(app, { ...input(byToken), secretKey });
      expect(await testReference(app, id)).toMatchObject({ ...found, members: ['key', 'object', 'number'] });
      const other = await makeReference(app, { ...input(byToken), secretKey: 'other' });
      expect(await testReference(app, other.id)).toMatchObject({
        outcome: 'missing',
        message: 'The secret has no member "other".',
      });
    }),
  );

  it('are asked in a namespace', () =>
    onMachine({}, async (app) => {
      engine.namespace = 'team-a/';
      const inside = await makeReference(app, input({ ...byRole, vault_namespace: 'team-a/' }));
      expect(await testReference(app, inside.id)).toMatchObject(found);
      const outside = await makeReference(app, input(byToken));
      expect(await testReference(app, outside.id)).toMatchObject({ outcome: 'missing' });
    }));

  it('are logged in at anew when a token ends before its time', () =>
    onMachine({}, async (app) => {
      const { id } = await makeReference(app, input({ ...byRole, vault_namespace: undefined }));
      await testReference(app, id);
      engine.tokens.clear();
      expect(await testReference(app, id)).toMatchObject(found);
      expect(engine.tokens.size).toBe(1);
    }));

  it('refuse a token and a login', () =>
    onMachine({}, async (app) => {
      const token = await makeReference(app, input({ ...byToken, vault_token: 'hvs.wrong' }));
      expect(await testReference(app, token.id)).toMatchObject({
        outcome: 'denied',
        message: 'Vault does not give this secret (status 403).',
      });
      const login = await makeReference(app, input({ ...byRole, vault_secret_id: 'wrong' }));
      expect(await testReference(app, login.id)).toMatchObject({
        outcome: 'denied',
        message: 'Vault refused the login with approle (status 400).',
      });
    }));

  it.each([
    ['an error of its own', 503, {}, 'unreachable', 'Vault answered 503.'],
    ['a redirect', 307, { location: 'http://10.0.0.1/' }, 'unreadable', /a redirect, which is not followed/],
    ['no JSON', 200, {}, 'unreadable', 'Vault answered no secret.'],
  ])('say what is wrong with %s', (_what, status, headers, outcome, message) =>
    onMachine({}, async (app) => {
      const { id } = await makeReference(app, input(byToken));
      server.play((_request, response) => {
        response.writeHead(status, headers).end(`<html>${VALUE}`);
      });
      const result = await testReference(app, id);
      expect(result).toMatchObject({ outcome, message: expect.stringMatching(message) });
      expect(JSON.stringify(result)).not.toContain(VALUE);
    }),
  );

  it('are given up when they are slow, say too much or are not there', () =>
    onMachine({ SECRET_TIMEOUT_MS: '200' }, async (app) => {
      const { id } = await makeReference(app, input(byToken));
      server.play(() => undefined);
      expect(await testReference(app, id)).toMatchObject({
        outcome: 'unreachable',
        message: expect.stringContaining('gave no answer within 200 ms'),
      });
      server.play((_request, response) => {
        response.end(Buffer.alloc(300_000, 'x'));
      });
      expect(await testReference(app, id)).toMatchObject({ outcome: 'unreadable' });
      const gone = { ...byToken, vault_addr: 'http://127.0.0.1:8' };
      const nobody = await makeReference(app, { ...input({}), authConfig: gone });
      expect(await testReference(app, nobody.id)).toMatchObject({
        outcome: 'unreachable',
        message: '127.0.0.1:8 cannot be reached (ECONNREFUSED).',
      });
    }));
});

describe('the identity of the machine', () => {
  const borrowing = {
    name: 'Vault',
    managerType: 'hashicorp_vault',
    secretPath: 'secret/data/openai',
  };

  it('goes nowhere unless the operator says so', () =>
    onMachine({ SECRET_IDENTITY_HOSTS: 'vault.example.com,*.vault.azure.net' }, async (app) => {
      const authConfig = { vault_auth_type: 'kubernetes', vault_role: 'x', vault_addr: origin };
      const { errors } = await app.graphql(
        'mutation ($input: CreateSecretReferenceInput!) { createSecretReference(input: $input) { id } }',
        { input: { ...borrowing, authConfig } },
      );
      expect(errors?.[0]).toMatchObject({
        message: expect.stringContaining('SECRET_IDENTITY_HOSTS does not lend to 127.0.0.1'),
        extensions: { code: 'VALIDATION_FAILED', param: 'input.authConfig.vault_auth_type' },
      });
      await makeReference(app, {
        ...borrowing,
        authConfig: { ...authConfig, vault_addr: 'https://vault.example.com' },
      });
    }));

  it('is told by name where the machine has none', () =>
    onMachine({ KUBERNETES_TOKEN_FILE: join(directory, 'nothing') }, async (app) => {
      const authConfig = { vault_auth_type: 'kubernetes', vault_role: 'x', vault_addr: origin };
      const { id } = await makeReference(app, { ...borrowing, authConfig });
      expect(await testReference(app, id)).toMatchObject({
        outcome: 'denied',
        message: "This machine has no pod's service account: its file cannot be read.",
      });
    }));
});

it('a manager at a private address is not asked unless the operator trusts it', () =>
  onMachine({ TRUSTED_HOSTS: 'elsewhere.example' }, async (app) => {
    server.play(vault.vaultServer().script);
    const authConfig = { vault_auth_type: 'token', vault_token: vault.TOKEN, vault_addr: origin };
    const { id } = await makeReference(app, {
      name: 'Private',
      managerType: 'hashicorp_vault',
      authConfig,
      secretPath: 'secret/data/openai',
    });
    expect(await testReference(app, id)).toMatchObject({
      outcome: 'denied',
      message: expect.stringContaining('private host'),
    });
    expect(server.requests).toEqual([]);
  }));
