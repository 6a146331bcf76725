import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { describeAccess, type Setting } from '../access.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

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

const createDocument =
  'mutation ($input: CreateProviderInput!) { createProvider(input: $input) { id slug status integrationId workspaceId } }';
const tryCreate = (input: object, key = app.workspaceKey) =>
  app.graphql(createDocument, { input: { name: 'x', integrationId: 'mock', ...input } }, key);
const create = async (input: object, key?: string) => dataOf(await tryCreate(input, key)).createProvider;
const read = (id: string, key = app.workspaceKey, workspaceId?: string) =>
  app.graphql(
    'query ($id: ID!, $workspaceId: ID) { provider(id: $id, workspaceId: $workspaceId) { id name note status tags expiresAt } }',
    { id, workspaceId },
    key,
  );
const update = (id: string, input: object, key = app.workspaceKey) =>
  app.graphql(
    'mutation ($id: ID!, $input: UpdateProviderInput!) { updateProvider(id: $id, input: $input) { name note tags expiresAt } }',
    { id, input },
    key,
  );

describeAccess(setting, 'workspace-service', {
  createProvider: {
    document: createDocument,
    variables: () => ({ input: { name: 'x', integrationId: 'mock' } }),
    scopes: ['providers.create'],
    audit: 'provider.create',
  },
  provider: {
    document: 'query ($id: ID!) { provider(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['providers.read'],
    addressed: true,
  },
  providers: { document: '{ providers { total } }', scopes: ['providers.list'] },
  updateProvider: {
    document: 'mutation ($id: ID!) { updateProvider(id: $id, input: { name: "changed" }) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['providers.update'],
    audit: 'provider.update',
    addressed: true,
  },
  deleteProvider: {
    document: 'mutation ($id: ID!) { deleteProvider(id: $id) }',
    variables: () => ({ id: subject.id }),
    scopes: ['providers.delete'],
    audit: 'provider.delete',
    addressed: true,
  },
});

describe('a provider', () => {
  it('is made, changed and deleted', async () => {
    const { id, slug, status, workspaceId } = await create({
      name: 'My Models',
      note: 'n',
      tags: { a: 'b' },
    });
    expect(slug).toMatch(/^my-models-[0-9a-f]{6}$/);
    expect({ status, workspaceId }).toEqual({ status: 'active', workspaceId: app.workspaceId });
    expect(dataOf(await update(slug, { name: 'Ours', note: null })).updateProvider).toEqual({
      name: 'Ours',
      note: null,
      tags: { a: 'b' },
      expiresAt: null,
    });
    const remove = 'mutation ($id: ID!) { deleteProvider(id: $id) }';
    expect(dataOf(await app.graphql(remove, { id: slug }, app.workspaceKey)).deleteProvider).toBe(id);
    expect(errorOf(await read(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'provider', targetId: id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  it('is expired when its time is over', async () => {
    const { id } = await create({ expiresAt: new Date(Date.now() + 60_000) });
    expect(dataOf(await read(id)).provider.status).toBe('active');
    await app.db
      .collection('providers')
      .updateOne({ _id: id as never }, { $set: { expiresAt: new Date(1) } });
    expect(dataOf(await read(id)).provider.status).toBe('expired');
  });

  it('is found by its slug in a workspace, by its id in any', async () => {
    expect(dataOf(await read(subject.slug)).provider.id).toBe(subject.id);
    expect(dataOf(await read(subject.id, app.adminKey)).provider.id).toBe(subject.id);
    expect(dataOf(await read(subject.slug, app.adminKey, app.workspaceId)).provider.id).toBe(subject.id);
    expect(errorOf(await read(subject.slug, app.adminKey))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'workspace_id',
    });
    expect(errorOf(await read(subject.slug, neighbour.workspaceKey)).code).toBe('NOT_FOUND');
    expect(errorOf(await read(subject.slug, app.workspaceKey, neighbour.workspaceId)).code).toBe('FORBIDDEN');
  });

  it('is listed in its workspace only', async () => {
    const list = async (key: string, workspaceId?: string) =>
      app.graphql(
        'query ($workspaceId: ID) { providers(workspaceId: $workspaceId, pageSize: 1) { total data { slug } } }',
        { workspaceId },
        key,
      );
    const mine = dataOf(await list(app.workspaceKey)).providers;
    expect(mine.data).toHaveLength(1);
    expect(mine.total).toBeGreaterThan(1);
    expect(dataOf(await list(app.adminKey, app.workspaceId)).providers.total).toBe(mine.total);
    expect(dataOf(await list(neighbour.workspaceKey)).providers).toEqual({
      total: 1,
      data: [{ slug: 'mock' }],
    });
    expect(errorOf(await list(app.adminKey)).param).toBe('workspace_id');
  });

  it('shows its integration to whoever may read that', async () => {
    const query = 'query ($id: ID!) { provider(id: $id) { integration { slug } workspace { id } } }';
    expect(dataOf(await app.graphql(query, { id: subject.id })).provider).toEqual({
      integration: { slug: 'mock' },
      workspace: { id: app.workspaceId },
    });
    const answer = await app.graphql(query, { id: subject.id }, app.workspaceKey);
    expect(errorOf(answer).code).toBe('FORBIDDEN');
    expect(answer.data.provider).toMatchObject({ integration: null });
    const blind = await makeKey(app, 'workspace-service', { only: ['providers.read'] });
    expect((await app.graphql(query, { id: subject.id }, blind)).data.provider).toEqual({
      integration: null,
      workspace: null,
    });
  });

  it.each([
    ['an empty name', { name: '' }, 'input.name'],
    ['a note that is too long', { note: 'n'.repeat(1001) }, 'input.note'],
    ['an integration that does not exist', { integrationId: 'none' }, 'input.integrationId'],
    ['a moment in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
    ['a tag whose name is a path', { tags: { 'a.b': 'c' } }, 'input.tags.a.b'],
  ])('is refused with %s', async (_what, input, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate(input))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('has a slug of its own in its workspace', async () => {
    expect(errorOf(await tryCreate({ slug: 'mock' }))).toEqual({ code: 'ALREADY_EXISTS', param: 'slug' });
  });

  it('cannot use an integration that is not shared with its workspace', async () => {
    const foreign = 'mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { id } }';
    const input = { name: 'x', aiProviderId: 'openai', createDefaultProvider: false };
    const { createIntegration } = dataOf(await app.graphql(foreign, { input }, neighbour.adminKey));
    expect(errorOf(await tryCreate({ integrationId: createIntegration.id })).param).toBe(
      'input.integrationId',
    );
  });
});
