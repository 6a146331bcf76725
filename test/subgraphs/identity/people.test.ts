import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../support/provider.ts';
import { addUser } from '../../support/users.ts';
import { startWorld, type World } from '../../support/world.ts';
import { dataOf, makeKey } from '../support.ts';

let world: World;
let ada: string;
let adasKey: string;

beforeAll(async () => {
  world = await startWorld();
  ada = (await addUser(world.app, { role: 'admin' }))._id;
  adasKey = dataOf(
    await world.app.graphql(
      `mutation ($input: CreateWorkspaceUserApiKeyInput!) { createWorkspaceUserApiKey(input: $input) { key } }`,
      {
        input: {
          name: "Ada's",
          workspaceId: world.app.workspaceId,
          userId: ada,
          scopes: ['completions.write', 'configs.create'],
        },
      },
    ),
  ).createWorkspaceUserApiKey.key;
});
afterAll(() => world.stop());

const makeConfig = async (name: string, key: string) =>
  dataOf(
    await world.app.graphql(
      'mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id } }',
      { input: { name, config: { retry: { attempts: 1 } }, workspaceId: world.app.workspaceId } },
      key,
    ),
  ).createConfig.id;

const ownerOf = (id: string, key?: string) =>
  world.app.graphql('query ($id: ID!) { config(id: $id) { ownerId owner { id } } }', { id }, key);

describe('what leads to a person', () => {
  it('names who made a config', async () => {
    const id = await makeConfig('by Ada', adasKey);
    expect(dataOf(await ownerOf(id)).config).toEqual({ ownerId: ada, owner: { id: ada } });
  });

  it('leads to nobody from what a key made', async () => {
    const id = await makeConfig('by a key', world.app.adminKey);
    expect(dataOf(await ownerOf(id)).config.owner).toBeNull();
  });

  it('names whom a key and its requests stand for', async () => {
    await world.logged(json(200, { id: 'x', choices: [] }), { key: adasKey });
    const data = dataOf(
      await world.app.graphql(
        '{ apiKeys(name: "Ada") { data { user { id } } } logs { data { user { id } } } }',
      ),
    );
    expect(data.apiKeys.data).toEqual([{ user: { id: ada } }]);
    expect(data.logs.data).toEqual([{ user: { id: ada } }]);
  });

  it('stays closed without the scope of users, and the rest is answered', async () => {
    const id = await makeConfig('seen by a workspace', adasKey);
    const key = await makeKey(world.app, 'workspace-service');
    const { data, errors } = await ownerOf(id, key);
    expect(data.config).toEqual({ ownerId: ada, owner: null });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
  });
});
