import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtInRoles } from '../../../src/auth/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';
import { accountWith, createNeighbour, createPolicy, createRole, principalOf } from './accounts.ts';
import { describeTokenAccess } from './token-access.ts';

let app: TestApp;
let admin: string;
let neighbour: Tenant & { token: string };
let subject: string;

beforeAll(async () => {
  app = await startApp();
  admin = await app.token();
  neighbour = await createNeighbour(app);
  subject = await createRole(app, admin, ['logs.list']);
});
afterAll(() => app.stop());

const createDocument = `mutation ($input: CreateRoleInput!) {
  createRole(input: $input) { id object slug name description permissions builtIn }
}`;
const input = { slug: 'auditor', name: 'Auditor', permissions: ['audit_logs.list'] };
const tryCreate = (change: object, key = admin) =>
  app.graphql(createDocument, { input: { ...input, ...change } }, key);
const updateDocument = `mutation ($id: ID!, $input: UpdateRoleInput!) {
  updateRole(id: $id, input: $input) { name description permissions }
}`;
const update = (id: string, change: object, key = admin) =>
  app.graphql(updateDocument, { id, input: change }, key);
const deleteDocument = 'mutation ($id: ID!) { deleteRole(id: $id) }';
const remove = (id: string, key = admin) => app.graphql(deleteDocument, { id }, key);
const read = (id: string) =>
  app.graphql(
    'query ($id: ID!) { role(id: $id) { slug name permissions builtIn createdAt lastUpdatedAt } }',
    { id },
    admin,
  );
const listed = async (args: object, key = admin): Promise<{ total: number; data: { id: string }[] }> => {
  const document = `query ($name: String, $builtIn: Boolean, $currentPage: Int! = 0, $pageSize: Int! = 100) {
    roles(name: $name, builtIn: $builtIn, currentPage: $currentPage, pageSize: $pageSize) { total data { id } }
  }`;
  return dataOf(await app.graphql(document, args, key)).roles;
};

describeTokenAccess(() => ({ app, admin, neighbour }), 'iam.custom_role', {
  createRole: {
    document: createDocument,
    variables: () => ({ input: { ...input, slug: 'refused' } }),
    audit: 'role.create',
  },
  role: {
    document: 'query ($id: ID!) { role(id: $id) { id } }',
    variables: () => ({ id: subject }),
    addressed: true,
  },
  roles: { document: '{ roles { total } }' },
  updateRole: {
    document: updateDocument,
    variables: () => ({ id: subject, input: { name: 'changed' } }),
    audit: 'role.update',
    addressed: true,
  },
  deleteRole: {
    document: deleteDocument,
    variables: () => ({ id: subject }),
    audit: 'role.delete',
    addressed: true,
  },
});

