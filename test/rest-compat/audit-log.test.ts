import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const list = (query: string, key = app.adminKey) => app.rest('GET', `/v1/audit-logs?${query}`, { key });
const period = 'start_time=2026-01-01T00:00:00Z&end_time=2999-01-01T00:00:00Z';

describe('/v1/audit-logs', () => {
  it('lists what was done', async () => {
    const secret = 'sk-planted-0123456789';
    const body = { name: 'x', config: { provider: 'openai', api_key: secret } };
    bodyOf(
      await app.rest('POST', '/v1/configs?', {
        body,
        headers: { 'x-request-id': 'my-request', 'user-agent': 'me' },
      }),
    );
    const answer = bodyOf(
      await list(`${period}&resource_type=config&action=create&method=POST&uri=/v1/configs`),
    );
    expect(answer).toEqual({
      object: 'list',
      total: 1,
      records: [
        {
          timestamp: time,
          method: 'POST',
          uri: '/v1/configs',
          request_id: expect.any(String),
          request_body: expect.stringContaining('"api_key":"[redacted]"'),
          query_params: '',
          request_headers: expect.stringContaining('"user-agent":"me"'),
          user_id: id,
          user_type: 'api_key',
          organisation_id: app.organisationId,
          workspace_id: app.workspaceId,
          response_status_code: 200,
          resource_type: 'config',
          action: 'create',
          country: null,
          outcome: 'success',
          target_id: expect.any(String),
          target_name: 'x',
          client_ip: expect.stringContaining('127.0.0.1'),
        },
      ],
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
    expect(JSON.stringify(answer)).not.toContain(app.workspaceKey);
  });

  it('tells access tokens from keys, and to which workspace one was narrowed', async () => {
    const token = await app.token();
    const headers = { authorization: `Bearer ${token}`, 'x-gateway-workspace-id': app.workspaceId };
    const body = { name: 'By a token', config: { provider: '@mock' } };
    bodyOf(await app.rest('POST', '/v2/configs', { key: null, headers, body }));
    const { records } = bodyOf(await list(`${period}&user_type=service_account`)) as { records: object[] };
    expect(records).toMatchObject([
      {
        user_id: app.clientId,
        user_type: 'service_account',
        workspace_id: app.workspaceId,
        uri: '/v2/configs',
      },
    ]);
    expect(bodyOf(await list(`${period}&user_type=jwt`))).toMatchObject({ total: 0 });
  });

  it.each([
    ['', 'start_time'],
    ['start_time=2026-01-01T00:00:00Z', 'end_time'],
    [`${period}&page_size=101`, 'page_size'],
    [`${period}&user_type=nobody`, 'user_type'],
    ['start_time=2026-01-01T00:00:00Z&end_time=2025-01-01T00:00:00Z', 'end_time'],
  ])('refuses ?%s', async (query, param) => {
    expect(refusalOf(await list(query))).toMatchObject({ status: 400, code: 'AB01', param });
  });

  it('takes only credentials with the scope', async () => {
    await expectGuarded(app, ['GET', `/v1/audit-logs?${period}`], app.workspaceKey);
  });
});
