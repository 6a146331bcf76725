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

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/deployments${path}`, { key, body });
const input = { name: 'Main', type: 'production', url: 'https://gateway.example.com/v1' };

describe('/v1/deployments', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const config = { maxReplicas: 3, node_pool: { isSpot: true } };
    const given = { ...input, slug: 'main', config, allowed_workspaces: [app.workspaceId], is_default: true };
    expect(bodyOf(await call('POST', '', given))).toEqual({ id, slug: 'main', object: 'deployment' });
    const row = {
      id,
      slug: 'main',
      name: 'Main',
      description: null,
      type: 'production',
      url: input.url,
      mcp_url: null,
      config,
      status: 'active',
      is_default: true,
      allow_all_workspaces: false,
      workspace_count: 1,
      organisation_id: app.organisationId,
      created_by: id,
      created_at: time,
      last_updated_at: time,
      object: 'deployment',
    };
    const shown = bodyOf(await call('GET', '/main'));
    expect(shown).toEqual({ ...row, allowed_workspaces: [app.workspaceId] });
    expect(bodyOf(await call('GET', `/${shown.id}`))).toEqual(shown);
    const list = { object: 'list', total: 1, data: [row] };
    expect(bodyOf(await call('GET', `?type=production&search=MAI&workspace_id=${app.workspaceId}`))).toEqual(
      list,
    );
    expect(bodyOf(await call('GET', '?status=archived'))).toEqual({ object: 'list', total: 0, data: [] });
    expect(bodyOf(await call('PUT', '/main', { mcp_url: `${input.url}/mcp`, status: 'archived' }))).toEqual(
      {},
    );
    expect(bodyOf(await call('GET', '?status=archived')).data).toMatchObject([
      { name: 'Main', mcp_url: `${input.url}/mcp` },
    ]);
    expect(refusalOf(await call('GET', '/main', undefined, neighbour.adminKey)).status).toBe(404);
    expect(bodyOf(await call('DELETE', '/main'))).toEqual({});
    expect(refusalOf(await call('DELETE', '/main'))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it.each([
    ['no type', { name: 'x', url: input.url }, 400, 'AB01', 'type'],
    ['a type that is none', { ...input, type: 'staging' }, 400, 'AB01', 'type'],
    ['a forbidden URL', { ...input, mcp_url: 'http://169.254.169.254' }, 400, 'AB01', 'mcp_url'],
    ['an unknown workspace', { ...input, allowed_workspaces: ['no'] }, 400, 'AB01', 'allowed_workspaces[0]'],
    [
      'a status, which a new one cannot choose',
      { ...input, status: 'archived' },
      400,
      'unknown_parameter',
      'status',
    ],
  ])('refuses %s', async (_what, body, status, code, param) => {
    expect(refusalOf(await call('POST', '', body))).toEqual({ status, code, param });
  });

  it('refuses a slug that is taken', async () => {
    bodyOf(await call('POST', '', { ...input, slug: 'taken' }));
    const refusal = { status: 409, code: 'AB07', param: 'slug' };
    expect(refusalOf(await call('POST', '', { ...input, slug: 'taken' }))).toEqual(refusal);
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    await expectGuarded(app, ['POST', '/v1/deployments', input], key);
    await expectGuarded(app, ['GET', '/v1/deployments'], key);
    await expectGuarded(app, ['GET', '/v1/deployments/main'], key);
    await expectGuarded(app, ['PUT', '/v1/deployments/main', { name: 'x' }], key);
    await expectGuarded(app, ['DELETE', '/v1/deployments/main'], key);
  });
});
