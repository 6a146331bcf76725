import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSecretName, REDACTED, redact, redactText } from '../../src/lib/redaction.ts';

describe('names of secrets', () => {
  test.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'api-key',
    'x-gateway-api-key',
    'x-goog-api-key',
    'ocp-apim-subscription-key',
    'x-auth-token',
    'x-amz-security-token',
    'x-gateway-azure-ad-token',
    'x-gateway-azure-entra-client-secret',
    'x-gateway-aws-secret-access-key',
    'x-gateway-aws-session-token',
    'x-gateway-vertex-service-account-json',
    'x-gateway-oracle-private-key',
    'x-gateway-oracle-key-passphrase',
    'key',
    'secret',
    'password',
    'passphrase',
    'api_key',
    'apiKey',
    'APIKEY',
    'openaiApiKey',
    'client_secret',
    'clientSecret',
    'azureEntraClientSecret',
    'access_token',
    'accessToken',
    'refresh_token',
    'id_token',
    'private_key',
    'privateKey',
    'aws_secret_access_key',
    'awsSecretAccessKey',
    'aws_session_token',
    'vertex_service_account_json',
    'vertexServiceAccountJson',
    'db_password',
    'token',
    'credentials',
  ])('%s is one', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    'content-type',
    'model',
    'max_tokens',
    'maxTokens',
    'prompt_tokens',
    'x-ratelimit-remaining-tokens',
    'virtual_key',
    'keys',
    'keyboard',
    'monkey',
    'name',
    'x-gateway-metadata',
    'tokenizer',
    'author',
    'secretary',
  ])('%s is none', (name) => expect(isSecretName(name)).toBe(false));
});

describe('texts', () => {
  const key = `sl-${'A1b2'.repeat(10)}`;

  test.each([
    ['a gateway key', `key ${key}.`, `key ${REDACTED}.`],
    ['a provider key', 'sk-proj-abcdefghijklmnop1234 end', `${REDACTED} end`],
    ['a bearer', 'Authorization: Bearer abc.def-ghi_jkl', `Authorization: ${REDACTED}`],
    ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', REDACTED],
    ['two of them', `${key} ${key}`, `${REDACTED} ${REDACTED}`],
    ['one in JSON', `{"k":"${key}"}`, `{"k":"${REDACTED}"}`],
    ['ordinary words', 'the task-force asks for sk-8 bearers', 'the task-force asks for sk-8 bearers'],
  ])('%s', (_name, text, expected) => expect(redactText(text)).toBe(expected));
});

describe('values', () => {
  test('members by name and by content, at any depth', () => {
    expect(
      redact({
        headers: { authorization: 'Basic x', accept: '*/*' },
        list: [{ api_key: 'short' }, 'sk-abcdefghijklmnopqrst'],
        token: null,
        at: new Date(0),
        bytes: Buffer.from('secret bytes'),
        count: 3,
      }),
    ).toEqual({
      headers: { authorization: REDACTED, accept: '*/*' },
      list: [{ api_key: REDACTED }, REDACTED],
      token: null,
      at: new Date(0),
      bytes: '<12 bytes>',
      count: 3,
    });
  });

  test('errors with their causes', () => {
    const error = new Error('no Bearer abcdefghijkl', { cause: new Error('sk-abcdefghijklmnopqrst') });
    const text = JSON.stringify(redact({ error }));
    expect(text).toContain(REDACTED);
    expect(text).not.toMatch(/abcdefgh/);
  });

  test('rings end', () => {
    const ring: Record<string, unknown> = {};
    ring.self = ring;
    expect(JSON.stringify(redact(ring))).toContain(REDACTED);
  });

  test('a planted key is found wherever it stands, and the value is left as it was', () => {
    const key = `sl-${'q7Rt'.repeat(8)}`;
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.array(fc.string(), { maxLength: 4 }), (value, path) => {
        let planted: unknown = `before ${key} after`;
        for (const step of path) planted = { [step]: planted, list: [planted] };
        const whole = { value, planted };
        const before = structuredClone(whole);
        expect(JSON.stringify(redact(whole) ?? null)).not.toContain(key);
        expect(whole).toEqual(before);
      }),
    );
  });
});
