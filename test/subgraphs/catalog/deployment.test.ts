import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../../src/lib/ids.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };
const setting = (): Setting => ({ app, neighbour });

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = await create({ name: 'Subject' });
});
afterAll(() => app.stop());

const url = 'https://gateway.example.com/v1';
const createDocument = `mutation ($input: CreateDeploymentInput!) {
  createDeployment(input: $input) { id slug type status url config isDefault allowAllWorkspaces createdBy }
}`;
const tryCreate = (input: object, key?: string) =>
  app.graphql(createDocument, { input: { name: 'x', type: 'production', url, ...input } }, key);
const create = async (input: object, key?: string) => dataOf(await tryCreate(input, key)).createDeployment;
const read = (id: string, key?: string) =>
  app.graphql(
    `query ($id: ID!) {
      deployment(id: $id) {
        id name description isDefault allowAllWorkspaces allowedWorkspaceIds workspaceCount
        allowedWorkspaces { slug }
      }
    }`,
    { id },
    key,
  );
const find = async (id: string) => dataOf(await read(id)).deployment;
const update = (id: string, input: object) =>
  app.graphql(
    `mutation ($id: ID!, $input: UpdateDeploymentInput!) {
      updateDeployment(id: $id, input: $input) { slug name description type url mcpUrl config status }
    }`,
    { id, input },
  );
const remove = (id: string) => app.graphql('mutation ($id: ID!) { deleteDeployment(id: $id) }', { id });
const listed = async (args: object, key?: string): Promise<string[]> => {
  const document = `query ($type: String, $status: DeploymentStatus, $workspaceId: ID, $search: String) {
    deployments(type: $type, status: $status, workspaceId: $workspaceId, search: $search) { data { slug } }
  }`;
  const { data } = dataOf(await app.graphql(document, args, key)).deployments;
  return data.map(({ slug }: { slug: string }) => slug);
};
const makeWorkspace = async (name: string): Promise<{ id: string; slug: string }> =>
  dataOf(
    await app.graphql('mutation ($name: String!) { createWorkspace(input: { name: $name }) { id slug } }', {
      name,
    }),
  ).createWorkspace;

describeAccess(setting, 'organisation-service', {
  createDeployment: {
    document: createDocument,
    variables: () => ({ input: { name: 'x', type: 'production', url } }),
    scopes: ['deployments.create'],
    audit: 'deployment.create',
  },
  deployment: {
    document: 'query ($id: ID!) { deployment(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['deployments.read'],
    addressed: true,
  },
  deployments: { document: '{ deployments { total } }', scopes: ['deployments.list'] },
  updateDeployment: {
    document: 'mutation ($id: ID!) { updateDeployment(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['deployments.update'],
    audit: 'deployment.update',
    addressed: true,
  },
  deleteDeployment: {
    document: 'mutation ($id: ID!) { deleteDeployment(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['deployments.delete'],
    audit: 'deployment.delete',
    addressed: true,
  },
});

