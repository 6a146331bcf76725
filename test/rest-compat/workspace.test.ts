import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key = app.adminKey) =>
  app.rest(method, `/v1/admin/workspaces${path}`, { key, body });

describe('/v1/admin/workspaces', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const input = { name: 'Team', description: 'd', defaults: { metadata: { teamName: 'a' } } };
    const made = bodyOf(await call('POST', '', input));
    expect(made).toEqual({
      ...input,
      id: made.slug,
      slug: expect.stringMatching(/^ws-team-/),
      created_at: time,
      last_updated_at: time,
      is_default: 0,
      usage_limits: [],
      rate_limits: [],
      object: 'workspace',
    });
    expect(bodyOf(await call('GET', `/${made.id}`))).toEqual({ ...made, users: [] });
    expect(bodyOf(await call('GET', '?exact_name=Team'))).toEqual({ object: 'list', total: 1, data: [made] });
    expect(bodyOf(await call('GET', '?name=TEA')).total).toBe(1);
    expect(bodyOf(await call('GET', '?name=TEA&status=active,archived')).total).toBe(1);
    expect(bodyOf(await call('GET', '?name=TEA&status=archived')).total).toBe(0);
    expect(refusalOf(await call('GET', '?status=active,lost'))).toMatchObject({
      status: 400,
      param: 'status',
    });
    expect(bodyOf(await call('PUT', `/${made.id}`, { name: 'Crew' }))).toEqual({});
    expect(bodyOf(await call('GET', `/${made.id}`))).toMatchObject({ name: 'Crew', description: 'd' });
    expect(refusalOf(await call('GET', `/${made.id}`, undefined, neighbour.adminKey)).status).toBe(404);
    expect(bodyOf(await call('DELETE', `/${made.id}`))).toEqual({});
    expect(refusalOf(await call('DELETE', `/${made.id}`))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('keeps the default workspace', async () => {
    expect(refusalOf(await call('DELETE', `/${app.workspaceId}`))).toMatchObject({
      status: 409,
      code: 'AB07',
    });
  });

  it.each([
    ['no name', {}, 'name'],
    ['a name that is no text', { name: 1 }, 'name'],
    ['metadata that is no text', { name: 'x', defaults: { metadata: { a: 1 } } }, 'defaults.metadata.a'],
    ['members that nothing acts on', { name: 'x', colour: 'red' }, 'colour'],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await call('POST', '', body))).toMatchObject({ status: 400, param });
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    const path = `/v1/admin/workspaces/${app.workspaceId}`;
    await expectGuarded(app, ['POST', '/v1/admin/workspaces', { name: 'x' }], key);
    await expectGuarded(app, ['GET', '/v1/admin/workspaces'], key);
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['PUT', path, { name: 'x' }], key);
    await expectGuarded(app, ['DELETE', path], key);
  });
});
