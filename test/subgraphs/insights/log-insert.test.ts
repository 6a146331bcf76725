import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../../src/lib/ids.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess } from '../access.ts';
import { dataOf, dump, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const insert = (input: unknown, key = app.workspaceKey) =>
  app.graphql('mutation ($input: JSON!) { insertLogs(input: $input) }', { input }, key);

describeAccess(() => ({ app, neighbour }), 'workspace-service', {
  insertLogs: {
    document: 'mutation { insertLogs(input: { request: { url: "u", body: {} }, response: { body: {} } }) }',
    scopes: ['logs.write'],
    audit: 'log.create',
  },
});

describe('inserted logs', () => {
  const secret = 'sk-planted-in-a-header-0001';
  const log = (change: object = {}) => ({
    request: {
      url: 'https://api.example.com/v1/chat',
      provider: 'openai',
      headers: { authorization: secret },
      body: { model: 'm' },
    },
    response: {
      status: 201,
      body: { usage: { prompt_tokens: 2, completion_tokens: 3 } },
      response_time: 40,
      streamingMode: true,
    },
    metadata: { trace_id: 'inserted', span_name: 'step', team: 'ads' },
    ...change,
  });

  it('are found with the others, without the secrets of their headers', async () => {
    expect(dataOf(await insert([log(), log()])).insertLogs).toBe(2);
    expect(dataOf(await insert(log())).insertLogs).toBe(1);
    const { data } = dataOf(
      await app.graphql(`{ logs(filters: { traceId: "inserted" }) { data {
        requestMethod aiProvider aiModel totalTokens spanName metadata streamMode responseStatusCode isSuccess
        request { headers }
      } } }`),
    ).logs;
    expect(data).toHaveLength(3);
    expect(data[0]).toEqual({
      requestMethod: 'POST',
      aiProvider: 'openai',
      aiModel: 'm',
      totalTokens: 5,
      spanName: 'step',
      metadata: { team: 'ads' },
      streamMode: 1,
      responseStatusCode: 201,
      isSuccess: true,
      request: { headers: { authorization: '[redacted]' } },
    });
    expect(await dump(app)).not.toContain(secret);
  });

  const bad = (part: 'request' | 'response', change: object) =>
    log({ [part]: { ...log()[part], ...change } });
  it.each([
    ['none', [], 'input'],
    ['too many', Array.from({ length: 1001 }, () => log()), 'input'],
    ['a text', 'log', 'input'],
    ['one without request', log({ request: undefined }), 'input.request'],
    ['one without response', log({ response: undefined }), 'input.response'],
    ['a second without URL', [log(), bad('request', { url: undefined })], 'input[1].request.url'],
    ['a request without body', bad('request', { body: undefined }), 'input.request.body'],
    ['an answer whose body is null', bad('response', { body: null }), 'input.response.body'],
    ['a header that is no text', bad('request', { headers: { a: 1 } }), 'input.request.headers.a'],
    ['a method that is none', bad('request', { method: 'GE T' }), 'input.request.method'],
    ['a status out of range', bad('response', { status: 99 }), 'input.response.status'],
    ['a time below zero', bad('response', { response_time: -1 }), 'input.response.response_time'],
    ['a time that is no number', bad('response', { response_time: '5' }), 'input.response.response_time'],
    ['a switch that is no boolean', bad('response', { streamingMode: 1 }), 'input.response.streamingMode'],
    ['metadata that is too long', log({ metadata: { a: 'x'.repeat(129) } }), 'input.metadata.a'],
  ])('are refused when they are %s', async (_what, input, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await insert(input))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });

  const inserted = async (change: object, fields: string, key = app.workspaceKey) => {
    const trace_id = uuid();
    const { metadata, ...rest } = { metadata: {}, ...change };
    dataOf(await insert(log({ ...rest, metadata: { ...metadata, trace_id } }), key));
    const query = `{ logs(filters: { traceId: "${trace_id}" }) { data { ${fields} } } }`;
    return dataOf(await app.graphql(query)).logs.data[0];
  };

  it.each([
    ['the user of the body', { user: 'ann' }, {}, { _user: 'ann' }],
    ['unless the metadata names one', { user: 'ann' }, { _user: 'bob' }, { _user: 'bob' }],
    ['cut to length', { user: 'x'.repeat(200) }, {}, { _user: 'x'.repeat(128) }],
    ['no other type', { user: 7 }, { a: 'b' }, { a: 'b' }],
    ['none of a body that is no object', ['ann'], {}, {}],
  ])('have in their metadata %s (8.2)', async (_what, body, metadata, expected) => {
    const request = { ...log().request, body };
    expect(await inserted({ request, metadata }, 'metadata')).toEqual({ metadata: expected });
  });

  it('have the metadata of their credential, the workspace’s first, then the key’s (8.2)', async () => {
    const labelled = async (type: string, user: object, metadata: object) => {
      const { status, body } = await app.rest('POST', `/v1/api-keys/workspace/${type}`, {
        body: {
          ...{ name: 'labelled', scopes: ['logs.write', 'completions.write'], defaults: { metadata } },
          ...user,
        },
      });
      expect(status).toBe(200);
      return (body as { key: string }).key;
    };
    const key = await labelled('service', {}, { a: 'key', b: 'key' });
    const { _id: user_id } = await addUser(app, { inWorkspace: 'member' });
    const ofUser = await labelled('user', { user_id }, {});
    const { status } = await app.rest('PUT', `/v1/admin/workspaces/${app.workspaceId}`, {
      key: app.adminKey,
      body: { defaults: { metadata: { b: 'workspace' } } },
    });
    expect(status).toBe(200);
    const metadata = { a: 'request', b: 'request', c: 'request', _user: 'named' };
    expect((await inserted({ metadata }, 'metadata', key)).metadata).toEqual({
      ...{ a: 'key', b: 'workspace', c: 'request', _user: 'named' },
    });
    expect((await inserted({ metadata }, 'metadata', ofUser)).metadata).toEqual({
      ...{ a: 'request', b: 'workspace', c: 'request', _user: user_id },
    });
  });

  it('may have a list or a text for a body, and a fraction for a time', async () => {
    const frames = [{ usage: { prompt_tokens: 3, completion_tokens: 4 } }, { choices: [] }].map(
      (frame) => `data: ${JSON.stringify(frame)}\n\n`,
    );
    const body = `${frames.join('')}data: [DONE]\n\n`;
    const response = { body, response_time: 12.5, streamingMode: true };
    const request = { ...log().request, body: ['one', 'two'] };
    expect(
      await inserted(
        { request, response },
        'totalTokens responseTime aiModel request { body } response { body }',
      ),
    ).toEqual({
      ...{ totalTokens: 7, responseTime: 13, aiModel: null },
      ...{ request: { body: ['one', 'two'] }, response: { body } },
    });
  });

  it('need completions.write beside logs.write (12.2)', async () => {
    for (const scope of ['logs.write', 'completions.write']) {
      const key = await makeKey(app, 'workspace-service', { only: [scope] });
      expect([scope, errorOf(await insert(log(), key)).code]).toEqual([scope, 'FORBIDDEN']);
    }
    const both = await makeKey(app, 'workspace-service', { only: ['logs.write', 'completions.write'] });
    expect(dataOf(await insert(log(), both)).insertLogs).toBe(1);
  });

  it('are refused with a member that nothing reads, and with an organisation credential', async () => {
    expect(errorOf(await insert(bad('response', { colour: 'red' })))).toEqual({
      code: 'UNKNOWN_PARAMETER',
      param: 'input.response.colour',
    });
    expect(errorOf(await insert(log(), app.adminKey)).code).toBe('FORBIDDEN');
  });
});
