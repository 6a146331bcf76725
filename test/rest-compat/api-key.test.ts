import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { bodyOf, expectGuarded, id, refusalOf, time } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const scopes = ['logs.list', 'logs.view'];
const create = (path: string, body: object, key = app.adminKey) =>
  app.rest('POST', `/v1/api-keys/${path}`, { key, body });

describe('/v1/api-keys', () => {
  it.each([
    ['organisation/service', () => app.adminKey, {}],
    ['workspace/service', () => app.adminKey, 'workspace'],
    ['workspace/user', () => app.workspaceKey, {}],
  ])('makes a key at %s', async (path, keyOf, extra) => {
    const body = { name: 'n', scopes, ...(extra === 'workspace' && { workspace_id: app.workspaceId }) };
    expect(bodyOf(await create(path, body, keyOf()))).toEqual({
      id,
      key: expect.stringMatching(/^sl-/),
      object: 'api-key',
    });
  });

  it('reads, lists, updates and deletes', async () => {
    const input = { name: 'n', description: 'd', scopes, defaults: { metadata: { team: 'a' } } };
    const made = bodyOf(await create('workspace/service', input, app.workspaceKey));
    const shown = {
      id: made.id,
      key: `sl-***${made.key.slice(-4)}`,
      name: 'n',
      description: 'd',
      type: 'workspace-service',
      organisation_id: app.organisationId,
      workspace_id: app.workspaceId,
      user_id: null,
      status: 'active',
      created_at: time,
      last_updated_at: time,
      creation_mode: 'api',
      scopes,
      defaults: { metadata: { team: 'a' } },
      expires_at: null,
      object: 'api-key',
    };
    const path = `/v1/api-keys/${made.id}`;
    expect(bodyOf(await app.rest('GET', path))).toEqual(shown);
    expect(
      bodyOf(await app.rest('GET', `/v1/api-keys?ids=${made.id},none&page_size=5&current_page=0`)),
    ).toEqual({
      object: 'list',
      total: 1,
      data: [shown],
    });
    const expires = '2999-01-01T00:00:00.000Z';
    expect(bodyOf(await app.rest('PUT', path, { body: { name: 'm', expires_at: expires } }))).toEqual({});
    expect(bodyOf(await app.rest('GET', path))).toMatchObject({
      name: 'm',
      description: 'd',
      expires_at: expires,
    });
    expect(refusalOf(await app.rest('GET', path, { key: neighbour.workspaceKey }))).toMatchObject({
      status: 404,
      code: 'AB08',
    });
    expect(bodyOf(await app.rest('DELETE', path))).toEqual({});
    expect(refusalOf(await app.rest('GET', path))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it.each([
    ['no name', { scopes }, 'name'],
    ['no scopes', { name: 'n' }, 'scopes'],
    ['an unknown scope', { name: 'n', scopes: ['x.y'] }, 'scopes[0]'],
    ['a scope that is no text', { name: 'n', scopes: [1] }, 'scopes[0]'],
    ['a moment that is none', { name: 'n', scopes, expires_at: 'soon' }, 'expires_at'],
    [
      'metadata that is no text',
      { name: 'n', scopes, defaults: { metadata: { a: 1 } } },
      'defaults.metadata.a',
    ],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await create('workspace/service', body, app.workspaceKey))).toEqual({
      status: 400,
      code: 'AB01',
      param,
    });
  });

  it.each(['rate_limits', 'usage_limits', 'alert_emails', 'rotation_policy', 'colour'])(
    'refuses %s, which nothing acts on',
    async (member) => {
      const answer = await create('workspace/service', { name: 'n', scopes, [member]: [] }, app.workspaceKey);
      expect(refusalOf(answer)).toEqual({ status: 400, code: 'unknown_parameter', param: member });
    },
  );

  it('takes only credentials with the scope', async () => {
    const { key, id: subject } = bodyOf(
      await create('workspace/service', { name: 'n', scopes }, app.workspaceKey),
    );
    await expectGuarded(app, ['POST', '/v1/api-keys/organisation/service', { name: 'n', scopes }], key);
    await expectGuarded(app, ['POST', '/v1/api-keys/workspace/service', { name: 'n', scopes }], key);
    await expectGuarded(app, ['POST', '/v1/api-keys/workspace/user', { name: 'n', scopes }], key);
    await expectGuarded(app, ['GET', '/v1/api-keys'], key);
    await expectGuarded(app, ['GET', `/v1/api-keys/${subject}`], key);
    await expectGuarded(app, ['PUT', `/v1/api-keys/${subject}`, { name: 'm' }], key);
    await expectGuarded(app, ['DELETE', `/v1/api-keys/${subject}`], key);
  });
});
