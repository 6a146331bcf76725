import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuid } from '../../../src/lib/ids.ts';
import { memberModel } from '../../../src/subgraphs/identity/member/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { auditRows, dataOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const config = { provider: '@mock' };
const digest = expect.stringMatching(/^[0-9a-f]{64}$/);

async function make(name: string, key = app.workspaceKey): Promise<{ id: string; slug: string }> {
  const document = 'mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id slug } }';
  return dataOf(await app.graphql(document, { input: { name, config } }, key)).createConfig;
}

const update = (id: string, input: object, key = app.workspaceKey) =>
  app.graphql(
    'mutation ($id: ID!, $input: UpdateConfigInput!) { updateConfig(id: $id, input: $input) { id } }',
    { id, input },
    key,
  );
const remove = (id: string, key = app.workspaceKey) =>
  app.graphql('mutation ($id: ID!) { deleteConfig(id: $id) }', { id }, key);

/** Digests of what was done to a target, oldest first. */
const digestsOf = async (targetId: string) =>
  (await auditRows(app, { targetId })).map(({ outcome, beforeDigest, afterDigest }) => ({
    outcome,
    before: beforeDigest,
    after: afterDigest,
  }));

describe('the digests of an entry', () => {
  it('follow a document from its making to its end', async () => {
    const { id, slug } = await make('Followed');
    await update(slug, { name: 'Renamed' });
    await update(id, { name: '' });
    await remove(id, app.adminKey);
    const [made, renamed, failed, removed, ...more] = [...(await digestsOf(id)), ...(await digestsOf(slug))];
    expect(more).toEqual([]);
    expect(made).toEqual({ outcome: 'success', before: null, after: digest });
    expect(renamed).toEqual({ outcome: 'success', before: made?.after, after: digest });
    expect(renamed?.after).not.toBe(made?.after);
    expect(failed).toEqual({ outcome: 'failed', before: renamed?.after, after: renamed?.after });
    expect(removed).toEqual({ outcome: 'success', before: renamed?.after, after: null });
  });

  it('show that a refused call changed nothing', async () => {
    const { id } = await make('Kept');
    const [made] = await digestsOf(id);
    const list = ['configs.read'];
    const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
      body: { name: 'reader', scopes: list, workspace_id: app.workspaceId },
    });
    await remove(id, (body as { key: string }).key);
    expect((await digestsOf(id)).at(-1)).toEqual({
      outcome: 'refused',
      before: made?.after,
      after: made?.after,
    });
  });

  it('are of no document of a neighbour, and of none that is not there', async () => {
    const { id } = await make('Mine');
    await remove(id, neighbour.workspaceKey);
    await remove('nowhere');
    const none = { outcome: 'failed', before: null, after: null };
    expect((await digestsOf(id)).at(-1)).toEqual(none);
    expect(await digestsOf('nowhere')).toEqual([none]);
  });

  it('are of a tenant below, which is made and changed with a token of the one above', async () => {
    const token = await app.token();
    const made = await app.graphql('mutation { createTenant(input: { name: "Below" }) { id } }', {}, token);
    const { id } = dataOf(made).createTenant;
    await app.graphql(
      'mutation ($id: ID!) { updateTenant(id: $id, input: { name: "Renamed" }) { id } }',
      { id },
      token,
    );
    await app.graphql('mutation ($id: ID!) { deleteTenant(id: $id) }', { id }, token);
    const [first, renamed, removed] = await digestsOf(id);
    expect(first).toEqual({ outcome: 'success', before: null, after: digest });
    expect(renamed).toEqual({ outcome: 'success', before: first?.after, after: digest });
    expect(renamed?.after).not.toBe(first?.after);
    expect(removed).toEqual({ outcome: 'success', before: renamed?.after, after: null });
  });

  it('are of the document that is named by two ids', async () => {
    const member = { _id: uuid(), organisationId: app.organisationId, workspaceId: app.workspaceId };
    await memberModel(app.db).create({ ...member, userId: 'user-1', role: 'member' });
    dataOf(
      await app.graphql('mutation ($in: ID!) { deleteMember(workspaceId: $in, userId: "user-1") }', {
        in: app.workspaceId,
      }),
    );
    expect(await digestsOf(member._id)).toEqual([{ outcome: 'success', before: digest, after: null }]);
  });

  it('are of the document that was meant where two workspaces use one slug', async () => {
    const workspaces = await Promise.all(
      ['Left', 'Right'].map(async (name) => {
        const made = await app.graphql(
          'mutation ($name: String!) { createWorkspace(input: { name: $name }) { id } }',
          { name },
        );
        return dataOf(made).createWorkspace.id as string;
      }),
    );
    const integrations = dataOf(await app.graphql('{ integrations { data { id slug } } }')).integrations.data;
    const providers = [];
    for (const workspaceId of workspaces) {
      const made = await app.graphql(
        'mutation ($input: CreateProviderInput!) { createProvider(input: $input) { id } }',
        { input: { name: 'Same', slug: 'same', workspaceId, integrationId: integrations[0].id } },
      );
      providers.push(dataOf(made).createProvider.id as string);
    }
    dataOf(
      await app.graphql(
        `mutation ($workspaceId: ID!) {
          updateProvider(id: "same", workspaceId: $workspaceId, input: { note: "x" }) { id }
        }`,
        { workspaceId: workspaces[1] },
      ),
    );
    const [made, changed] = await digestsOf(providers[1] as string);
    expect(changed?.before).toBe(made?.after);
    expect(await digestsOf(providers[0] as string)).toHaveLength(1);
  });
});
