import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiKeyType, apiKeyTypes, mayHold } from '../../src/auth/index.ts';
import { dumpResources, makeKey } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addUser } from '../support/users.ts';
import { bodyOf } from './support.ts';

let app: TestApp;
/** Slug of a second workspace. */
let elsewhere: string;
/** A key of each type, with all the scopes that the type may hold. */
const keys = new Map<ApiKeyType, string>();

beforeAll(async () => {
  app = await startApp();
  const workspace = { key: app.adminKey, body: { name: 'Elsewhere' } };
  elsewhere = bodyOf(await app.rest('POST', '/v1/admin/workspaces', workspace)).id;
  for (const type of apiKeyTypes) keys.set(type, await makeKey(app, type));
});
afterAll(() => app.stop());

type Call = { method: string; path: string; body?: object };

/** The statuses that an Admin key, a workspace's service key and its user key get; a refused call changes nothing. */
async function statuses(callOf: () => Call | Promise<Call>): Promise<number[]> {
  const found = [];
  for (const key of keys.values()) {
    const { method, path, body } = await callOf();
    const before = await dumpResources(app);
    const { status } = await app.rest(method, path, { key, body });
    if (status !== 200) expect(await dumpResources(app)).toBe(before);
    found.push(status);
  }
  return found;
}

const holders = (scope: string) => apiKeyTypes.map((type) => mayHold(type, scope));

const adminOnly = [200, 403, 403];
const everyKey = [200, 200, 200];
let count = 0;
const named = (more: object = {}) => ({ name: `made ${++count}`, ...more });

describe('manage organisation settings: Admin key yes, Workspace key no', () => {
  it('read them', async () => {
    expect(await statuses(() => ({ method: 'GET', path: '/supergraph.graphql' }))).toEqual(adminOnly);
  });
  it('hold the scopes', () => {
    expect(holders('organisation_settings.read')).toEqual([true, false, false]);
    expect(holders('organisation_settings.update')).toEqual([true, false, false]);
  });
});

describe('create or manage workspaces: Admin key yes, Workspace key no', () => {
  const path = '/v1/admin/workspaces';
  const make = async () =>
    bodyOf(await app.rest('POST', path, { key: app.adminKey, body: named() })).id as string;

  it('create', async () => {
    expect(await statuses(() => ({ method: 'POST', path, body: named() }))).toEqual(adminOnly);
  });
  it('delete', async () => {
    const call = async () => ({ method: 'DELETE', path: `${path}/${await make()}` });
    expect(await statuses(call)).toEqual(adminOnly);
  });
  it('update another one, which a Workspace key does not even find', async () => {
    const call = async () => ({ method: 'PUT', path: `${path}/${await make()}`, body: named() });
    expect(await statuses(call)).toEqual([200, 404, 404]);
  });
});

describe('manage users and permissions: Admin key yes, Workspace key no', () => {
  const path = '/v1/admin/users';
  const join = async () => (await addUser(app))._id;

  it('list users', async () => {
    expect(await statuses(() => ({ method: 'GET', path }))).toEqual(adminOnly);
  });
  it('change the role of a user', async () => {
    const call = async () => ({ method: 'PUT', path: `${path}/${await join()}`, body: { role: 'admin' } });
    expect(await statuses(call)).toEqual(adminOnly);
  });
  it('remove a user', async () => {
    const call = async () => ({ method: 'DELETE', path: `${path}/${await join()}` });
    expect(await statuses(call)).toEqual(adminOnly);
  });
});

describe.each([
  ['configs', '/v1/configs', () => named({ config: { retry: { attempts: 1 } } })],
  ['providers', '/v1/providers', () => named({ integration_id: 'mock' })],
])('create or manage %s: Admin key in all workspaces, Workspace key in its own', (_what, path, bodyFor) => {
  const make = async (workspace_id: string) => {
    const options = { key: app.adminKey, body: { ...bodyFor(), workspace_id } };
    const { data, id = data.id } = bodyOf(await app.rest('POST', path, options));
    return id as string;
  };

  it('create in its own workspace', async () => {
    const call = () => ({ method: 'POST', path, body: { ...bodyFor(), workspace_id: app.workspaceId } });
    expect(await statuses(call)).toEqual(everyKey);
  });
  it('create in another workspace', async () => {
    const call = () => ({ method: 'POST', path, body: { ...bodyFor(), workspace_id: elsewhere } });
    expect(await statuses(call)).toEqual(adminOnly);
  });
  it('delete in its own workspace', async () => {
    const call = async () => ({ method: 'DELETE', path: `${path}/${await make(app.workspaceId)}` });
    expect(await statuses(call)).toEqual(everyKey);
  });
  it('delete in another workspace', async () => {
    const call = async () => ({ method: 'DELETE', path: `${path}/${await make(elsewhere)}` });
    expect(await statuses(call)).toEqual([200, 404, 404]);
  });
});

describe('access analytics: Admin key in all workspaces, Workspace key in its own', () => {
  it('hold the scope', () => {
    expect(holders('analytics.view')).toEqual([true, true, true]);
  });
});

describe('create or update feedback: Admin key no, Workspace key yes', () => {
  it('hold the scope', () => {
    expect(holders('feedbacks.write')).toEqual([false, true, true]);
  });
  it('get the scope', async () => {
    const body = named({ scopes: ['feedbacks.write'], workspace_id: app.workspaceId });
    const made = ['workspace/service', 'workspace/user'].map((kind) =>
      app.rest('POST', `/v1/api-keys/${kind}`, { key: app.adminKey, body }),
    );
    for (const answer of made) bodyOf(await answer);
    const refused = await app.rest('POST', '/v1/api-keys/organisation/service', {
      key: app.adminKey,
      body: named({ scopes: ['feedbacks.write'] }),
    });
    expect(refused.status).toBe(400);
  });
});

describe('the data plane: Admin key no, Workspace key yes', () => {
  it('infer', async () => {
    const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] };
    const answers = [...keys.values()].map((key) => app.rest('POST', '/v1/chat/completions', { key, body }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 200, 200]);
  });
});