describe('a role of a tenant', () => {
  it('is made, changed and deleted', async () => {
    const { createRole: made } = dataOf(await tryCreate({ description: 'd' }));
    const id = `auditor:${app.tsgId}`;
    expect(made).toEqual({ ...input, id, object: 'role', description: 'd', builtIn: false });
    const change = { name: 'A', description: null, permissions: ['logs.list', 'logs.view'] };
    expect(dataOf(await update(id, change)).updateRole).toEqual(change);
    expect(dataOf(await update(id, {})).updateRole).toEqual(change);
    expect(dataOf(await remove(id)).deleteRole).toBe(id);
    expect(errorOf(await remove(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'role', targetId: id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'delete']);
  });

  it.each([
    ['a slug with a colon', { slug: 'a:b' }, 'VALIDATION_FAILED', 'input.slug'],
    ['a slug that is too short', { slug: 'a' }, 'VALIDATION_FAILED', 'input.slug'],
    ['a slug that is too long', { slug: 'a'.repeat(64) }, 'VALIDATION_FAILED', 'input.slug'],
    ["a built-in role's slug", { slug: 'superuser' }, 'VALIDATION_FAILED', 'input.slug'],
    ['an empty name', { name: '' }, 'VALIDATION_FAILED', 'input.name'],
    ['no permission', { permissions: [] }, 'VALIDATION_FAILED', 'input.permissions'],
    [
      'an unknown permission',
      { permissions: ['logs.list', 'logs.burn'] },
      'VALIDATION_FAILED',
      'input.permissions[1]',
    ],
  ])('is refused with %s', async (_what, change, code, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate({ slug: 'wrong', ...change }))).toEqual({ code, param });
    if (!('slug' in change)) expect(errorOf(await update(subject, change))).toEqual({ code, param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('has a slug of its own in its tenant', async () => {
    dataOf(await tryCreate({ slug: 'twice' }));
    expect(errorOf(await tryCreate({ slug: 'twice' }))).toEqual({ code: 'ALREADY_EXISTS', param: 'slug' });
    dataOf(await tryCreate({ slug: 'twice' }, neighbour.token));
  });

  it('gets no permission that its maker lacks, by creation or by change', async () => {
    const { token } = await accountWith(app, admin, ['iam.custom_role', 'logs.list']);
    const role = await createRole(app, admin, ['logs.list']);
    const before = await dumpResources(app);
    const refusal = { code: 'FORBIDDEN', param: 'input.permissions[1]' };
    const permissions = ['logs.list', 'logs.view'];
    expect(errorOf(await tryCreate({ slug: 'more', permissions }, token))).toEqual(refusal);
    expect(errorOf(await update(role, { permissions }, token))).toEqual(refusal);
    expect(await dumpResources(app)).toBe(before);
    const kept = { permissions: ['iam.custom_role', 'logs.list'] };
    expect(dataOf(await update(role, kept, token)).updateRole).toMatchObject(kept);
  });

  it('is not changed or deleted by whom it outranks', async () => {
    const { token } = await accountWith(app, admin, ['iam.custom_role', 'logs.list']);
    const role = await createRole(app, admin, ['logs.list', 'configs.read']);
    const before = await dumpResources(app);
    for (const answer of [
      await update(role, { permissions: ['logs.list'] }, token),
      await update(role, { name: 'Renamed' }, token),
      await remove(role, token),
    ]) {
      expect(errorOf(answer).code).toBe('FORBIDDEN');
      expect(answer.errors?.[0]?.message).toContain('it lacks configs.read.');
    }
    expect(await dumpResources(app)).toBe(before);
  });

  it('counts at once for whoever holds it', async () => {
    const role = await createRole(app, admin, ['logs.list']);
    const { token } = await accountWith(app, admin, role);
    const read = () => app.graphql('{ workspaces { total } }', {}, token);
    expect(errorOf(await read()).code).toBe('FORBIDDEN');
    await update(role, { permissions: ['workspaces.list'] });
    dataOf(await read());
  });

  it('is not deleted while an access policy gives it', async () => {
    const role = await createRole(app, admin, ['logs.list']);
    await createPolicy(app, admin, { principal: 'a@example.com', resource: `prn:${app.tsgId}::::`, role });
    const before = await dumpResources(app);
    expect(errorOf(await remove(role)).code).toBe('IN_USE');
    expect(await dumpResources(app)).toBe(before);
  });

  it('keeps the administration of policies where nobody else has it', async () => {
    const { token, tsgId } = await createNeighbour(app);
    const role = await createRole(app, token, ['iam.access_policy', 'iam.custom_role']);
    const principal = principalOf('admin', tsgId);
    await createPolicy(app, token, { principal, resource: `prn:${tsgId}::::`, role });
    const { data } = dataOf(
      await app.graphql('{ accessPolicies(role: "superuser") { data { id } } }', {}, token),
    ).accessPolicies;
    const take = 'mutation ($id: ID!) { deleteAccessPolicy(id: $id) }';
    dataOf(await app.graphql(take, { id: data[0].id }, token));
    expect(errorOf(await update(role, { permissions: ['iam.custom_role'] }, token)).code).toBe('IN_USE');
    dataOf(await update(role, { permissions: ['iam.access_policy'] }, token));
  });
});

describe('built-in roles', () => {
  it('are read and listed before those of the tenant, on whatever page they end', async () => {
    const superuser = { slug: 'superuser', name: 'Superuser', builtIn: true };
    expect(dataOf(await read('superuser')).role).toMatchObject({ ...superuser, createdAt: null });
    const own = (await listed({ builtIn: false })).data.map(({ id }) => id);
    const all = [...builtInRoles.keys(), ...own];
    const pages: string[] = [];
    for (let currentPage = 0; pages.length < all.length; currentPage++) {
      const { total, data } = await listed({ currentPage, pageSize: 5 });
      expect(total).toBe(all.length);
      expect(data.length).toBe(Math.min(5, all.length - pages.length));
      pages.push(...data.map(({ id }) => id));
    }
    expect(pages).toEqual(all);
    expect(await listed({ name: 'SUPER' })).toEqual({ total: 1, data: [{ id: 'superuser' }] });
    expect((await listed({ builtIn: true })).total).toBe(builtInRoles.size);
    expect((await listed({ builtIn: false }, neighbour.token)).data).not.toContainEqual({ id: subject });
  });

  it('cannot be changed or deleted', async () => {
    expect(errorOf(await update('superuser', { name: 'x' }))).toEqual({ code: 'FORBIDDEN', param: 'id' });
    expect(errorOf(await remove('superuser'))).toEqual({ code: 'FORBIDDEN', param: 'id' });
  });
});
