import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isSecretName,
  REDACTED,
  redact,
  redactJsonText,
  redactQuery,
  redactText,
} from '../../src/lib/redaction.ts';

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
    [
      'one behind an escape of JSON',
      `{"k":"mine:\\n${key}\\u00e9${key}"}`,
      `{"k":"mine:\\n${REDACTED}\\u00e9${REDACTED}"}`,
    ],
    ['one behind an escape of a URL', `/x?q=it%20${key}%0A`, `/x?q=it%20${REDACTED}%0A`],
    ['a bearer in a URL', 'q=Bearer%20abc.def-ghi_jkl&p=1', `q=${REDACTED}&p=1`],
    ['ordinary words', 'the task-force asks for sk-8 bearers', 'the task-force asks for sk-8 bearers'],
  ])('%s', (_name, text, expected) => expect(redactText(text)).toBe(expected));
});

describe('query strings and forms', () => {
  test.each([
    ['key=a&x=1', `key=${REDACTED}&x=1`],
    ['x=1&client_secret=a=b&%6bey=c', `x=1&client_secret=${REDACTED}&%6bey=${REDACTED}`],
    ['?api_key=a', `?api_key=${REDACTED}`],
    ['monkey=1&max_tokens=2&key', 'monkey=1&max_tokens=2&key'],
    ['', ''],
  ])('%s', (query, expected) => expect(redactQuery(query)).toBe(expected));
});

describe('JSON text', () => {
  test.each([
    ['{"api_key":"a","model":"m"}', `{"api_key":"${REDACTED}","model":"m"}`],
    [
      '{"a":{"clientSecret" : "a"},"password":\n"b"}',
      `{"a":{"clientSecret" : "${REDACTED}"},"password":\n"${REDACTED}"}`,
    ],
    ['{"token":"with \\" and \\\\","b":1}', `{"token":"${REDACTED}","b":1}`],
    ['{"authorization":"cut \\', `{"authorization":"${REDACTED}\\`],
    ['{"x":1,"secret":"cut', `{"x":1,"secret":"${REDACTED}`],
    ['{"secret":"a \\"api_key\\": \\"b\\"","x":"y"}', `{"secret":"${REDACTED}","x":"y"}`],
    ['{"key":"color","max_tokens":"5","token":null}', '{"key":"color","max_tokens":"5","token":null}'],
    ['{"content":"\\"password\\": \\"said\\""}', '{"content":"\\"password\\": \\"said\\""}'],
  ])('%s', (text, expected) => expect(redactJsonText(text)).toBe(expected));

  test('stays the same JSON beside the secrets, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), fc.nat(), (value, cut) => {
        const text = JSON.stringify({ before: value, password: 'planted-word "quoted" \\', after: value });
        const whole = JSON.parse(redactJsonText(text));
        expect(whole).toEqual({ ...JSON.parse(text), password: REDACTED });
        expect(redactJsonText(text.slice(0, cut % text.length))).not.toContain('planted-word');
      }),
    );
  });
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

  test('names of members that are secrets themselves', () => {
    expect(redact({ 'sk-abcdefghijklmnopqrst': 1 })).toEqual({ [REDACTED]: 1 });
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
