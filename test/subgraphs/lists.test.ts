import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { uuid } from '../../src/lib/ids.ts';
import { orTooSlow } from '../../src/subgraphs/bounded-read.ts';
import { deploymentModel } from '../../src/subgraphs/catalog/deployment/model.ts';
import { integrationModel } from '../../src/subgraphs/catalog/integration/index.ts';
import { providerModel } from '../../src/subgraphs/catalog/provider/index.ts';
import { apiKeyModel } from '../../src/subgraphs/identity/api-key/index.ts';
import { workspaceModel } from '../../src/subgraphs/identity/workspace/index.ts';
import { configModel } from '../../src/subgraphs/routing/config/index.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { dataOf, errorOf } from './support.ts';

let app: TestApp;
let neighbour: Tenant;

/** What the items of a list need besides names and times; `odd` is what only the item named Alpha has. */
type List = { members: object; odd: object; model: unknown; collection: string };

const own = () => ({ workspaceId: app.workspaceId });
const lists: Record<string, () => List> = {
  workspaces: () => ({
    model: workspaceModel(app.db),
    collection: 'workspaces',
    members: {},
    odd: { status: 'archived' },
  }),
  apiKeys: () => ({
    model: apiKeyModel(app.db),
    collection: 'api_keys',
    members: { ...own(), type: 'workspace-service', secretMask: '***', scopes: ['logs.list'] },
    odd: { type: 'workspace-user', userId: 'ann', expiresAt: new Date('2020-01-01') },
  }),
  integrations: () => ({
    model: integrationModel(app.db),
    collection: 'integrations',
    members: { aiProviderId: 'openai' },
    odd: { ...own(), aiProviderId: 'groq', status: 'archived', tags: { team: 'search' } },
  }),
  providers: () => ({
    model: providerModel(app.db),
    collection: 'providers',
    members: { ...own(), integrationId: 'main' },
    odd: { integrationId: 'other', expiresAt: new Date('2020-01-01'), tags: { team: 'search' } },
  }),
  deployments: () => ({
    model: deploymentModel(app.db),
    collection: 'deployments',
    members: { type: 'production', url: 'https://gateway.example', createdBy: 'ann' },
    odd: { type: 'non-production', status: 'archived' },
  }),
  configs: () => ({
    model: configModel(app.db),
    collection: 'configs',
    members: { ...own(), config: {}, versionId: 'v', ownerId: 'ann', updatedBy: 'ann' },
    odd: { status: 'archived' },
  }),
};
const names = Object.keys(lists);

const day = (number: number) => new Date(Date.UTC(2025, 0, number));
/** By name: Alpha, beta, Gamma (100%.*); made in the order beta, Gamma, Alpha; changed in the order Gamma, Alpha, beta. */
const items = [
  { name: 'beta', createdAt: day(1), lastUpdatedAt: day(9) },
  { name: 'Gamma (100%.*)', createdAt: day(2), lastUpdatedAt: day(7) },
  { name: 'Alpha', createdAt: day(3), lastUpdatedAt: day(8) },
];

type Insertable = { insertMany(documents: object[], options: object): Promise<unknown> };

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  for (const list of Object.values(lists)) {
    const { model, members, odd } = list();
    const documents = items.map((item) => ({
      _id: uuid(),
      organisationId: app.organisationId,
      slug: uuid(),
      secretHash: uuid(),
      ...members,
      ...item,
      ...(item.name === 'Alpha' && odd),
    }));
    await (model as Insertable).insertMany(documents, { timestamps: false });
  }
});
afterAll(() => app.stop());

/** Names in a list, without what the tenant was made with; the provider list is always of one workspace. */
async function ask(list: string, args: string, key = app.adminKey, workspaceId = app.workspaceId) {
  const place = list === 'providers' ? ` workspaceId: "${workspaceId}"` : '';
  // These two leave out what is archived unless they are told.
  const told = !['workspaces', 'deployments'].includes(list) || args.includes('status');
  const all = told ? '' : ' status: null';
  const spelled = list === 'deployments' ? args.replace(/\bname:/, 'search:') : args;
  return app.graphql(`{ ${list}(${spelled}${place}${all}) { total data { name } } }`, {}, key);
}
async function namesIn(list: string, args: string) {
  const { data } = dataOf(await ask(list, `createdAtMax: "2025-02-01T00:00:00Z" ${args}`))[list];
  return data.map(({ name }: { name: string }) => name.split(' ')[0]);
}

