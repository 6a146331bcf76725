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
  app.rest(method, `/v1/configs${path}`, { key, body });
const config = { provider: 'openai', api_key: 'sk-rest-secret-0001', override_params: { maxTokens: 5 } };
const shownConfig = { ...config, api_key: 'sk-***0001' };

describe('/v1/configs', () => {
  it.each([
    ['a config without a name', 'POST', '', { config: {} }, 'name'],
    ['a parameter that there is not', 'GET', '?colour=red', undefined, 'colour'],
    ['a size that is no number', 'GET', '?page_size=many', undefined, 'page_size'],
  ])('refuses %s and names it', async (_what, method, path, body, param) => {
    expect(refusalOf(await call(method, path, body))).toMatchObject({ status: 400, param });
  });

  it('makes, reads, lists, updates and deletes', async () => {
    const made = bodyOf(await call('POST', '', { name: 'Mine', config, isDefault: 1 }));
    expect(made).toEqual({ success: true, data: { id, version_id: id } });
    const row = {
      id: made.data.id,
      name: 'Mine',
      slug: expect.stringMatching(/^pc-mine-/),
      organisation_id: app.organisationId,
      workspace_id: app.workspaceId,
      is_default: 1,
      status: 'active',
      owner_id: id,
      updated_by: id,
      created_at: time,
      last_updated_at: time,
    };
    expect(bodyOf(await call('GET', ''))).toEqual({ success: true, data: [row] });
    const { data } = bodyOf(await call('GET', `/${made.data.id}`));
    expect(data).toEqual({ ...row, config: shownConfig, version_id: made.data.version_id });

    const next = { ...shownConfig, retry: { attempts: 2 } };
    const updated = bodyOf(await call('PUT', `/${data.slug}`, { config: next }));
    expect(updated).toEqual({ success: true, data: { version_id: id } });
    expect(updated.data.version_id).not.toBe(made.data.version_id);
    const versions = bodyOf(await call('GET', `/${data.slug}/versions`));
    expect(versions).toMatchObject({ object: 'list', total: 2 });
    expect(versions.data[1]).toEqual({
      ...row,
      config: JSON.stringify(shownConfig),
      format: 'json',
      type: 'ORG_CONFIG',
      version_id: made.data.version_id,
      object: 'config',
    });
    expect(JSON.parse(versions.data[0].config)).toEqual(next);

    expect(refusalOf(await call('GET', `/${data.slug}`, undefined, neighbour.adminKey)).status).toBe(404);
    expect(bodyOf(await call('GET', '', undefined, neighbour.adminKey)).data).toEqual([]);
    expect(bodyOf(await call('DELETE', `/${data.slug}`))).toEqual({});
    expect(refusalOf(await call('GET', `/${data.slug}/versions`))).toMatchObject({
      status: 404,
      code: 'AB08',
    });
  });

  it.each([
    ['no name', { config }, 'name'],
    ['no config', { name: 'x' }, 'config'],
    ['a default that is neither 0 nor 1', { name: 'x', config, isDefault: 2 }, 'isDefault'],
    ['a config with an unknown key', { name: 'x', config: { colour: 1 } }, 'config'],
    ['a provider that is not there', { name: 'x', config: { provider: '@none' } }, 'config.provider'],
  ])('refuses %s', async (_what, body, param) => {
    expect(refusalOf(await call('POST', '', body))).toEqual({ status: 400, code: 'AB01', param });
  });

  it('says every mistake of a config', async () => {
    const wrong = { name: 'x', config: { colour: 1, targets: [{ provider: '@mock', weight: -1 }] } };
    const { body } = await call('POST', '', wrong);
    const { errors } = (body as { error: { errors: string[] } }).error;
    expect(errors.map((line) => line.split(',')[0])).toEqual(
      expect.arrayContaining(['path: config.colour', 'path: config.targets[0].weight']),
    );
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['logs.list'] });
    const path = `/v1/configs/${bodyOf(await call('POST', '', { name: 'x', config })).data.id}`;
    await expectGuarded(app, ['POST', '/v1/configs', { name: 'x', config }], key);
    await expectGuarded(app, ['GET', '/v1/configs'], key);
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['PUT', path, { name: 'x' }], key);
    await expectGuarded(app, ['DELETE', path], key);
    await expectGuarded(app, ['GET', `${path}/versions`], key);
  });
});
