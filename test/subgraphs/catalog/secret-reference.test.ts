import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import {
  createReference,
  makeReference,
  testReference,
  vaultInput,
} from '../../support/secret-managers/references.ts';
import { TOKEN } from '../../support/secret-managers/vault.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf } from '../support.ts';

const address = 'http://127.0.0.1:8';
let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await makeReference(app, vaultInput(address, { name: 'Subject' }));
});
afterAll(() => app.stop());

const tryCreate = (change: object, key?: string) =>
  app.graphql(createReference, { input: vaultInput(address, change) }, key);
const make = (change: object, key?: string) => makeReference(app, vaultInput(address, change), key);
const read = (id: string, key?: string) =>
  app.graphql(
    `query ($id: ID!) { secretReference(id: $id) {
      id name description managerType authConfig secretPath secretKey allowAllWorkspaces allowedWorkspaceIds tags status
      allowedWorkspaces { slug }
    } }`,
    { id },
    key,
  );
const find = async (id: string) => dataOf(await read(id)).secretReference;
const update = (id: string, input: object) =>
  app.graphql(
    `mutation ($id: ID!, $input: UpdateSecretReferenceInput!) {
      updateSecretReference(id: $id, input: $input) { id authConfig allowAllWorkspaces allowedWorkspaceIds }
    }`,
    { id, input },
  );
const remove = (id: string) => app.graphql('mutation ($id: ID!) { deleteSecretReference(id: $id) }', { id });
const listed = async (args: object, key?: string): Promise<string[]> => {
  const document = `query ($managerType: SecretManagerType, $tags: JSON, $search: String) {
    secretReferences(managerType: $managerType, tags: $tags, search: $search) { total data { slug } }
  }`;
  const { data } = dataOf(await app.graphql(document, args, key)).secretReferences;
  return data.map(({ slug }: { slug: string }) => slug);
};
/** The refusal of a call that changes nothing. */
async function refused(call: () => Promise<Parameters<typeof errorOf>[0]>) {
  const before = await dumpResources(app);
  const error = errorOf(await call());
  expect(await dumpResources(app)).toBe(before);
  return error;
}
const makeWorkspace = async (name: string): Promise<{ id: string; slug: string }> =>
  dataOf(
    await app.graphql('mutation ($name: String!) { createWorkspace(input: { name: $name }) { id slug } }', {
      name,
    }),
  ).createWorkspace;

describeAccess(setting, 'organisation-service', {
  createSecretReference: {
    document: createReference,
    variables: () => ({ input: vaultInput(address) }),
    scopes: ['secret_references.create'],
    audit: 'secret_reference.create',
  },
  secretReference: {
    document: 'query ($id: ID!) { secretReference(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['secret_references.read'],
    addressed: true,
  },
  secretReferences: { document: '{ secretReferences { total } }', scopes: ['secret_references.list'] },
  updateSecretReference: {
    document: 'mutation ($id: ID!) { updateSecretReference(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['secret_references.update'],
    audit: 'secret_reference.update',
    addressed: true,
  },
  deleteSecretReference: {
    document: 'mutation ($id: ID!) { deleteSecretReference(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['secret_references.delete'],
    audit: 'secret_reference.delete',
    addressed: true,
  },
  testSecretReference: {
    document: 'mutation ($id: ID!) { testSecretReference(id: $id) { outcome } }',
    variables: () => ({ id: subject.id }),
    scopes: ['secret_references.read'],
    audit: 'secret_reference.test',
    addressed: true,
  },
});