describe.each(names)('%s', (list) => {
  it.each([
    ['name', 'asc', ['Alpha', 'beta', 'Gamma']],
    ['name', 'desc', ['Gamma', 'beta', 'Alpha']],
    ['createdAt', 'asc', ['beta', 'Gamma', 'Alpha']],
    ['createdAt', 'desc', ['Alpha', 'Gamma', 'beta']],
    ['lastUpdatedAt', 'asc', ['Gamma', 'Alpha', 'beta']],
    ['lastUpdatedAt', 'desc', ['beta', 'Alpha', 'Gamma']],
  ])('are sorted by %s, %s, over all pages', async (field, direction, sorted) => {
    const sort = `sort: { field: ${field}, direction: ${direction} }`;
    expect(await namesIn(list, sort)).toEqual(sorted);
    const pages = [0, 1, 2].map((page) => namesIn(list, `${sort} pageSize: 1 currentPage: ${page}`));
    expect((await Promise.all(pages)).flat()).toEqual(sorted);
  });

  it('are newest first when nothing is said', async () => {
    expect(await namesIn(list, '')).toEqual(['Alpha', 'Gamma', 'beta']);
  });

  it('are found by part of a name, any case, taken literally', async () => {
    expect(await namesIn(list, 'name: "ALPH"')).toEqual(['Alpha']);
    expect(await namesIn(list, 'name: "(100%.*)"')).toEqual(['Gamma']);
    expect(await namesIn(list, 'name: ".*"')).toEqual(['Gamma']);
    expect(errorOf(await ask(list, 'name: "a\\u0000b"'))).toEqual({
      code: 'VALIDATION_FAILED',
      param: list === 'deployments' ? 'search' : 'name',
    });
  });

  it('are narrowed by the time they were made, both ends included', async () => {
    expect(await namesIn(list, 'createdAtMin: "2025-01-02T00:00:00Z"')).toEqual(['Alpha', 'Gamma']);
    const { data, total } = dataOf(
      await ask(list, 'createdAtMin: "2025-01-02T00:00:00Z" createdAtMax: "2025-01-02T00:00:00Z"'),
    )[list];
    expect({ total, length: data.length }).toEqual({ total: 1, length: 1 });
  });

  it('are not sorted by what is no field of the sort', async () => {
    const answer = await ask(list, 'sort: { field: organisationId }');
    expect(answer.status).toBe(400);
    expect(answer.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('show nothing of them to a neighbour, however it asks', async () => {
    for (const args of ['name: "Alpha"', 'sort: { field: name }', 'createdAtMax: "2025-02-01T00:00:00Z"']) {
      const answer = await ask(list, args, neighbour.adminKey, neighbour.workspaceId);
      expect(JSON.stringify(dataOf(answer))).not.toContain('Alpha');
    }
  });

  it('have an index for each sort', async () => {
    const indexes = await app.db.collection(lists[list]?.().collection ?? '').indexes();
    const keys = indexes.map(({ key }) => Object.keys(key).join(' '));
    const scopes = {
      providers: ['workspaceId '],
      apiKeys: ['', 'workspaceId '],
      configs: ['', 'workspaceId '],
    };
    const wanted = (scopes[list as keyof typeof scopes] ?? ['']).flatMap((scope) =>
      ['name', 'createdAt', 'lastUpdatedAt'].map((field) => `organisationId ${scope}${field} _id`),
    );
    expect(keys).toEqual(expect.arrayContaining(wanted));
  });
});

describe('the filters of a list', () => {
  it.each([
    ['workspaces', 'status: archived'],
    ['apiKeys', 'status: expired'],
    ['apiKeys', 'type: "workspace-user"'],
    ['apiKeys', 'userId: "ann"'],
    ['integrations', 'status: archived'],
    ['integrations', 'aiProviderId: "groq"'],
    ['integrations', 'type: workspace'],
    ['integrations', 'tags: { team: "search" }'],
    ['deployments', 'status: archived'],
    ['deployments', 'type: "non-production" status: archived'],
    ['providers', 'status: expired'],
    ['providers', 'integrationId: "other"'],
    ['providers', 'tags: { team: "search" }'],
    ['configs', 'status: archived'],
  ])('%s: %s gives only what it says', async (list, args) => {
    expect(await namesIn(list, args)).toEqual(['Alpha']);
    expect(await namesIn(list, `${args} name: "beta"`)).toEqual([]);
  });

  it.each([
    ['workspaces', 'status: active'],
    ['workspaces', 'status: [active]'],
    ['apiKeys', 'status: active'],
    ['integrations', 'status: active'],
    ['providers', 'status: active'],
    ['configs', 'status: active'],
  ])('%s: %s leaves out what is not', async (list, args) => {
    expect(await namesIn(list, args)).toEqual(['Gamma', 'beta']);
  });

  it('take several at once, and several statuses of workspaces', async () => {
    expect(await namesIn('workspaces', 'status: [active, archived]')).toHaveLength(3);
    expect(
      await namesIn('apiKeys', 'status: expired type: "workspace-user" userId: "ann" name: "a"'),
    ).toEqual(['Alpha']);
  });

  it('refuse a type of key that there is not', async () => {
    expect(errorOf(await ask('apiKeys', 'type: "wizard"'))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'type',
    });
  });
});

describe('a list that takes the store too long', () => {
  it('is refused with what helps; other errors stay what they are', async () => {
    const slow = Promise.reject(new MongoServerError({ code: 50, errmsg: 'operation exceeded time limit' }));
    await expect(orTooSlow(slow)).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: expect.stringContaining('narrow the list'),
    });
    await expect(orTooSlow(Promise.reject(new Error('other')))).rejects.toThrow('other');
    await expect(orTooSlow(Promise.resolve(1))).resolves.toBe(1);
  });
});
