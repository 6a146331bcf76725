import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { findProvider, type UnsignedRequest } from '../../src/providers/index.ts';

// Credentials that a provider first exchanges for another one, without an app: the exchange is a scripted fetch.

const unsigned = (): UnsignedRequest => ({
  method: 'POST',
  origin: 'https://provider.test',
  path: '/path',
  headers: {},
  body: Buffer.from('{}'),
});

async function authorized(
  provider: string,
  credential: { key?: string | null; settings?: object },
  send: unknown,
) {
  const request = unsigned();
  const { key = null, settings = {} } = credential;
  await findProvider(provider)?.authorize(request, { key, settings: { ...settings } }, send as typeof fetch);
  return request.headers;
}

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
let accounts = 0;
const serviceAccount = (more: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'my-project',
    private_key: privateKey,
    client_email: `caller-${++accounts}@my-project.iam.gserviceaccount.com`,
    // Whoever writes the JSON does not choose where it is sent.
    token_uri: 'https://attacker.test/token',
    ...more,
  });

describe('a service account of Google', () => {
  const google = (expiresIn: number, sent: string[] = []) =>
    async function send(url: string) {
      sent.push(String(url));
      return Response.json({
        access_token: `token-${sent.length}`,
        expires_in: expiresIn,
        token_type: 'Bearer',
      });
    };

  test('is asked for one token, which serves until shortly before it expires', async () => {
    for (const [expiresIn, tokens] of [
      [3600, ['Bearer token-1', 'Bearer token-1', 'Bearer token-1']],
      [60, ['Bearer token-1', 'Bearer token-1', 'Bearer token-2']],
    ] as const) {
      const sent: string[] = [];
      const send = google(expiresIn, sent);
      const settings = { vertex_service_account_json: serviceAccount() };
      const ask = async () => (await authorized('vertex-ai', { settings }, send)).authorization;
      const together = await Promise.all([ask(), ask()]);
      expect([...together, await ask()]).toEqual(tokens);
      expect(new Set(sent)).toEqual(new Set(['https://oauth2.googleapis.com/token']));
    }
  });

  test('may also be the key itself, and a key that is none is the token', async () => {
    const asKey = await authorized('vertex-ai', { key: serviceAccount() }, google(3600));
    expect(asKey.authorization).toBe('Bearer token-1');
    const asToken = await authorized('vertex-ai', { key: 'ya29.token' }, null);
    expect(asToken.authorization).toBe('Bearer ya29.token');
    const settings = { vertex_auth_type: 'basic', vertex_service_account_json: serviceAccount() };
    const told = await authorized('vertex-ai', { key: 'ya29.token', settings }, null);
    expect(told.authorization).toBe('Bearer ya29.token');
  });

  test.each<[string, string, () => Promise<Response>]>([
    ['is not a JSON object', '{"private_key": "s3cret', async () => Response.json({})],
    ['client_email', JSON.stringify({ private_key: 's3cret' }), async () => Response.json({})],
    [
      'refused by Google (status 400)',
      serviceAccount(),
      async () => Response.json({ error: 'invalid_grant', error_description: 's3cret' }, { status: 400 }),
    ],
    ['private_key', serviceAccount({ private_key: 's3cret' }), async () => Response.json({})],
    [
      'cannot be reached',
      serviceAccount(),
      async () => {
        throw new TypeError('fetch failed');
      },
    ],
  ])('that does not work says why: %s', async (message, text, send) => {
    const failed = authorized('vertex-ai', { settings: { vertex_service_account_json: text } }, send);
    const error = await failed.then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain('s3cret');
  });
});

