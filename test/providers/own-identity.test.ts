import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createOwnIdentity, findProvider } from '../../src/providers/index.ts';
import { readSettings } from '../../src/settings/index.ts';
import { json, type ScriptedProvider, startProvider } from '../support/provider.ts';

// The gateway's own identity in a cloud: the places that give it out are a real server on loopback.

let cloud: ScriptedProvider;
let directory: string;
let tokenFile: string;

beforeAll(async () => {
  cloud = await startProvider();
  directory = await mkdtemp(join(tmpdir(), 'sluice-own-identity-'));
  tokenFile = join(directory, 'token');
  await writeFile(tokenFile, 'token-of-the-cluster\n');
});
afterAll(async () => {
  await cloud.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => cloud.play(json(500, {})));

const origin = () => new URL(cloud.url).origin;
function identityOf(env: Record<string, string>) {
  const { cloudIdentity } = readSettings({ CLOUD_IDENTITY: 'true', ...env }).upstream;
  return cloudIdentity && createOwnIdentity(cloudIdentity);
}

type Credential = { settings: Record<string, string>; env?: Record<string, string> };

/** The headers that a provider's own code adds, as if the request went to its own host. */
async function authorized(id: string, { settings, env }: Credential, at = 'https://res.openai.azure.com') {
  const identity = env ? identityOf(env) : null;
  const request = { method: 'POST', origin: at, path: '/x', headers: {} as any, body: Buffer.from('{}') };
  const nobody = () => Promise.reject(new Error('The way of callers is not for identities.'));
  await findProvider(id)?.authorize(request, { key: 'unused', settings, identity }, nobody as never);
  return request.headers;
}

const queryOf = (index = 0) =>
  Object.fromEntries(new URL(`http://x${cloud.requests[index]?.url}`).searchParams);
const formOf = (index = 0) => Object.fromEntries(new URLSearchParams(String(cloud.requests[index]?.body)));
const version = { azure_api_version: '2024-10-21' };

describe('Azure', () => {
  test('a managed identity of the machine is asked for once, by its client id', async () => {
    cloud.play(json(200, { access_token: 'managed-1', expires_on: String(Date.now() / 1000 + 3600) }));
    const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: origin() };
    const settings = { ...version, azure_auth_mode: 'managed', azure_managed_client_id: 'client-1' };
    expect((await authorized('azure-openai', { settings, env })).authorization).toBe('Bearer managed-1');
    expect(cloud.requests[0]).toMatchObject({ method: 'GET', headers: { metadata: 'true' } });
    expect(queryOf()).toEqual({
      'api-version': '2018-02-01',
      resource: 'https://cognitiveservices.azure.com',
      client_id: 'client-1',
    });
    const identity = identityOf(env);
    const ask = () => identity?.managedToken('https://cognitiveservices.azure.com', undefined);
    expect(await Promise.all([ask(), ask()])).toEqual(['managed-1', 'managed-1']);
    expect(cloud.requests).toHaveLength(2);
  });

  test('a managed identity of an app service is asked for with its header', async () => {
    cloud.play(json(200, { access_token: 'app-1', expires_in: '3600' }));
    const env = { IDENTITY_ENDPOINT: `${origin()}/msi/token`, IDENTITY_HEADER: 'shown' };
    const settings = { ...version, azure_auth_mode: 'managed' };
    const headers = await authorized('azure-ai', { settings, env }, 'https://me.services.ai.azure.com');
    expect(headers.authorization).toBe('Bearer app-1');
    expect(cloud.requests[0]?.headers['x-identity-header']).toBe('shown');
    expect(queryOf()).toEqual({
      'api-version': '2019-08-01',
      resource: 'https://cognitiveservices.azure.com',
    });
  });

  test('a workload identity shows the token in its file', async () => {
    cloud.play(json(200, { access_token: 'workload-1', expires_in: 3600 }));
    const env = {
      AZURE_AUTHORITY_HOST: `${origin()}/`,
      AZURE_FEDERATED_TOKEN_FILE: tokenFile,
      AZURE_TENANT_ID: 'tenant-of-the-cluster',
      AZURE_CLIENT_ID: 'client-of-the-cluster',
    };
    const own = { ...version, azure_auth_mode: 'workload' };
    expect((await authorized('azure-openai', { settings: own, env })).authorization).toBe(
      'Bearer workload-1',
    );
    expect(cloud.requests[0]?.url).toBe('/tenant-of-the-cluster/oauth2/v2.0/token');
    expect(formOf()).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-of-the-cluster',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'token-of-the-cluster',
      scope: 'https://cognitiveservices.azure.com/.default',
    });
    const other = { ...own, azure_workload_tenant_id: 'other', azure_workload_client_id: 'app' };
    await authorized('azure-openai', { settings: other, env });
    expect(cloud.requests[1]?.url).toBe('/other/oauth2/v2.0/token');
    expect(formOf(1).client_id).toBe('app');
  });

  test('an application that trusts a managed identity is issued a token for that', async () => {
    cloud.play(
      json(200, { access_token: 'proof', expires_in: '3600' }),
      json(200, { access_token: 'federated-1', expires_in: 3600 }),
    );
    const env = { AZURE_AUTHORITY_HOST: origin(), AZURE_POD_IDENTITY_AUTHORITY_HOST: origin() };
    const settings = {
      ...version,
      azure_auth_mode: 'entraFederated',
      azure_entra_tenant_id: 'customer',
      azure_entra_client_id: 'app',
      azure_managed_client_id: 'mine',
    };
    expect((await authorized('azure-openai', { settings, env })).authorization).toBe('Bearer federated-1');
    expect(queryOf()).toMatchObject({ resource: 'api://AzureADTokenExchange', client_id: 'mine' });
    expect(cloud.requests[1]?.url).toBe('/customer/oauth2/v2.0/token');
    expect(formOf(1)).toMatchObject({ client_id: 'app', client_assertion: 'proof' });
  });

  test.each([
    'https://attacker.test',
    'https://openai.azure.com.attacker.test',
    'https://x.cloudapp.azure.com',
    'http://res.openai.azure.com',
  ])('none goes to %s', async (at) => {
    const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: origin() };
    const settings = { ...version, azure_auth_mode: 'managed' };
    await expect(authorized('azure-ai', { settings, env }, at)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'azure_foundry_url',
    });
    expect(cloud.requests).toEqual([]);
  });

  test.each([
    ['a refusal', json(403, { error: 's3cret' }), 'status 403'],
    ['something else', json(200, { token: 's3cret' }), 'did not answer'],
  ])('%s is said without what it holds', async (_what, script, message) => {
    cloud.play(script);
    const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: origin() };
    const settings = { ...version, azure_auth_mode: 'managed' };
    const error = await authorized('azure-openai', { settings, env }).catch((reason: Error) => reason);
    expect(error).toMatchObject({
      code: 'PROVIDER_UNREACHABLE',
      message: expect.stringContaining(message),
    });
    expect(String(error)).not.toContain('s3cret');
  });
});

