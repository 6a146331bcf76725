import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const fields = 'id page name query shared workspaceId createdBy';
const create = (input: object, key = app.workspaceKey) =>
  app.graphql(
    `mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) { ${fields} } }`,
    { input: { page: 'logs', name: 'Errors', query: 'status:5xx', ...input } },
    key,
  );
const made = async (input: object, key?: string) => dataOf(await create(input, key)).createSavedView;
const update = (id: string, input: object, key = app.workspaceKey) =>
  app.graphql(
    `mutation ($id: ID!, $input: UpdateSavedViewInput!) { updateSavedView(id: $id, input: $input) { ${fields} } }`,
    { id, input },
    key,
  );
const remove = (id: string, key = app.workspaceKey) =>
  app.graphql('mutation ($id: ID!) { deleteSavedView(id: $id) }', { id }, key);
const list = async (page: string, key = app.workspaceKey) =>
  dataOf(
    await app.graphql(
      'query ($page: String) { savedViews(page: $page) { total data { id } } }',
      { page },
      key,
    ),
  ).savedViews.data.map(({ id }: { id: string }) => id);

describeAccess(() => ({ app, neighbour }), 'workspace-service', {
  savedViews: { document: '{ savedViews { total } }', scopes: ['logs.list', 'analytics.view'] },
});

describe('a saved view', () => {
  it('is kept, changed and deleted', async () => {
    const view = await made({ page: 'own' });
    expect(view).toMatchObject({
      page: 'own',
      name: 'Errors',
      query: 'status:5xx',
      shared: false,
      workspaceId: app.workspaceId,
    });
    expect(await list('own')).toEqual([view.id]);
    const changed = dataOf(await update(view.id, { name: 'Worse', query: '' })).updateSavedView;
    expect(changed).toEqual({ ...view, name: 'Worse', query: '' });
    expect(dataOf(await remove(view.id)).deleteSavedView).toBe(view.id);
    expect(await list('own')).toEqual([]);
    expect(errorOf(await remove(view.id)).code).toBe('NOT_FOUND');
    expect(errorOf(await update(view.id, { name: 'x' })).code).toBe('NOT_FOUND');
  });

  it("is its maker's alone until it is shared, and its workspace's then", async () => {
    const colleague = await makeKey(app, 'workspace-service');
    const { id } = await made({ page: 'shared' });
    expect(await list('shared', colleague)).toEqual([]);
    expect(errorOf(await update(id, { name: 'x' }, colleague)).code).toBe('NOT_FOUND');
    expect(errorOf(await remove(id, colleague)).code).toBe('NOT_FOUND');
    await update(id, { shared: true });
    expect(await list('shared', colleague)).toEqual([id]);
    expect(await list('shared', app.adminKey)).toEqual([id]);
    for (const key of [neighbour.workspaceKey, neighbour.adminKey]) {
      expect(await list('shared', key)).toEqual([]);
      expect(errorOf(await remove(id, key)).code).toBe('NOT_FOUND');
    }
    expect(dataOf(await update(id, { name: 'Ours' }, colleague)).updateSavedView.name).toBe('Ours');
    const whole = await made({ page: 'shared', shared: true }, app.adminKey);
    expect(whole.workspaceId).toBeNull();
    expect(await list('shared')).toEqual([id]);
  });

  it.each([
    [{ name: '' }, 'input.name'],
    [{ page: 'A page' }, 'input.page'],
    [{ query: 'x'.repeat(8193) }, 'input.query'],
  ])('is refused for %p', async (input, param) => {
    expect(errorOf(await create(input))).toEqual({ code: 'VALIDATION_FAILED', param });
  });

  it('is one of at most 200', async () => {
    const key = await makeKey(app, 'workspace-service');
    for (let count = 0; count < 200; count += 20) {
      await Promise.all(Array.from({ length: 20 }, () => made({ page: 'many' }, key)));
    }
    expect(errorOf(await create({ page: 'many' }, key))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input',
    });
  });
});

it('goes with its workspace, and no other one does', async () => {
  const ask = (query: string, variables: object) => app.graphql(query, variables as never, app.adminKey);
  const { createWorkspace } = dataOf(
    await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
      input: { name: 'Short-lived' },
    }),
  );
  const workspaceId = createWorkspace.id;
  const kept = await made({ name: 'Kept', shared: true });
  const views = app.db.collection<{ _id: string }>('saved_views');
  const { _id, ...members } = { ...(await views.findOne({ _id: kept.id })) };
  await views.insertOne({ ...members, _id: 'of-the-workspace', workspaceId } as never);
  await views.insertOne({
    ...members,
    _id: 'of-a-neighbour',
    workspaceId,
    organisationId: neighbour.organisationId,
  } as never);
  expect(
    (await ask('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id: workspaceId })).errors,
  ).toBeUndefined();
  const left = await views.find({ _id: { $in: [kept.id, 'of-the-workspace', 'of-a-neighbour'] } }).toArray();
  expect(left.map((view) => view._id).sort()).toEqual([kept.id, 'of-a-neighbour'].sort());
});