describe('a role of AWS', () => {
  const settings = {
    aws_access_key_id: 'AKIDEXAMPLEAKIDEXAMPLE',
    aws_secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    aws_role_arn: 'arn:aws:iam::123456789012:role/caller',
    aws_external_id: 'external',
    aws_region: 'eu-central-1',
  };
  const keys = {
    AccessKeyId: 'ASIAROLEROLEROLEROLE',
    SecretAccessKey: 'secret-of-the-role',
    SessionToken: 'session',
  };
  const assumed = { AssumeRoleResponse: { AssumeRoleResult: { Credentials: keys } } };

  test('is taken on once, and its keys sign', async () => {
    const sent: { url: string; body: string; headers: any }[] = [];
    const send = async (url: string, { body, headers }: any) => {
      sent.push({ url, body: String(body), headers });
      return Response.json(assumed);
    };
    const [first] = await Promise.all([
      authorized('bedrock', { settings }, send),
      authorized('bedrock', { settings }, send),
    ]);
    expect(first?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=ASIAROLEROLEROLEROLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request/,
    );
    expect(first?.['x-amz-security-token']).toBe('session');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toBe('https://sts.eu-central-1.amazonaws.com/');
    expect(Object.fromEntries(new URLSearchParams(sent[0]?.body))).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: settings.aws_role_arn,
      ExternalId: 'external',
    });
    expect(sent[0]?.headers.authorization).toContain('/eu-central-1/sts/aws4_request');
  });

  test.each<[string, object, () => Promise<Response>]>([
    [
      'status 403',
      { ...settings, aws_external_id: 'wrong' },
      async () => new Response('<x/>', { status: 403 }),
    ],
    [
      'aws_secret_access_key',
      { aws_access_key_id: settings.aws_access_key_id },
      async () => Response.json({}),
    ],
  ])('that cannot be taken on says why: %s', async (message, chosen, send) => {
    await expect(authorized('bedrock', { settings: chosen }, send)).rejects.toThrow(message);
  });
});

test.each([
  ['aws_region', 'eu-central-1', 'evil.example.com/'],
  ['aws_role_arn', 'arn:aws:iam::123456789012:role/x', 'role'],
  ['aws_auth_type', 'serviceRole', 'anybody'],
  ['vertex_region', 'europe-west4', 'a.b'],
  ['vertex_project_id', 'my-project', '../x'],
  ['anthropic_beta', 'one,two', 'one\r\nx: y'],
  ['anthropic_version', '2023-06-01', 'a b'],
])('%s takes %s and not %j', (name, good, bad) => {
  const owner = ['anthropic', 'bedrock', 'vertex-ai']
    .map(findProvider)
    .find((found) => found?.settings[name]);
  const pattern = owner?.settings[name]?.pattern as RegExp;
  expect([pattern.test(good), pattern.test(bad)]).toEqual([true, false]);
});

test('no provider goes to a host that its settings do not spell properly', () => {
  for (const [provider, settings] of [
    ['bedrock', { aws_region: 'evil.test/' }],
    ['vertex-ai', { vertex_region: 'evil.test/' }],
    ['vertex-ai', {}],
  ] as const) {
    const { baseUrl } = findProvider(provider) ?? {};
    expect(typeof baseUrl === 'function' && baseUrl(settings)).toBeNull();
  }
});

describe('an application of Microsoft Entra', () => {
  let applications = 0;
  const application = (more: object = {}) => ({
    azure_auth_mode: 'entra',
    azure_entra_tenant_id: 'tenant-1',
    azure_entra_client_id: `client-${++applications}`,
    azure_entra_client_secret: 's3cret',
    azure_api_version: '2024-10-21',
    ...more,
  });

  test.each(['azure-openai', 'azure-ai'])(
    'is issued one token for %s, which serves until it expires',
    async (id) => {
      const sent: [string, string][] = [];
      async function send(url: string, { body }: RequestInit) {
        sent.push([url, String(body)]);
        return Response.json({ access_token: `token-${sent.length}`, expires_in: 3600 });
      }
      const settings = application();
      const ask = async () => (await authorized(id, { key: 'unused', settings }, send)).authorization;
      expect(await Promise.all([ask(), ask()])).toEqual(['Bearer token-1', 'Bearer token-1']);
      expect(await ask()).toBe('Bearer token-1');
      expect(sent).toEqual([
        [
          'https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token',
          `grant_type=client_credentials&client_id=${settings.azure_entra_client_id}&client_secret=s3cret&scope=https%3A%2F%2Fcognitiveservices.azure.com%2F.default`,
        ],
      ]);
    },
  );

  test.each<[string, string, object, () => Promise<Response>]>([
    ['VALIDATION_FAILED', 'status 401', {}, async () => Response.json({ error: 's3cret' }, { status: 401 })],
    [
      'VALIDATION_FAILED',
      'azure_entra_tenant_id',
      { azure_entra_tenant_id: undefined },
      async () => Response.json({}),
    ],
    ['PROVIDER_UNREACHABLE', 'cannot be reached', {}, () => Promise.reject(new Error('s3cret'))],
  ])('is refused as %s where %s, without showing its secret', async (code, message, more, send) => {
    const refused = await authorized('azure-openai', { settings: application(more) }, send).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code, message: expect.stringContaining(message) });
    expect((refused as Error).message).not.toContain('s3cret');
  });
});
