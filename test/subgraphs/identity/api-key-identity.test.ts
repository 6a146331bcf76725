import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { auditRows, dataOf, dump, errorOf, makeKey } from '../support.ts';

const waits: number[] = [];
const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
let app: TestApp;
/** Another process on the same database. */
let other: TestApp;

beforeAll(async () => {
  app = await startApp(env, async (milliseconds) => void waits.push(milliseconds));
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
}, 120_000);
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const make = async (at: TestApp = app): Promise<{ id: string; key: string }> =>
  dataOf(
    await at.graphql(
      `mutation ($workspaceId: ID) { createWorkspaceServiceApiKey(
        input: { name: "leaky", scopes: ["configs.list"], workspaceId: $workspaceId }) { id key } }`,
      { workspaceId: at.workspaceId },
    ),
  ).createWorkspaceServiceApiKey;

const identify = (secret: string, key?: string) =>
  app.graphql(
    'mutation ($secret: String!) { identifyApiKey(input: { secret: $secret }) { id isCurrent works apiKey { name } } }',
    { secret },
    key,
  );
const identified = async (secret: string, key?: string) => dataOf(await identify(secret, key)).identifyApiKey;

describe('a secret', () => {
  it('leads to its key, before and after a rotation', async () => {
    const { id, key } = await make();
    const expected = { id, isCurrent: true, works: true, apiKey: { name: 'leaky' } };
    expect(await identified(` ${key}\n`)).toEqual(expected);
    const { rotateApiKey } = dataOf(
      await app.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { key } }', { id }),
    );
    expect(await identified(key)).toEqual({ ...expected, isCurrent: false });
    expect(await identified(rotateApiKey.key)).toEqual(expected);
  });

  it('leads there over REST too', async () => {
    const { id, key } = await make();
    const { status, body } = await app.rest('POST', '/v1/api-keys/identify', {
      key: app.adminKey,
      body: { secret: key },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { id, works: true, api_key: { id } } });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  it('is in the audit trail as its key, and nowhere itself', async () => {
    const { id, key } = await make();
    await identified(key);
    expect(await auditRows(app, { action: 'identify', targetId: id })).toEqual([
      expect.objectContaining({ outcome: 'success', resourceType: 'api_key' }),
    ]);
    expect(await dump(app)).not.toContain(key);
  });

  it('of another tenant, another workspace or nobody is not found', async () => {
    const { key } = await make();
    const neighbour = await app.createTenant();
    expect(errorOf(await identify(key, neighbour.adminKey)).code).toBe('NOT_FOUND');
    expect(errorOf(await identify(neighbour.adminKey)).code).toBe('NOT_FOUND');
    expect(errorOf(await identify('sl-nothing')).code).toBe('NOT_FOUND');
  });

  it('is told to nobody who may not read keys of its type', async () => {
    const { key } = await make();
    const lacking = await makeKey(app, 'organisation-service', {
      without: ['workspace_service_api_keys.read'],
    });
    expect(errorOf(await identify(key, lacking)).code).toBe('FORBIDDEN');
    expect(errorOf(await identify(key, await makeKey(app, 'workspace-user'))).code).toBe('FORBIDDEN');
  });

  it('that is empty is refused', async () => {
    expect(errorOf(await identify(''))).toEqual({ code: 'VALIDATION_FAILED', param: 'input.secret' });
  });

  it('cannot be guessed at speed', async () => {
    waits.length = 0;
    for (let count = 0; count < 14; count++) await identify(`sl-guess-${count}`);
    expect(waits.length).toBeGreaterThan(0);
    expect(waits).toEqual(waits.toSorted((one, later) => one - later));
  });
});

describe('the last use of a key', () => {
  const lastUse = async (id: string, at: TestApp = app): Promise<string | null> =>
    dataOf(await at.graphql('query ($id: ID!) { apiKey(id: $id) { lastUsedAt } }', { id }, app.adminKey))
      .apiKey.lastUsedAt;

  it('is told by the process that saw it at once, and by others once it is written', async () => {
    const { id, key } = await make();
    expect(await lastUse(id)).toBeNull();
    const before = Date.now();
    dataOf(await app.graphql('{ configs { total } }', {}, key));
    const used = await lastUse(id);
    expect(Date.parse(used as string)).toBeGreaterThanOrEqual(before);
    expect(await lastUse(id, other)).toBeNull();
    const third = await startApp({ ...env, MONGODB_URI: app.databaseUri });
    dataOf(await third.graphql('{ configs { total } }', {}, key));
    // A process that ends leaves nothing unwritten.
    await third.stop();
    const written = await lastUse(id, other);
    expect(Date.parse(written as string)).toBeGreaterThanOrEqual(Date.parse(used as string));
  }, 120_000);

  it('is no change of the key, and goes with it', async () => {
    const { id, key } = await make();
    const changed = (
      await app.db.collection<{ _id: string; lastUpdatedAt: Date }>('api_keys').findOne({ _id: id })
    )?.lastUpdatedAt;
    const third = await startApp({ ...env, MONGODB_URI: app.databaseUri });
    dataOf(await third.graphql('{ configs { total } }', {}, key));
    await third.stop();
    const after = await app.db
      .collection<{ _id: string; lastUpdatedAt: Date }>('api_keys')
      .findOne({ _id: id });
    expect(after?.lastUpdatedAt).toEqual(changed);
    const uses = app.db.collection<{ _id: string }>('api_key_uses');
    expect(await uses.countDocuments({ _id: id })).toBe(1);
    await app.graphql('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id });
    await eventually(async () => expect(await uses.countDocuments({ _id: id })).toBe(0));
  }, 120_000);
});