describe('AWS', () => {
  const settings = { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' };
  const at = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
  const given = {
    AccessKeyId: 'ASIAOWNOWNOWNOWNOWN1',
    SecretAccessKey: 'secret-of-the-role',
    Token: 'session-of-the-role',
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const expectSigned = (headers: any) => {
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=ASIAOWNOWNOWNOWNOWN1\/\d{8}\/eu-central-1\/bedrock\/aws4_request/,
    );
    expect(headers['x-amz-security-token']).toBe('session-of-the-role');
  };

  test('the role of a service account gives keys for its token', async () => {
    const { Token: SessionToken, ...keys } = given;
    const result = { Credentials: { ...keys, SessionToken } };
    cloud.play(json(200, { AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: result } }));
    const env = {
      AWS_ENDPOINT_URL_STS: origin(),
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
      AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    };
    expectSigned(await authorized('bedrock', { settings, env }, at));
    expect(formOf()).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: env.AWS_ROLE_ARN,
      WebIdentityToken: 'token-of-the-cluster',
    });
  });

  test('a container is given its keys for the token in its file', async () => {
    cloud.play(json(200, given));
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin()}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
    };
    expectSigned(await authorized('bedrock', { settings, env }, at));
    expect(cloud.requests[0]).toMatchObject({
      url: '/v1/credentials',
      headers: { authorization: 'token-of-the-cluster' },
    });
  });

  test('a machine opens a session with its metadata', async () => {
    cloud.play((request, response, raw) => {
      if (request.method === 'PUT') return void response.end('session-token');
      if (request.headers['x-aws-ec2-metadata-token'] !== 'session-token')
        return json(401, {})(request, response, raw);
      if (request.url.endsWith('/security-credentials/')) return void response.end('my-role');
      return json(200, given)(request, response, raw);
    });
    const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: origin() };
    expectSigned(await authorized('bedrock', { settings, env }, at));
    expect(cloud.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/my-role',
    ]);
  });
});

test.each([
  ['azure-openai', { ...version, azure_auth_mode: 'managed' }, 'azure_auth_mode'],
  ['azure-openai', { ...version, azure_auth_mode: 'workload' }, 'azure_auth_mode'],
  ['azure-openai', { ...version, azure_auth_mode: 'entraFederated' }, 'azure_auth_mode'],
  ['bedrock', { aws_auth_type: 'serviceRole' }, 'aws_auth_type'],
])('%s with %j is refused where nothing is lent', async (id, settings, param) => {
  await expect(authorized(id, { settings: settings as never })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    param,
  });
  expect(readSettings({}).upstream.cloudIdentity).toBeNull();
});
