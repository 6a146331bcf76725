import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { openSubscriptions, until } from '../../support/subscriptions.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Call = {
  method?: string;
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  search?: string;
};

async function call({ method = 'POST', key = app.workspaceKey, body, headers = {}, search = '' }: Call) {
  const response = await fetch(`${app.url}/graphql/stream${search}`, {
    method,
    headers: {
      accept: 'text/event-stream',
      ...(key !== null && { 'x-gateway-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const codeOf = ({ text }: { text: string }) => JSON.parse(text).errors[0].extensions.code;
const query = '{ __typename }';

describe('an event stream', () => {
  it.each([
    ['POST', { body: { query } }],
    ['GET', { method: 'GET', search: `?query=${encodeURIComponent(query)}` }],
    ['whatever type is accepted', { body: { query }, headers: { accept: '*/*' } }],
  ])('answers one operation and ends: %s', async (_what, request: Call) => {
    const { status, headers, text } = await call(request);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(text).toBe(
      ':\n\nevent: next\ndata: {"data":{"__typename":"Query"}}\n\nevent: complete\ndata:\n\n',
    );
  });

  it('has the request id of its caller, and so has the audit trail', async () => {
    const { headers } = await call({
      key: app.adminKey,
      body: { query: 'mutation { createWorkspace(input: { name: "From a stream" }) { id } }' },
      headers: { 'x-request-id': 'stream-1' },
    });
    expect(headers.get('x-request-id')).toBe('stream-1');
    const { data } = await app.graphql(
      `query ($start: DateTime!, $end: DateTime!) {
        auditLogs(startTime: $start, endTime: $end, filters: { requestId: "stream-1" }) { records { action } }
      }`,
      { start: new Date(Date.now() - 600_000), end: new Date(Date.now() + 600_000) },
    );
    expect(data.auditLogs.records).toHaveLength(1);
    expect((await call({ key: null, body: { query } })).headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it('names the methods that it takes', async () => {
    expect((await call({ method: 'PUT' })).headers.get('allow')).toBe('GET, POST');
  });

  it('has the errors of an operation in it', async () => {
    const { text } = await call({ body: { query: '{ workspace(id: "nobody") { id } }' } });
    expect(text).toMatch(/"code":"NOT_FOUND"/);
    const refused = await call({ body: { query: '{ nope }' } });
    expect(refused.text).toMatch(/event: next\ndata: \{"errors":\[\{.*GRAPHQL_VALIDATION_FAILED/);
  });

  it.each([
    ['no credential', { key: null, body: { query } }, 401, 'UNAUTHENTICATED'],
    ['an unknown credential', { key: 'sl-unknown', body: { query } }, 401, 'UNAUTHENTICATED'],
    ['no query', { body: {} }, 400, 'VALIDATION_FAILED'],
    ['no body', { method: 'POST' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body that is not JSON', { body: '{' }, 400, 'MALFORMED_BODY'],
    ['variables that are none', { body: { query, variables: [] } }, 400, 'VALIDATION_FAILED'],
    ['a body that is too large', { body: { query: 'x'.repeat(1024 * 1024) } }, 413, 'BODY_TOO_LARGE'],
    [
      'another type of body',
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another type of answer',
      { body: { query }, headers: { accept: 'text/html' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['another method', { method: 'PUT', body: { query } }, 405, 'METHOD_NOT_ALLOWED'],
    [
      'a mutation in an address',
      { method: 'GET', search: `?query=${encodeURIComponent('mutation { deleteWorkspace(id: "x") }')}` },
      405,
      'METHOD_NOT_ALLOWED',
    ],
    [
      'an address that cannot be read',
      { method: 'GET', search: '?query=a&variables={' },
      400,
      'VALIDATION_FAILED',
    ],
  ])('is refused for %s', async (_what, request: Call, status, code) => {
    const answer = await call(request);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  it('names the mode that works to a client that wants to share one connection', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const answer = await call({ method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
      expect(JSON.parse(answer.text).errors[0].message).toContain('singleConnection');
    }
  });

  it('is refused when the credential has 100 connections already', async () => {
    const gone = new AbortController();
    const open = () =>
      fetch(`${app.url}/graphql/stream`, {
        method: 'POST',
        signal: gone.signal,
        headers: { 'x-gateway-api-key': app.adminKey, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'subscription { logAdded { id } }' }),
      });
    const streams = await Promise.all(Array.from({ length: 100 }, open));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    const late = await open();
    expect(late.status).toBe(429);
    expect(codeOf({ text: await late.text() })).toBe('TOO_MANY_SUBSCRIPTIONS');
    expect((await call({ body: { query } })).status).toBe(200);
    gone.abort();
    await until(async () => (await openSubscriptions(app.url)) === 0);
    expect((await call({ key: app.adminKey, body: { query } })).status).toBe(200);
  });
});
