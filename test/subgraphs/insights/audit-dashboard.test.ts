import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { dataOf, dump, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

const span = 'startTime: "2020-01-01T00:00:00Z", endTime: "2099-01-01T00:00:00Z"';

const entries = async (filters: string, key?: string) =>
  dataOf(
    await app.graphql(
      `{ auditLogs(${span}, filters: { ${filters} }) {
        records { action targetId targetName changes { member before after } } } }`,
      {},
      key,
    ),
  ).auditLogs.records;

const makeWorkspaceKey = async (input: object = {}) =>
  dataOf(
    await app.graphql(
      'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { id key } }',
      { input: { name: 'before', scopes: ['logs.list'], workspaceId: app.workspaceId, ...input } },
    ),
  ).createWorkspaceServiceApiKey;

const run = (document: string, variables: object) => app.graphql(document, variables);
const update = (id: string, input: object) =>
  run('mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }', {
    id,
    input,
  });

describe('an entry', () => {
  it('has the name of its target, and what was changed', async () => {
    const { id } = await makeWorkspaceKey();
    dataOf(await update(id, { name: 'after', scopes: ['logs.list', 'logs.view'] }));
    expect(await entries(`targetId: "${id}", action: "update"`)).toEqual([
      {
        action: 'update',
        targetId: id,
        targetName: 'after',
        changes: [
          { member: 'name', before: 'before', after: 'after' },
          { member: 'scopes', before: ['logs.list'], after: ['logs.list', 'logs.view'] },
        ],
      },
    ]);
  });

  it('keeps the name of what is gone, without changes', async () => {
    const { id } = await makeWorkspaceKey({ name: 'gone' });
    await run('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id });
    expect(await entries(`targetId: "${id}", action: "delete"`)).toEqual([
      { action: 'delete', targetId: id, targetName: 'gone', changes: [] },
    ]);
  });

  it('masks what is secret, and only names what is no plain value', async () => {
    const { id } = await makeWorkspaceKey();
    dataOf(await update(id, { defaults: { metadata: { team: 'a' } } }));
    await run('mutation ($id: ID!) { rotateApiKey(id: $id) { id } }', { id });
    const [rotated] = await entries(`targetId: "${id}", action: "rotate"`);
    expect(rotated.changes).toEqual(
      expect.arrayContaining([{ member: 'secretHash', before: '[redacted]', after: '[redacted]' }]),
    );
    const [updated] = await entries(`targetId: "${id}", action: "update"`);
    expect(updated.changes).toEqual([{ member: 'defaults', before: null, after: null }]);
  });

  it('redacts a secret that somebody wrote into a name', async () => {
    const { id, key } = await makeWorkspaceKey();
    dataOf(await update(id, { description: `the key is ${key}` }));
    const [updated] = await entries(`targetId: "${id}", action: "update"`);
    expect(updated.changes).toEqual([
      { member: 'description', before: null, after: 'the key is [redacted]' },
    ]);
    const stored = await app.db.collection('audit_logs').find({ targetId: id }).toArray();
    expect(JSON.stringify(stored)).not.toContain(key);
  });

  it('changes nothing where the action was refused', async () => {
    const { id } = await makeWorkspaceKey();
    expect(errorOf(await update(id, { scopes: ['nothing'] })).code).toBe('VALIDATION_FAILED');
    expect(await entries(`targetId: "${id}", action: "update"`)).toEqual([
      { action: 'update', targetId: id, targetName: 'before', changes: [] },
    ]);
  });

  it('has its target over REST', async () => {
    const { id } = await makeWorkspaceKey({ name: 'over REST' });
    const { body } = await app.rest(
      'GET',
      '/v1/audit-logs?start_time=2020-01-01T00:00:00Z&end_time=2099-01-01T00:00:00Z&resource_type=api_key&page_size=1',
      { key: app.adminKey },
    );
    expect(body).toMatchObject({
      records: [{ target_id: id, target_name: 'over REST', outcome: 'success', country: null }],
    });
  });
});

describe('filters', () => {
  it.each(['post', 'FETCH', 'POST '])('know no method %j', async (method) => {
    const { status, body } = await app.rest(
      'GET',
      `/v1/audit-logs?start_time=2020-01-01T00:00:00Z&end_time=2099-01-01T00:00:00Z&method=${encodeURIComponent(method)}`,
      { key: app.adminKey },
    );
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { param: 'method' } } });
  });
});

