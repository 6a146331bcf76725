import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type Given, problemsOf, run } from '../checked.ts';
import { hangs, type Loopback, networkServices, startLoopback } from '../loopback.ts';

const WEBHOOK = 'default.webhook';
const LOG = 'default.log';

let service: Loopback;
beforeAll(async () => {
  service = await startLoopback();
});
afterAll(() => service.stop());
beforeEach(() => {
  service.received.length = 0;
  service.answer = () => ({ body: { verdict: true } });
});

const services = networkServices();
const call = {
  metadata: { team: 'red' },
  headers: { authorization: 'Bearer secret', 'x-one': '1', 'x-gateway-trace-id': 't' },
  request: { messages: [{ role: 'user', content: 'hi' }] },
};
const given: Given = { text: 'hi', phase: 'input', call };
const answered: Given = {
  text: 'ho',
  phase: 'output',
  call: { ...call, response: { status: 200, body: { id: 'a' } }, requestText: () => 'hi' },
};

const hook = (parameters: object, of: Given = given) =>
  run(WEBHOOK, { webhookURL: `${service.url}/hook`, ...parameters }, of, services);

describe(WEBHOOK, () => {
  test.each([true, false])('passes as the service says: %s', async (verdict) => {
    service.answer = () => ({ body: { verdict, data: { why: 'so' } } });
    expect(await hook({})).toEqual({ verdict, data: { why: 'so' } });
  });

  it('tells the service of the call, without the headers of the caller', async () => {
    await hook({ headers: { 'X-Own': 'mine' } });
    await hook({}, answered);
    const [before, after] = service.received;
    expect([before?.method, before?.path, before?.headers['x-own']]).toEqual(['POST', '/hook', 'mine']);
    expect(before?.headers.authorization).toBeUndefined();
    const shared = { provider: 'openai', requestType: 'chatComplete', metadata: { team: 'red' } };
    const request = { json: call.request, text: 'hi', isStreamingRequest: false, isTransformed: false };
    expect(JSON.parse(before?.body ?? '')).toEqual({
      request,
      response: { json: {}, text: '', statusCode: null, isTransformed: false },
      ...shared,
      eventType: 'beforeRequestHook',
    });
    expect(JSON.parse(after?.body ?? '')).toEqual({
      request,
      response: { json: { id: 'a' }, text: 'ho', statusCode: 200, isTransformed: false },
      ...shared,
      eventType: 'afterRequestHook',
    });
  });

  it('sends on the headers that it is told to', async () => {
    await hook({
      forwardHeaders: ['X-One', 'x-gateway-trace-id', 'traceparent', 'x-absent'],
      headers: { 'x-one': 'own' },
    });
    const { headers = {} } = service.received[0] ?? {};
    expect([headers['x-one'], headers['x-gateway-trace-id'], headers['x-absent']]).toEqual([
      'own',
      't',
      undefined,
    ]);
    expect(headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  });

  test.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a plain secret'])('signs with %s', async (secret) => {
    await hook({ secret });
    const { headers = {}, body = '' } = service.received[0] ?? {};
    const key = secret.startsWith('whsec_') ? secret : Buffer.from(secret).toString('base64');
    expect(new Webhook(key).verify(body, headers as Record<string, string>)).toMatchObject({
      provider: 'openai',
    });
  });

  it('takes a whole new body of its phase, whatever the verdict', async () => {
    const transformedData = { request: { json: { a: 1 } }, response: { json: { b: 2 } } };
    service.answer = () => ({ body: { verdict: false, transformedData } });
    expect(await hook({})).toEqual({ verdict: false, data: null, body: { a: 1 } });
    expect(await hook({}, answered)).toEqual({ verdict: false, data: null, body: { b: 2 } });
  });

  it('cuts long data', async () => {
    service.answer = () => ({ body: { verdict: true, data: { a: 'x'.repeat(10_000) } } });
    expect(JSON.stringify((await hook({})).data).length).toBeLessThan(5_000);
  });

  test.each<[string, object, RegExp]>([
    ['another status', { status: 500, body: { verdict: true } }, /answered 500/],
    ['a redirect', { status: 302, headers: { location: 'http://169.254.169.254/' } }, /answered 302/],
    ['no JSON', { body: '<html>' }, /answered no JSON/],
    ['no verdict', { body: { verdict: 'yes' } }, /without a verdict/],
    ['a text', { body: '"yes"' }, /without a verdict/],
    [
      'a broken body',
      { body: { verdict: true, transformedData: { request: { json: [] } } } },
      /is no object/,
    ],
    ['nothing in time', { body: hangs }, /time/i],
  ])('fails with an error on %s', async (_what, answer, message) => {
    service.answer = () => answer;
    await expect(hook({ timeout: 300 })).rejects.toThrow(message);
  });

  it('fails with an error on a call that is too long', async () => {
    const request = { messages: 'x'.repeat(5_000_000) };
    await expect(hook({}, { ...given, call: { request } })).rejects.toThrow('4 MB');
    expect(service.received).toEqual([]);
  });

  test.each<[object, RegExp]>([
    [{}, /^webhookURL: /],
    [{ webhookURL: 'ftp://a.example' }, /^webhookURL: .*http/],
    [{ webhookURL: 'http://169.254.169.254/' }, /^webhookURL: .*metadata/],
    [{ webhookURL: 'https://u:p@a.example' }, /^webhookURL: .*credentials/],
    [{ webhookURL: 'https://a.example', timeout: 100_000 }, /^timeout: /],
    [{ webhookURL: 'https://a.example', headers: { 'a b': 'c' } }, /^headers\.a b: /],
    [{ webhookURL: 'https://a.example', headers: { a: 'b\r\nc: d' } }, /^headers\.a: /],
    ...[
      ...['Authorization', 'proxy-authorization', 'x-api-key', 'ocp-apim-subscription-key', 'cookie'],
      ...['metadata-flavor', 'connection', 'host', 'x-gateway-api-key', 'x-gateway-config'],
    ].map((name): [object, RegExp] => [
      { webhookURL: 'https://a.example', forwardHeaders: ['x-ok', name] },
      /^forwardHeaders\.1: /,
    ]),
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(WEBHOOK, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});

describe(LOG, () => {
  it('sends the call and passes', async () => {
    service.answer = () => ({ status: 204 });
    const parameters = { logURL: `${service.url}/log`, headers: { 'x-key': 'k' } };
    expect(await run(LOG, parameters, answered, services)).toEqual({ verdict: true, data: { status: 204 } });
    const [received] = service.received;
    expect([received?.path, received?.headers['x-key']]).toEqual(['/log', 'k']);
    expect(JSON.parse(received?.body ?? '')).toMatchObject({ response: { text: 'ho' } });
  });

  it('fails with an error where the service does', async () => {
    service.answer = () => ({ status: 503 });
    await expect(run(LOG, { logURL: service.url }, answered, services)).rejects.toThrow('answered 503');
  });

  test.each([[{}], [{ logURL: 'x' }]])('refuses %j', (parameters) => {
    expect(problemsOf(LOG, parameters)).toEqual([expect.stringMatching(/^logURL: /)]);
  });
});
