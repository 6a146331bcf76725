import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { addUser } from '../../support/users.ts';
import { bodyOf, refusalOf } from '../support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Sends what an SDK sends that hands on all it was given, be it in the path already. */
const send = async (method: string, path: string, body?: object, key = app.adminKey) =>
  app.rest(method, `/v1${path}`, { key, body });

/** A request that only repeats its path does what it does without; one that contradicts it is refused, and says how. */
async function expectRepeatable(method: string, path: string, body: object, wrong: object, key?: string) {
  const [name = ''] = Object.keys(wrong);
  const refused = await send(method, path, { ...body, ...wrong }, key);
  expect(refusalOf(refused)).toMatchObject({ status: 400, param: name, code: 'AB01' });
  expect((refused.body as any).error.message).toMatch(/as the path says, or be left out\.$/);
  const done = await send(method, path, body, key);
  expect([done.status, method, path]).toEqual([200, method, path]);
  return done.body as any;
}

it('a key may be made and deleted with the parts of its path in the body', async () => {
  const made = await expectRepeatable(
    'POST',
    '/api-keys/workspace/service',
    {
      type: 'workspace',
      'sub-type': 'service',
      name: 'by an SDK',
      workspace_id: app.workspaceId,
      scopes: ['logs.view'],
    },
    { 'sub-type': 'user' },
  );
  await expectRepeatable('PUT', `/api-keys/${made.id}`, { id: made.id, name: 'renamed' }, { id: 'x' });
  await expectRepeatable('DELETE', `/api-keys/${made.id}`, { id: made.id }, { id: 'x' });
});

it('an export may be started and cancelled with its id in the body', async () => {
  const { id } = bodyOf(
    await send(
      'POST',
      '/logs/exports',
      { workspace_id: app.workspaceId, filters: {}, requested_data: ['id'] },
      app.workspaceKey,
    ),
  );
  for (const act of ['start', 'cancel']) {
    const path = `/logs/exports/${id}/${act}`;
    const refused = await send('POST', path, { export_id: 'x' }, app.workspaceKey);
    expect(refusalOf(refused)).toMatchObject({ status: 400, param: 'export_id' });
    const done = await send('POST', path, { export_id: id, exportId: id }, app.workspaceKey);
    // Whether the export has come to its end before it is cancelled is a matter of luck.
    const isOver = /Only an export in progress can be cancelled/.test(JSON.stringify(done.body));
    expect(done.status === 200 || (act === 'cancel' && isOver)).toBe(true);
  }
});

it('feedback may be changed with its id in the body', async () => {
  const { feedback_ids } = bodyOf(
    await send('POST', '/feedback', { trace_id: 't', value: 1 }, app.workspaceKey),
  );
  const [id] = feedback_ids;
  await expectRepeatable(
    'PUT',
    `/feedback/${id}`,
    { feedback_id: id, value: 2 },
    { feedback_id: 'x' },
    app.workspaceKey,
  );
});

it('members are listed with the workspace in the query', async () => {
  const path = `/admin/workspaces/${app.workspaceId}/users`;
  expect(await send('GET', `${path}?workspaceId=${app.workspaceId}&current_page=0`)).toMatchObject({
    status: 200,
  });
  expect(refusalOf(await send('GET', `${path}?workspaceId=x`))).toMatchObject({
    status: 400,
    param: 'workspaceId',
  });
});

it('workspaces, users and invites may be deleted with their ids in the body', async () => {
  const workspace = bodyOf(await send('POST', '/admin/workspaces', { name: 'For a while' }));
  await expectRepeatable(
    'DELETE',
    `/admin/workspaces/${workspace.id}`,
    { workspace_id: workspace.id, workspaceId: workspace.id },
    { workspace_id: app.workspaceId },
  );
  const user = await addUser(app, { inWorkspace: 'member' });
  await expectRepeatable('DELETE', `/admin/users/${user._id}`, { user_id: user._id }, { user_id: 'x' });
  const invite = bodyOf(
    await send('POST', '/admin/users/invites', { email: 'a@example.com', role: 'member', workspaces: [] }),
  );
  await expectRepeatable(
    'DELETE',
    `/admin/users/invites/${invite.id}`,
    { invite_id: invite.id },
    { invite_id: 'x' },
  );
});

it('virtual keys may be made, changed and deleted with their slug in the body', async () => {
  const body = { name: 'vk', provider: 'openai', key: 'sk-planted', slug: 'by-an-sdk' };
  expect(await send('POST', '/virtual-keys', body, app.workspaceKey)).toMatchObject({ status: 200 });
  const [path, slug, key] = ['/virtual-keys/by-an-sdk', 'by-an-sdk', app.workspaceKey];
  await expectRepeatable('PUT', path, { slug, note: 'n' }, { slug: 'x' }, key);
  await expectRepeatable('DELETE', path, { slug }, { slug: 'x' }, key);
});