describe('a secret reference', () => {
  it('is made, changed, tried and deleted; its secrets are stored sealed and shown masked', async () => {
    const made = await make({ name: 'Main', secretKey: 'key', tags: { team: 'search' } });
    expect(made).toMatchObject({
      slug: expect.stringMatching(/^main-[0-9a-f]{6}$/),
      managerType: 'hashicorp_vault',
      authConfig: { vault_auth_type: 'token', vault_addr: address, masked_vault_token: 'hvs***mnop' },
      secretKey: 'key',
      allowAllWorkspaces: true,
      allowedWorkspaceIds: [],
      tags: { team: 'search' },
      status: 'ACTIVE',
    });
    dataOf(
      await update(made.slug, { name: 'Other', description: 'd', secretKey: null, secretPath: 'kv1/x' }),
    );
    expect(await find(made.id)).toMatchObject({
      name: 'Other',
      description: 'd',
      secretKey: null,
      secretPath: 'kv1/x',
      authConfig: made.authConfig,
    });
    const before = await dumpResources(app);
    expect(await testReference(app, made.id)).toMatchObject({ outcome: 'unreachable', members: [] });
    expect(await dumpResources(app)).toBe(before);
    expect(dataOf(await remove(made.slug)).deleteSecretReference).toBe(made.id);
    expect(errorOf(await remove(made.id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, {
      resourceType: 'secret_reference',
      targetId: made.id,
      outcome: 'success',
    });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'test', 'delete']);
    expect(await dump(app)).not.toContain(TOKEN);
  });

  it('has a slug of its own in its organisation', async () => {
    expect(await refused(() => tryCreate({ slug: subject.slug }))).toEqual({
      code: 'ALREADY_EXISTS',
      param: 'slug',
    });
    expect(await make({ slug: subject.slug }, neighbour.adminKey)).toMatchObject({ slug: subject.slug });
  });

  it('is listed by manager, tags and name', async () => {
    await make({ slug: 'list-a', name: 'List a', tags: { team: 'a' } });
    const authConfig = { aws_auth_type: 'accessKey', aws_region: 'eu-west-1' };
    const keys = { aws_access_key_id: 'AKIA0123456789ABCDEF', aws_secret_access_key: 'a'.repeat(40) };
    await make({
      slug: 'list-b',
      name: 'List (b',
      managerType: 'aws_sm',
      authConfig: { ...authConfig, ...keys },
      secretPath: 'prod/openai',
    });
    expect(await listed({ search: 'LIST' })).toEqual(['list-b', 'list-a']);
    expect(await listed({ search: '(b' })).toEqual(['list-b']);
    expect(await listed({ tags: { team: 'a' } })).toEqual(['list-a']);
    expect(await listed({ managerType: 'aws_sm' })).toEqual(['list-b']);
    expect(await listed({ search: 'list' }, neighbour.adminKey)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ name: '' }, 'input.name'],
    [{ slug: 'no slug' }, 'input.slug'],
    [{ organisationId: 'of-others' }, 'input.organisationId'],
    [{ secretPath: 'secret/../x' }, 'input.secretPath'],
    [{ secretPath: 'secret/x?version=1' }, 'input.secretPath'],
    [{ tags: { team: 1 } }, 'input.tags.team'],
    [{ authConfig: 'token' }, 'input.authConfig'],
    [{ authConfig: {} }, 'input.authConfig.vault_auth_type'],
    [{ authConfig: { vault_auth_type: 'ldap' } }, 'input.authConfig.vault_auth_type'],
    [{ authConfig: { vault_auth_type: 'token', vault_addr: address } }, 'input.authConfig.vault_token'],
    [
      { authConfig: { vault_auth_type: 'token', vault_addr: address, vault_token: 'x', vault_role: 'x' } },
      'input.authConfig.vault_role',
    ],
    [
      { authConfig: { vault_auth_type: 'token', vault_addr: address, vault_token: 7 } },
      'input.authConfig.vault_token',
    ],
    [
      { authConfig: { vault_auth_type: 'token', vault_addr: address, vault_token: 'a\nb' } },
      'input.authConfig.vault_token',
    ],
    [
      { authConfig: { vault_auth_type: 'token', vault_addr: 'http://169.254.169.254', vault_token: 'x' } },
      'input.authConfig.vault_addr',
    ],
    [
      { authConfig: { vault_auth_type: 'token', vault_addr: 'file:///etc/passwd', vault_token: 'x' } },
      'input.authConfig.vault_addr',
    ],
    [
      { managerType: 'aws_sm', authConfig: { aws_auth_type: 'serviceRole' }, secretPath: 'x' },
      'input.authConfig.aws_auth_type',
    ],
    [{ allowedWorkspaces: ['nowhere'] }, 'input.allowedWorkspaces[0]'],
    [{ allowedWorkspaces: ['x'], allowAllWorkspaces: true }, 'input.allowedWorkspaces'],
  ])('refuses %j', async (change, param) => {
    expect(await refused(() => tryCreate(change))).toEqual({ code: 'VALIDATION_FAILED', param });
  });

  it('refuses an update that says nothing', async () => {
    expect(await refused(() => update(subject.id, {}))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input',
    });
  });
});

describe('the auth config of a secret reference', () => {
  it('is merged, takes its masks back, and follows the way', async () => {
    const { id, authConfig } = await make({});
    dataOf(await update(id, { authConfig: { ...authConfig, vault_namespace: 'a/' } }));
    expect((await find(id)).authConfig).toEqual({ ...authConfig, vault_namespace: 'a/' });
    dataOf(await update(id, { authConfig: { vault_namespace: null } }));
    expect((await find(id)).authConfig).toEqual(authConfig);
    const way = {
      vault_auth_type: 'approle',
      vault_role_id: 'role',
      vault_secret_id: 'secret-id-0123456789',
    };
    dataOf(await update(id, { authConfig: way }));
    expect((await find(id)).authConfig).toEqual({
      vault_auth_type: 'approle',
      vault_addr: address,
      vault_role_id: 'role',
      masked_vault_secret_id: 'sec***6789',
    });
    expect(await refused(() => update(id, { authConfig: { masked_vault_secret_id: 'sec***0000' } }))).toEqual(
      {
        code: 'VALIDATION_FAILED',
        param: 'input.authConfig.masked_vault_secret_id',
      },
    );
  });

  it('takes no stored secret to another address', async () => {
    const { id } = await make({});
    const elsewhere = { vault_addr: 'http://127.0.0.1:9' };
    expect(await refused(() => update(id, { authConfig: elsewhere }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.authConfig.vault_token',
    });
    dataOf(await update(id, { authConfig: { ...elsewhere, vault_token: 'hvs.another' } }));
    dataOf(await update(id, { authConfig: { vault_addr: 'http://127.0.0.1:9/prefix' } }));
  });
});

describe('the workspaces of a secret reference', () => {
  it('are all, or those that are named', async () => {
    const { id: workspaceId, slug } = await makeWorkspace('Vaulted');
    const { id } = await make({ allowedWorkspaces: [slug] });
    const allowance = async () => {
      const { allowAllWorkspaces, allowedWorkspaceIds } = await find(id);
      return [allowAllWorkspaces, allowedWorkspaceIds];
    };
    expect(await allowance()).toEqual([false, [workspaceId]]);
    expect((await find(id)).allowedWorkspaces).toEqual([{ slug }]);
    dataOf(await update(id, { allowAllWorkspaces: true }));
    expect(await allowance()).toEqual([true, []]);
    dataOf(await update(id, { allowedWorkspaces: [app.workspaceId, workspaceId] }));
    expect(await allowance()).toEqual([false, [app.workspaceId, workspaceId]]);
    dataOf(await update(id, { name: 'Other' }));
    expect(await allowance()).toEqual([false, [app.workspaceId, workspaceId]]);
  });
});
