import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: { id: string; slug: string };

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  subject = dataOf(await create({ name: 'Subject' })).createWorkspace;
});
afterAll(() => app.stop());

const createDocument =
  'mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id slug name isDefault status defaults } }';
const create = (input: object, key?: string) => app.graphql(createDocument, { input }, key);
const read = (id: string, key?: string) =>
  app.graphql('query ($id: ID!) { workspace(id: $id) { id organisation { id name } } }', { id }, key);
const update = (id: string, input: object) =>
  app.graphql(
    'mutation ($id: ID!, $input: UpdateWorkspaceInput!) { updateWorkspace(id: $id, input: $input) { name description defaults } }',
    { id, input },
  );
const remove = (id: string) => app.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id });

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  createWorkspace: {
    document: createDocument,
    variables: () => ({ input: { name: 'x' } }),
    scopes: ['workspaces.create'],
    audit: 'workspace.create',
  },
  workspace: {
    document: 'query ($id: ID!) { workspace(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['workspaces.read'],
    addressed: true,
  },
  workspaces: { document: '{ workspaces { total } }', scopes: ['workspaces.list'] },
  updateWorkspace: {
    document: 'mutation ($id: ID!) { updateWorkspace(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['workspaces.update'],
    audit: 'workspace.update',
    addressed: true,
  },
});

describe('a workspace', () => {
  it('is made, changed and deleted', async () => {
    const defaults = { metadata: { team: 'search' } };
    const made = dataOf(await create({ name: 'Team One', defaults })).createWorkspace;
    expect(made).toMatchObject({ name: 'Team One', isDefault: 0, status: 'active', defaults });
    expect(made.slug).toMatch(/^ws-team-one-[0-9a-f]{6}$/);
    expect(dataOf(await update(made.slug, { description: 'd', defaults: null })).updateWorkspace).toEqual({
      name: 'Team One',
      description: 'd',
      defaults: null,
    });
    expect(dataOf(await read(made.id)).workspace.organisation.id).toBe(app.organisationId);
    expect(dataOf(await remove(made.id)).deleteWorkspace).toBe(made.id);
    expect(errorOf(await read(made.id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'workspace', targetId: made.id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  it.each([
    ['is the default one', () => app.workspaceId],
    ['still has resources', async () => (await withKey()).id],
  ])('stays while it %s', async (_what, idOf) => {
    const id = await idOf();
    const before = await dumpResources(app);
    expect(errorOf(await remove(id)).code).toBe('IN_USE');
    expect(await dumpResources(app)).toBe(before);
  });

  async function withKey() {
    const { id } = dataOf(await create({ name: 'Busy' })).createWorkspace;
    const input = { name: 'x', scopes: ['logs.list'], workspaceId: id };
    const document =
      'mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { id } }';
    dataOf(await app.graphql(document, { input }));
    return { id };
  }

  it('is the only one that its credential sees', async () => {
    const list = async (key: string) =>
      dataOf(await app.graphql('{ workspaces { data { id } } }', {}, key)).workspaces.data;
    expect(await list(app.workspaceKey)).toEqual([{ id: app.workspaceId }]);
    expect(await list(neighbour.adminKey)).toEqual([{ id: neighbour.workspaceId }]);
    expect(errorOf(await read(subject.id, app.workspaceKey)).code).toBe('NOT_FOUND');
  });

  it.each([
    ['an empty name', { name: '' }, 'input.name'],
    ['a name that is too long', { name: 'n'.repeat(256) }, 'input.name'],
    ['a description that is too long', { name: 'x', description: 'd'.repeat(501) }, 'input.description'],
    ['defaults that nothing acts on', { name: 'x', defaults: { colour: 1 } }, 'input.defaults.colour'],
    ['metadata that is no object', { name: 'x', defaults: { metadata: [] } }, 'input.defaults.metadata'],
    [
      'metadata that is no text',
      { name: 'x', defaults: { metadata: { a: 1 } } },
      'input.defaults.metadata.a',
    ],
  ])('is refused with %s', async (_what, input, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await create(input))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });
});

describe('the organisation', () => {
  it('is the one of the credential', async () => {
    for (const { adminKey, workspaceKey, organisationId } of [app, neighbour]) {
      for (const key of [adminKey, workspaceKey]) {
        const { organisation } = dataOf(await app.graphql('{ organisation { id object } }', {}, key));
        expect(organisation).toEqual({ id: organisationId, object: 'organisation' });
      }
    }
  });
});
