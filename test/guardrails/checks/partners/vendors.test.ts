import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { edited, type Given, problemsOf, run } from '../checked.ts';
import { type Loopback, networkServices, startLoopback } from '../loopback.ts';

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

const answering = (body: unknown, status = 200) => {
  service.answer = () => ({ status, body });
};
const key = { apiKey: 'k-1' };
const sentBody = () => JSON.parse(service.received[0]?.body ?? '');

describe('alibaba-cloud-ai', () => {
  const parameters = { accessKeyId: 'id-1', accessKeySecret: 'secret-1', region: 'eu-central-1' };
  const good = { Code: 200, Data: { Suggestion: 'pass', Detail: [] } };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('sends a form that is signed', async () => {
    answering(good);
    const given: Given = { text: 'Ann says hëllo & more', phase: 'input' };
    expect(await run('alibaba-cloud-ai', parameters, given, services)).toEqual({
      verdict: true,
      data: { reasons: [] },
    });
    const [request] = service.received;
    const headers = request?.headers ?? {};
    expect(headers['x-meant-for']).toBe('https://green-cip.eu-central-1.aliyuncs.com');
    expect(headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'x-acs-action': 'MultiModalGuard',
      'x-acs-version': '2022-03-02',
      'x-acs-date': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const form = new URLSearchParams(request?.body);
    expect(Object.fromEntries(form)).toEqual({
      Service: 'query_security_check',
      ServiceParameters: '{"content":"Ann says hëllo & more"}',
    });
    const names = [
      ...['host', 'x-acs-action', 'x-acs-content-sha256', 'x-acs-date', 'x-acs-signature-nonce'],
      'x-acs-version',
    ];
    const told: Record<string, unknown> = { ...headers, host: 'green-cip.eu-central-1.aliyuncs.com' };
    const lines = names.map((name) => `${name}:${String(told[name])}`).join('\n');
    const canonical = `POST\n/\n\n${lines}\n\n${names.join(';')}\n${sha256(request?.body ?? '')}`;
    const signature = createHmac('sha256', 'secret-1')
      .update(`ACS3-HMAC-SHA256\n${sha256(canonical)}`)
      .digest('hex');
    expect(headers.authorization).toBe(
      `ACS3-HMAC-SHA256 Credential=id-1,SignedHeaders=${names.join(';')},Signature=${signature}`,
    );
  });

  it('fails where a block is suggested, and says why', async () => {
    answering({
      Code: 200,
      Data: {
        Suggestion: 'block',
        Detail: [
          { Type: 'promptAttack', Suggestion: 'block', Level: 'high' },
          { Type: 'sensitiveData', Suggestion: 'mask', Level: 'S1' },
        ],
      },
    });
    const finding = await run('alibaba-cloud-ai', parameters, { text: 'bad' }, services);
    expect(finding).toEqual({ verdict: false, data: { reasons: ['promptAttack'] } });
    expect(new URLSearchParams(service.received[0]?.body).get('Service')).toBe('response_security_check');
  });

  test.each([
    [{ Code: 400, Message: 'InvalidParameter' }, 200],
    [{ Code: 200 }, 200],
    [{}, 200],
    [good, 403],
  ])('makes an error of %j with %d', async (body, status) => {
    answering(body, status);
    await expect(run('alibaba-cloud-ai', parameters, { text: 'x' }, services)).rejects.toThrow();
  });

  test.each<[object, RegExp]>([
    [{ accessKeySecret: 's' }, /^accessKeyId: /],
    [{ accessKeyId: 'i' }, /^accessKeySecret: /],
    [{ ...parameters, region: 'evil.example/' }, /^region: is no region/],
  ])('refuses %j', (given, problem) => {
    expect(problemsOf('alibaba-cloud-ai', given)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('qualifire.toolUseQuality', () => {
  const weather = { name: 'weather', description: 'Tells the weather', parameters: { type: 'object' } };
  const called = { id: 'call-1', name: 'weather', arguments: { city: 'Rome' } };
  const given = (request: object, response: unknown): Given => ({
    text: 'Let me see.',
    segments: [
      { path: [], role: 'assistant', kind: 'text', text: 'Let me see.' },
      { path: [], role: 'assistant', kind: 'tool_arguments', text: '{"city":"Rome"}' },
    ],
    phase: 'output',
    call: {
      request: request as Record<string, unknown>,
      response: { status: 200, body: response },
      requestText: () => 'asked',
    },
  });

  test.each<[string, object, object]>([
    [
      'chats',
      { tools: [{ type: 'function', function: weather }] },
      {
        choices: [
          {
            message: {
              tool_calls: [
                {
                  id: 'call-1',
                  type: 'function',
                  function: { name: 'weather', arguments: '{"city":"Rome"}' },
                },
              ],
            },
          },
        ],
      },
    ],
    [
      'messages',
      { tools: [{ name: 'weather', description: 'Tells the weather', input_schema: { type: 'object' } }] },
      { content: [{ type: 'tool_use', id: 'call-1', name: 'weather', input: { city: 'Rome' } }] },
    ],
    [
      'responses',
      { tools: [{ type: 'function', ...weather }] },
      { output: [{ type: 'function_call', id: 'call-1', name: 'weather', arguments: '{"city":"Rome"}' }] },
    ],
  ])('tells the tools and calls of %s', async (_name, request, response) => {
    answering({ status: 'success', evaluationResults: [] });
    const finding = await run('qualifire.toolUseQuality', key, given(request, response), services);
    expect(finding.verdict).toBe(true);
    expect(sentBody()).toEqual({
      messages: [
        { role: 'user', content: 'asked' },
        {
          role: 'assistant',
          content: expect.stringContaining('Let me see.'),
          tool_calls: [called],
        },
      ],
      available_tools: [weather],
      tool_use_quality_check: true,
      tuq_mode: 'balanced',
    });
    answering({ status: 'failed', evaluationResults: [] });
    expect(await run('qualifire.toolUseQuality', key, given(request, response), services)).toEqual({
      verdict: false,
      data: { reasons: ['toolUseQuality'] },
    });
  });

  it('asks nothing about an answer without calls, and is an error where names of tools are unknown', async () => {
    const plain = given({}, { choices: [{ message: { content: 'Hi' } }] });
    expect((await run('qualifire.toolUseQuality', key, plain, services)).verdict).toBe(true);
    expect(service.received).toEqual([]);
    await expect(run('qualifire.toolUseQuality', key, given({}, null), services)).rejects.toThrow(
      'within a stream',
    );
  });
});

describe('what is found', () => {
  const text = 'Ann (ann@b.io)';
  const redacted = async (id: string, parameters: object, answer: unknown) => {
    answering(answer);
    const given: Given = { texts: [text], phase: 'input' };
    const finding = await run(id, { ...parameters, redact: true }, given, services);
    return [finding.verdict, ...edited(given, finding)];
  };
  const anonymising = {
    required_action: { action_type: 'anonymize_action', policy_name: 'PII' },
    redacted_chat: { all_redacted_messages: [{ role: 'user', content: '[NAME_1] (ann@b.io)' }] },
  };
  const scan = { ...key, domain: 'a.example', pii: true, prompt_injection: true };

  test.each<[string, object, unknown, [boolean, string]]>([
    ['cato', key, anonymising, [true, '[NAME_1] (ann@b.io)']],
    ['cato', key, { required_action: { action_type: 'block_action' } }, [false, text]],
    [
      'acuvity.scan',
      scan,
      { extractions: [{ PIIs: { person: 1 }, data: 'XXX (ann@b.io)' }] },
      [true, 'XXX (ann@b.io)'],
    ],
    [
      'acuvity.scan',
      scan,
      { extractions: [{ PIIs: { person: 1 }, exploits: { prompt_injection: 1 }, data: 'XXX' }] },
      [false, text],
    ],
  ])('by %s is replaced where that is asked for', async (id, parameters, answer, expected) => {
    expect(await redacted(id, parameters, answer)).toEqual(expected);
  });

  it('by Cato is a failure where nothing is redacted', async () => {
    answering(anonymising);
    const finding = await run('cato', key, { text, phase: 'input' }, services);
    expect([finding.verdict, finding.data]).toEqual([false, { reasons: ['PII'] }]);
  });

  it('by Acuvity is told by kind where kinds are named', async () => {
    await redacted(
      'acuvity.scan',
      { ...scan, pii_categories: ['ssn'] },
      { extractions: [{ PIIs: { person: 1 } }] },
    );
    expect(sentBody().redactions).toEqual(['ssn']);
    answering({ extractions: [{ languages: { german: 0.9 } }] });
    const wanted = { ...key, domain: 'a.example', language: true };
    expect(await run('acuvity.scan', wanted, { text }, services)).toMatchObject({
      verdict: false,
      data: { reasons: ['language'] },
    });
    const german = { ...wanted, language_values: 'german' };
    expect((await run('acuvity.scan', german, { text }, services)).verdict).toBe(true);
  });

  it('by Akto passes where it is only a warning', async () => {
    answering({ data: { guardrailsResult: { Allowed: false, Reason: 'Rude', behaviour: 'warn' } } });
    expect(await run('akto', { ...key, apiDomain: 'https://a.example' }, { text }, services)).toEqual({
      verdict: true,
      data: { reasons: ['Rude'] },
    });
  });
});

test('an answer that is streamed is told to CrowdStrike as it reads', async () => {
  answering({ status: 'Success', result: { blocked: true, policy: 'mine' } });
  const given: Given = {
    text: 'a secret',
    phase: 'output',
    call: { request: { messages: [] }, response: { status: 200, body: null } },
  };
  const parameters = { ...key, baseUrl: 'https://collector.example' };
  const finding = await run('crowdstrike-aidr.guardChatCompletions', parameters, given, services);
  expect(finding.verdict).toBe(false);
  expect(sentBody().guard_input).toEqual({
    choices: [{ index: 0, message: { role: 'assistant', content: 'a secret' } }],
  });
});

test('a message of a tool is told to Cato as a user’s', async () => {
  answering({ analysis_result: {} });
  const segments = [{ path: [0], role: 'tool', kind: 'tool_result', text: 'rain' }] as const;
  await run('cato', key, { segments, phase: 'input' }, services);
  expect(sentBody()).toEqual({ messages: [{ role: 'user', content: 'rain' }] });
});
