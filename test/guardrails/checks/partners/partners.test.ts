import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { partnerChecks } from '../../../../src/guardrails/checks/partners/index.ts';
import { edited, type Given, problemsOf, run } from '../checked.ts';
import { type Loopback, networkServices, startLoopback } from '../loopback.ts';
import { type Exchange, TEXT } from './exchange.ts';
import { exchanges } from './exchanges.ts';

let service: Loopback;
let services: ReturnType<typeof networkServices>;
beforeAll(async () => {
  service = await startLoopback();
  services = networkServices(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  service.received.length = 0;
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const serviceAccountKey = JSON.stringify({
  client_email: 'guard@project.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
});

/** Google's tokens are asked for at another address. */
const answering = (body: unknown, status = 200) => {
  service.answer = ({ path }) =>
    path === '/token' ? { body: { access_token: 'google-token', expires_in: 3599 } } : { status, body };
};

const parametersOf = ({ parameters }: Exchange): Record<string, unknown> =>
  'serviceAccountKey' in parameters ? { ...parameters, serviceAccountKey } : parameters;

const givenOf = ({ phase = 'output' }: Exchange): Given => ({
  text: TEXT,
  phase,
  call: { request: { messages: [{ role: 'user', content: TEXT }] }, requestText: () => 'asked' },
});

const asked = (exchange: Exchange, more: object = {}) =>
  run(exchange.id, { ...parametersOf(exchange), ...more }, givenOf(exchange), services);

const rows = exchanges.map((exchange) => [exchange.id, exchange] as const);

test.each(rows)('%s asks as documented and reads the answer', async (_id, exchange) => {
  answering(exchange.good);
  expect(await asked(exchange)).toEqual({ verdict: true, data: { reasons: [] } });
  const request = service.received.find(({ path }) => path !== '/token');
  expect([request?.method, request?.headers['x-meant-for'], request?.path]).toEqual([
    'POST',
    exchange.origin,
    exchange.path,
  ]);
  expect(request?.headers).toMatchObject({ 'content-type': 'application/json', ...exchange.headers });
  expect(JSON.parse(request?.body ?? '')).toEqual(exchange.body);
  answering(exchange.bad);
  expect(await asked(exchange)).toEqual({ verdict: false, data: { reasons: exchange.reasons } });
});

test.each(rows)('%s makes an error of every answer that is none', async (_id, exchange) => {
  for (const [body, status] of [
    [{}, 200],
    [[], 200],
    ['<html>', 200],
    [{ message: 'no' }, 200],
    [exchange.good, 401],
    [exchange.good, 500],
  ] as const) {
    answering(body, status);
    await expect(asked(exchange)).rejects.toThrow();
  }
});

test('every partner has an exchange', () => {
  const tested = new Set(exchanges.map(({ id }) => id));
  // Their exchanges have another form; tests of their own have them.
  const others = [
    ...['presidio.analyze', 'azure.protectedMaterial', 'alibaba-cloud-ai'],
    ...['qualifire.toolUseQuality', 'exa.online', 'tavily'],
  ];
  const untested = partnerChecks.filter(({ id }) => !tested.has(id) && !others.includes(id));
  expect(untested.map(({ id }) => id)).toEqual([]);
});

test.each(rows.filter(([, { parameters }]) => 'apiKey' in parameters))(
  '%s refuses to be without a key',
  (id, exchange) => {
    const { apiKey: _key, ...parameters } = exchange.parameters;
    if (id === 'http.generic') return;
    expect(problemsOf(id, parameters)).toEqual([expect.stringMatching(/^apiKey: /)]);
    expect(problemsOf(id, { ...exchange.parameters, timeout: 0 })).toEqual([
      expect.stringMatching(/^timeout: /),
    ]);
  },
);

test.each<[string, object, RegExp]>([
  ['azure.pii', { apiKey: 'k' }, /^resourceName: resourceName or customHost is needed/],
  [
    'azure.contentSafety',
    { apiKey: 'k', resourceName: 'evil.example/' },
    /^resourceName: is no part of a host/,
  ],
  ['bedrock.guard', { guardrailId: '../x' }, /^guardrailId: /],
  ['bedrock.guard', { awsRegion: 'evil.example' }, /^awsRegion: is no region/],
  ['google.modelArmor', { projectId: 'a/b' }, /^projectId: /],
  ['pangea.pii', { domain: 'a/b' }, /^domain: /],
  ['panw-prisma-airs.intercept', { apiKey: 'k' }, /^profile_name: profile_name or profile_id is needed/],
  ['acuvity.scan', { apiKey: 'k', domain: 'a.example', pii: false }, /^prompt_injection: .* is needed/],
  ['http.generic', { apiBase: 'http://169.254.169.254' }, /^apiBase: /],
])('%s refuses %j', (id, parameters, problem) => {
  expect(problemsOf(id, parameters)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
});

describe('what a partner finds', () => {
  const text = 'Ann (ann@b.io) and Ann';
  const redacted = async (id: string, parameters: object, answer: unknown) => {
    answering(answer);
    const given: Given = { texts: [text] };
    const finding = await run(id, { ...parameters, redact: true }, given, services);
    return [finding.verdict, ...edited(given, finding)];
  };
  const key = { apiKey: 'k' };

  test.each<[string, object, unknown, [boolean, string]]>([
    [
      'azure.pii',
      { ...key, resourceName: 'r' },
      {
        results: {
          documents: [
            {
              entities: [
                { category: 'Person', offset: 0, length: 3 },
                { category: 'Email', offset: 5, length: 8 },
              ],
            },
          ],
          errors: [],
        },
      },
      [true, '{{PERSON_1}} ({{EMAIL_1}}) and Ann'],
    ],
    [
      'lakera',
      key,
      {
        flagged: true,
        breakdown: [{ detector_type: 'pii/name', detected: true }],
        payload: [{ start: 0, end: 3, text: 'Ann', detector_type: 'pii/name', message_id: 0 }],
      },
      [true, '{{NAME_1}} (ann@b.io) and {{NAME_1}}'],
    ],
    [
      'lakera',
      key,
      { flagged: true, breakdown: [{ detector_type: 'prompt_attack', detected: true }], payload: [] },
      [false, text],
    ],
    [
      'bedrock.guard',
      exchanges.find(({ id }) => id === 'bedrock.guard')?.parameters ?? {},
      {
        action: 'GUARDRAIL_INTERVENED',
        outputs: [{ text: '{NAME} (ann@b.io) and {NAME}' }],
        assessments: [
          {
            sensitiveInformationPolicy: {
              piiEntities: [{ type: 'NAME', match: 'Ann', action: 'ANONYMIZED' }],
            },
          },
        ],
      },
      [true, '{NAME} (ann@b.io) and {NAME}'],
    ],
    [
      'bedrock.guard',
      exchanges.find(({ id }) => id === 'bedrock.guard')?.parameters ?? {},
      exchanges.find(({ id }) => id === 'bedrock.guard')?.bad,
      [false, text],
    ],
    [
      'pangea.pii',
      { ...key, domain: 'a.b' },
      { status: 'Success', result: { count: 2, redacted_data: ['<P> and <P>'] } },
      [true, '<P> and <P>'],
    ],
    [
      'f5-guardrails.scan',
      { ...key, projectId: 'p' },
      { redactedInput: '** and **', result: { outcome: 'redacted' } },
      [true, '** and **'],
    ],
    [
      'http.generic',
      { apiBase: 'https://g.example' },
      { action: 'GUARDRAIL_INTERVENED', texts: ['x'] },
      [true, 'x'],
    ],
    ['http.generic', { apiBase: 'https://g.example' }, { action: 'BLOCKED' }, [false, text]],
    [
      'presidio.analyze',
      { url: 'https://presidio.example' },
      [{ entity_type: 'PERSON', start: 19, end: 22, score: 1 }],
      [true, 'Ann (ann@b.io) and {{PERSON_1}}'],
    ],
  ])('%s is replaced where that is asked for', async (id, parameters, answer, expected) => {
    expect(await redacted(id, parameters, answer)).toEqual(expected);
  });

  it('is a failure where it is not', async () => {
    answering([{ entity_type: 'PERSON', start: 0, end: 3, score: 1 }]);
    const finding = await run('presidio.analyze', { url: 'https://presidio.example' }, { text }, services);
    expect([finding.verdict, finding.data]).toEqual([false, { detected: { PERSON: 1 }, redact: false }]);
  });
});

describe('azure.protectedMaterial', () => {
  const parameters = { apiKey: 'k', resourceName: 'r' };
  const long = 'words of a song '.repeat(10);

  it('asks about texts that are long enough', async () => {
    answering({ protectedMaterialAnalysis: { detected: true } });
    expect((await run('azure.protectedMaterial', parameters, { text: long }, services)).verdict).toBe(false);
    expect(service.received[0]?.path).toBe(
      '/contentsafety/text:detectProtectedMaterial?api-version=2024-09-01',
    );
    answering({ protectedMaterialAnalysis: { detected: false } });
    expect((await run('azure.protectedMaterial', parameters, { text: long }, services)).verdict).toBe(true);
    expect((await run('azure.protectedMaterial', parameters, { text: 'short' }, services)).verdict).toBe(
      true,
    );
    expect(service.received).toHaveLength(2);
  });

  it('makes an error of an answer that is none', async () => {
    answering({});
    await expect(run('azure.protectedMaterial', parameters, { text: long }, services)).rejects.toThrow();
  });
});

describe('requests', () => {
  it('are signed for AWS', async () => {
    const exchange = exchanges.find(({ id }) => id === 'bedrock.guard') as Exchange;
    answering(exchange.good);
    await asked(exchange);
    expect(service.received[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=id-1\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/,
    );
  });

  it('take an exception of AWS in an answer with status 200 for an error', async () => {
    answering({ Output: { __type: 'com.amazon.coral.service#UnknownOperationException' }, Version: '1.0' });
    const exchange = exchanges.find(({ id }) => id === 'bedrock.guard') as Exchange;
    await expect(asked(exchange)).rejects.toThrow('without an action');
  });

  it('take a filter of Google that did not run for an error', async () => {
    const exchange = exchanges.find(({ id }) => id === 'google.modelArmor') as Exchange;
    answering({ sanitizationResult: { filterMatchState: 'NO_MATCH_FOUND', invocationResult: 'PARTIAL' } });
    await expect(asked(exchange)).rejects.toThrow('Not all filters');
  });

  it('go out piece by piece, of which one that is bad is enough', async () => {
    service.answer = ({ body }) => {
      const { text } = JSON.parse(body) as { text: string };
      return { body: { categoriesAnalysis: [{ category: 'Hate', severity: text.includes('bad') ? 4 : 0 }] } };
    };
    const parameters = { apiKey: 'k', resourceName: 'r' };
    const text = `${'good '.repeat(3_000)}bad`;
    expect((await run('azure.contentSafety', parameters, { text }, services)).verdict).toBe(false);
    expect(service.received.map(({ body }) => (JSON.parse(body) as { text: string }).text.length)).toEqual([
      10_000, 5_203,
    ]);
    await expect(run('azure.contentSafety', parameters, { text: 'x'.repeat(1e6) }, services)).rejects.toThrow(
      'too long',
    );
  });

  it('are not made about nothing', async () => {
    expect((await run('lakera', { apiKey: 'k' }, { text: ' ' }, services)).verdict).toBe(true);
    expect(service.received).toEqual([]);
  });
});