describe('a deployment', () => {
  it('is made, changed and deleted', async () => {
    const config = { region: 'eu-west-1', replicas: 3, camelCase: { snake_case: [null] } };
    const made = await create({ name: 'EU Production', config });
    expect(made).toMatchObject({ status: 'active', url, config, isDefault: false, allowAllWorkspaces: true });
    expect(made.slug).toMatch(/^eu-production-[0-9a-f]{6}$/);
    const key = await app.db
      .collection('api_keys')
      .findOne({ organisationId: app.organisationId, workspaceId: null }, { sort: { _id: 1 } });
    expect(made.createdBy).toBe(key?._id);
    const changes = { name: 'EU', description: 'd', mcpUrl: `${url}/mcp`, config: null, status: 'archived' };
    expect(dataOf(await update(made.slug, changes)).updateDeployment).toEqual({
      ...changes,
      slug: made.slug,
      type: 'production',
      url,
    });
    expect(dataOf(await remove(made.slug)).deleteDeployment).toBe(made.id);
    expect(errorOf(await remove(made.id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'deployment', targetId: made.id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  it('stays as it is where an update says nothing', async () => {
    const before = await find(subject.id);
    await update(subject.id, {});
    expect(await find(subject.id)).toEqual(before);
  });

  it('has a slug of its own in its organisation', async () => {
    expect(errorOf(await tryCreate({ slug: subject.slug }))).toEqual({
      code: 'ALREADY_EXISTS',
      param: 'slug',
    });
    expect(await create({ slug: subject.slug }, neighbour.adminKey)).toMatchObject({ slug: subject.slug });
  });

  it('is the default instead of the one before', async () => {
    const first = await create({ isDefault: true });
    const others = await create({ isDefault: true }, neighbour.adminKey);
    const second = await create({});
    await update(second.id, { isDefault: true });
    expect([(await find(first.id)).isDefault, (await find(second.id)).isDefault]).toEqual([false, true]);
    expect(dataOf(await read(others.id, neighbour.adminKey)).deployment.isDefault).toBe(true);
    expect(errorOf(await update(first.id, { isDefault: true, url: 'no URL' })).code).toBe(
      'VALIDATION_FAILED',
    );
    expect((await find(second.id)).isDefault).toBe(true);
    expect(dataOf(await remove(second.id)).deleteDeployment).toBe(second.id);
  });

  it('is listed by type, status, name and the workspace that may use it', async () => {
    const { id: workspaceId, slug: workspace } = await makeWorkspace('Lister');
    const key = neighbour.adminKey;
    await create({ slug: 'list-test', name: 'List a', type: 'non-production' });
    await create({ slug: 'list-limited', name: 'List b', allowedWorkspaces: [workspace] });
    await create({ slug: 'list-archived', name: 'List (a' });
    await update('list-archived', { status: 'archived' });
    expect(await listed({ search: 'list' })).toEqual(['list-limited', 'list-test']);
    expect(await listed({ search: 'LIST', type: 'non-production' })).toEqual(['list-test']);
    expect(await listed({ search: '(a', status: 'archived' })).toEqual(['list-archived']);
    expect(await listed({ search: 'list', status: null })).toHaveLength(3);
    expect(await listed({ search: 'list', workspaceId })).toEqual(['list-limited', 'list-test']);
    expect(await listed({ search: 'list', workspaceId: app.workspaceId })).toEqual(['list-test']);
    expect(await listed({ search: 'list' }, key)).toEqual([]);
  });

  it.each([
    ['an empty name', { name: '' }, 'input.name'],
    ['a slug that is too short', { slug: 'ab' }, 'input.slug'],
    ['a slug that is too long', { slug: 's'.repeat(51) }, 'input.slug'],
    ['a type that is none', { type: 'staging' }, 'input.type'],
    ['a URL that is none', { url: 'gateway' }, 'input.url'],
    ['a URL of the metadata service', { url: 'http://169.254.169.254/latest' }, 'input.url'],
    ['a URL with a credential', { url: 'https://user:secret@example.com' }, 'input.url'],
    ['an MCP URL of another kind', { mcpUrl: 'ftp://example.com' }, 'input.mcpUrl'],
    ['a config that is no object', { config: [] }, 'input.config'],
    ['a config that is too large', { config: { text: 'x'.repeat(65_536) } }, 'input.config'],
    ['a workspace that does not exist', { allowedWorkspaces: ['none'] }, 'input.allowedWorkspaces[0]'],
  ])('is refused with %s', async (_what, input, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate(input))).toEqual({ code: 'VALIDATION_FAILED', param });
    if (!('slug' in input))
      expect(errorOf(await update(subject.id, input))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('is one of at most 100 in production, by creation or by change', async () => {
    const { organisationId, adminKey } = await app.createTenant();
    const key = adminKey;
    const other = await create({ type: 'non-production' }, key);
    const rows = Array.from({ length: 99 }, (_, index) => ({
      _id: uuid() as never,
      organisationId,
      slug: `full-${index}`,
      type: 'production',
    }));
    await app.db.collection('deployments').insertMany(rows);
    await create({}, key);
    const full = { code: 'VALIDATION_FAILED', param: 'input.type' };
    expect(errorOf(await tryCreate({}, key))).toEqual(full);
    const promote = 'mutation ($id: ID!) { updateDeployment(id: $id, input: { type: "production" }) { id } }';
    expect(errorOf(await app.graphql(promote, { id: other.id }, key))).toEqual(full);
    await create({ type: 'non-production' }, key);
    await create({});
  });
});

describe('the workspaces of a deployment', () => {
  it('are all of them, or those that are named and still there', async () => {
    const [one, two] = [await makeWorkspace('One'), await makeWorkspace('Two')];
    const { workspaceCount: all } = await find(subject.id);
    const { id, allowAllWorkspaces } = await create({ allowedWorkspaces: [one.slug, two.id, one.id] });
    expect(allowAllWorkspaces).toBe(false);
    expect(await find(id)).toMatchObject({
      workspaceCount: 2,
      allowedWorkspaceIds: [one.id, two.id],
      allowedWorkspaces: [{ slug: one.slug }, { slug: two.slug }],
    });
    dataOf(await app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: one.id }));
    expect(await find(id)).toMatchObject({ workspaceCount: 1, allowedWorkspaceIds: [two.id] });
    await update(id, { allowAllWorkspaces: true });
    expect(await find(id)).toMatchObject({ workspaceCount: all - 1, allowedWorkspaceIds: [two.id] });
    await update(id, { allowAllWorkspaces: false, allowedWorkspaces: [] });
    expect(await find(id)).toMatchObject({ workspaceCount: 0, allowedWorkspaces: [] });
  });

  it('are never those of another tenant', async () => {
    const error = errorOf(await tryCreate({ allowedWorkspaces: [app.workspaceId, neighbour.workspaceId] }));
    expect(error).toEqual({ code: 'VALIDATION_FAILED', param: 'input.allowedWorkspaces[1]' });
  });
});
