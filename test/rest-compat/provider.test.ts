import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1/providers${path}`, { key, body });
const input = { name: 'Main', integration_id: 'mock' };

describe('/v1/providers', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    expect(bodyOf(await call('POST', '', { ...input, slug: 'main', note: 'n' }))).toEqual({
      id,
      slug: 'main',
    });
    const shown = {
      id,
      workspace_id: app.workspaceId,
      name: 'Main',
      integration_id: id,
      note: 'n',
      status: 'active',
      created_at: time,
      slug: 'main',
      expires_at: null,
      secret_mappings: [],
      tags: {},
      usage_limits: null,
      rate_limits: [],
      object: 'provider',
    };
    expect(bodyOf(await call('GET', '/main'))).toEqual(shown);
    expect(bodyOf(await call('GET', '?page_size=1'))).toEqual({ object: 'list', total: 2, data: [shown] });
    expect(bodyOf(await call('PUT', '/main', { note: 'm' }))).toEqual({ id, slug: 'main' });
    const inWorkspace = `?workspace_id=${app.workspaceId}`;
    expect(bodyOf(await call('GET', `/main${inWorkspace}`, undefined, app.adminKey))).toEqual({
      ...shown,
      note: 'm',
    });
    expect(refusalOf(await call('GET', '/main', undefined, app.adminKey)).param).toBe('workspace_id');
    expect(refusalOf(await call('GET', '/main', undefined, neighbour.workspaceKey)).status).toBe(404);
    expect(bodyOf(await call('DELETE', '/main'))).toEqual({});
    expect(refusalOf(await call('DELETE', '/main'))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it.each([
    ['no name', { integration_id: 'mock' }, 400, 'AB01', 'name'],
    ['no integration', { name: 'x' }, 400, 'AB01', 'integration_id'],
    [
      'an integration that does not exist',
      { ...input, integration_id: 'none' },
      400,
      'AB01',
      'integration_id',
    ],
    ['a workspace of another tenant', { ...input, workspace_id: 'none' }, 403, 'AB03', 'workspace_id'],
    ['a moment in the past', { ...input, expires_at: '2020-01-01T00:00:00Z' }, 400, 'AB01', 'expires_at'],
    ['a slug that is taken', { ...input, slug: 'mock' }, 409, 'AB07', 'slug'],
    ['a limit without an amount', { ...input, usage_limits: {} }, 400, 'AB01', 'usage_limits.credit_limit'],
  ])('refuses %s', async (_what, body, status, code, param) => {
    expect(refusalOf(await call('POST', '', body))).toEqual({ status, code, param });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    await expectGuarded(app, ['POST', '/v1/providers', input], key);
    await expectGuarded(app, ['GET', '/v1/providers'], key);
    await expectGuarded(app, ['GET', '/v1/providers/mock'], key);
    await expectGuarded(app, ['PUT', '/v1/providers/mock', { name: 'x' }], key);
    await expectGuarded(app, ['DELETE', '/v1/providers/mock'], key);
  });
});
