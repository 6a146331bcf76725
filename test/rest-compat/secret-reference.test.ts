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
  app.rest(method, `/v1/secret-references${path}`, { key, body });
const input = {
  name: 'Main',
  manager_type: 'azure_kv',
  auth_config: {
    azure_auth_mode: 'entra',
    azure_entra_tenant_id: 'contoso.example',
    azure_entra_client_id: 'client',
    azure_entra_client_secret: 'client-secret-0123456789',
    azure_vault_url: 'https://main.vault.azure.net',
  },
  secret_path: 'openai',
};

describe('/v1/secret-references', () => {
  it('makes, reads, lists, updates and deletes', async () => {
    const given = { ...input, slug: 'main', allowed_workspaces: [app.workspaceId], tags: { team: 'a' } };
    expect(bodyOf(await call('POST', '', given))).toEqual({ id, slug: 'main', object: 'secret-reference' });
    const row = {
      id,
      name: 'Main',
      slug: 'main',
      manager_type: 'azure_kv',
      status: 'ACTIVE',
      created_at: time,
      last_updated_at: time,
      object: 'secret-reference',
    };
    const { azure_entra_client_secret: _secret, ...open } = input.auth_config;
    const shown = bodyOf(await call('GET', '/main'));
    expect(shown).toEqual({
      ...row,
      organisation_id: app.organisationId,
      description: null,
      secret_path: 'openai',
      secret_key: null,
      allow_all_workspaces: false,
      allowed_workspaces: [app.workspaceId],
      tags: { team: 'a' },
      created_by: id,
      auth_config: { ...open, masked_azure_entra_client_secret: 'cli***6789' },
    });
    expect(bodyOf(await call('GET', `/${shown.id}`))).toEqual(shown);
    const filter = `?manager_type=azure_kv&search=MAI&tags=${encodeURIComponent('{"team":"a"}')}&page_size=5`;
    expect(bodyOf(await call('GET', filter))).toEqual({ object: 'list', total: 1, data: [row] });
    expect(bodyOf(await call('GET', '?manager_type=aws_sm')).total).toBe(0);
    expect(bodyOf(await call('PUT', '/main', { allow_all_workspaces: true, secret_key: 'key' }))).toEqual({});
    expect(bodyOf(await call('GET', '/main'))).toMatchObject({
      allow_all_workspaces: true,
      allowed_workspaces: [],
      secret_key: 'key',
    });
    expect(refusalOf(await call('GET', '/main', undefined, neighbour.adminKey)).status).toBe(404);
    expect(bodyOf(await call('DELETE', '/main'))).toEqual({});
    expect(refusalOf(await call('DELETE', '/main'))).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('names what it does not take', async () => {
    const wrong = { ...input, auth_config: { ...input.auth_config, azure_vault_url: 'vault' } };
    expect(refusalOf(await call('POST', '', wrong))).toEqual({
      status: 400,
      code: 'AB01',
      param: 'auth_config.azure_vault_url',
    });
    expect(refusalOf(await call('POST', '', { ...input, manager_type: 'gcp' })).param).toBe('manager_type');
    expect(refusalOf(await call('GET', '?page_size=101')).param).toBe('page_size');
    expect(refusalOf(await call('GET', '?search=')).param).toBe('search');
  });

  it('takes only credentials with the scope', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['logs.list'] });
    const { slug } = bodyOf(await call('POST', '', input));
    const path = `/v1/secret-references/${slug}`;
    await expectGuarded(app, ['POST', '/v1/secret-references', input], key);
    await expectGuarded(app, ['GET', '/v1/secret-references'], key);
    await expectGuarded(app, ['GET', path], key);
    await expectGuarded(app, ['PUT', path, { name: 'x' }], key);
    await expectGuarded(app, ['DELETE', path], key);
  });
});