describe('facets', () => {
  const facets = (filters = '', key?: string) =>
    app.graphql(
      `{ auditLogFacets(${span}${filters}) { resourceTypes { value count } actions { value count } } }`,
      {},
      key,
    );

  it('count the entries that the filters let through', async () => {
    const { id } = await makeWorkspaceKey();
    for (const name of ['one', 'two']) dataOf(await update(id, { name }));
    const { auditLogFacets } = dataOf(await facets(`, filters: { targetId: "${id}" }`));
    expect(auditLogFacets).toEqual({
      resourceTypes: [{ value: 'api_key', count: 3 }],
      actions: [
        { value: 'update', count: 2 },
        { value: 'create', count: 1 },
      ],
    });
  });

  it('are those of one organisation, and need the scope', async () => {
    expect(dataOf(await facets('', neighbour.adminKey)).auditLogFacets.actions).toEqual([]);
    const lacking = await makeKey(app, 'organisation-service', { without: ['audit_logs.list'] });
    expect(errorOf(await facets('', lacking)).code).toBe('FORBIDDEN');
  });

  it('refuse a time that ends before it begins', async () => {
    const answer = await app.graphql(
      '{ auditLogFacets(startTime: "2021-01-01T00:00:00Z", endTime: "2020-01-01T00:00:00Z") { actions { value } } }',
    );
    expect(errorOf(answer)).toEqual({ code: 'VALIDATION_FAILED', param: 'endTime' });
  });
});

describe('the chain', () => {
  const chain = async (args = '', key?: string) =>
    dataOf(
      await app.graphql(
        `{ auditChain${args} { verifiedTo newest breakCount breaks { sequence what detail } } }`,
        {},
        key,
      ),
    ).auditChain;

  it('is whole, as one part or in parts', async () => {
    for (let count = 0; count < 5; count++) await makeWorkspaceKey();
    const whole = await chain();
    expect(whole).toEqual({ verifiedTo: whole.newest, newest: whole.newest, breakCount: 0, breaks: [] });
    let after = 0;
    while (after < whole.newest) {
      const part = await chain(`(after: ${after}, limit: 4)`);
      expect(part.breaks).toEqual([]);
      expect(part.verifiedTo).toBe(Math.min(after + 4, whole.newest));
      after = part.verifiedTo;
    }
    expect(await chain(`(after: ${whole.newest})`)).toMatchObject({ verifiedTo: whole.newest, breaks: [] });
  });

  it('of an organisation without entries is empty', async () => {
    const fresh = await app.createTenant();
    expect(await chain('', fresh.adminKey)).toEqual({ verifiedTo: 0, newest: 0, breakCount: 0, breaks: [] });
  });

  it('shows an entry that was changed, one that was removed, and a missing end', async () => {
    const own = { organisationId: app.organisationId };
    const { newest } = await chain();
    const rows = app.db.collection('audit_logs');
    await rows.updateOne({ ...own, sequence: newest - 3 }, { $set: { changes: [], targetName: 'another' } });
    await rows.deleteOne({ ...own, sequence: newest - 1 });
    expect((await chain()).breaks).toEqual([
      expect.objectContaining({ sequence: newest - 3, what: 'altered' }),
      expect.objectContaining({ sequence: newest - 1, what: 'missing' }),
    ]);
    await rows.deleteOne({ ...own, sequence: newest });
    expect((await chain()).breaks.at(-1)).toMatchObject({ sequence: newest - 1, what: 'head' });
    expect(await dump(app)).toContain('another');
  });
});
