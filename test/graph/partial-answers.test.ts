import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makeKey } from '../subgraphs/support.ts';
import { json } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let key: string;

beforeAll(async () => {
  world = await startWorld();
  key = await makeKey(world.app, 'workspace-service', { without: ['feedbacks.read', 'workspaces.read'] });
  await world.logged(json(200, { id: 'x', choices: [] }), { key });
});
afterAll(() => world.stop());

const failures = (errors: { path?: unknown[]; extensions: { code: string } }[] = []) =>
  errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]);

it('leaves the rest of an answer whole where a field of a list may not be read', async () => {
  const { data, errors } = await world.app.graphql(
    '{ logs(pageSize: 1) { data { id feedback { value } } } configs { total } }',
    {},
    key,
  );
  expect(data).toEqual({
    logs: { data: [{ id: expect.any(String), feedback: null }] },
    configs: { total: expect.any(Number) },
  });
  expect(failures(errors)).toEqual([['logs.data.0.feedback', 'FORBIDDEN']]);
});

it('lets each root field fail alone, with the error at its path', async () => {
  const { data, errors } = await world.app.graphql(
    '{ config(id: "nope") { id } workspaces { total } workspace(id: "x") { name } organisation { id settings { logMode } } }',
    {},
    key,
  );
  expect(data).toEqual({
    config: null,
    workspaces: { total: 1 },
    workspace: null,
    organisation: { id: world.app.organisationId, settings: null },
  });
  expect(failures(errors).sort()).toEqual([
    ['config', 'NOT_FOUND'],
    ['organisation.settings', 'FORBIDDEN'],
    ['workspace', 'FORBIDDEN'],
  ]);
});

it('answers REST with the error of what its path names', async () => {
  const missing = await world.app.rest('GET', '/v1/configs/nope', { key });
  expect(missing.status).toBe(404);
  const refused = await world.app.rest('GET', `/v1/admin/workspaces/${world.app.workspaceId}`, { key });
  expect(refused.status).toBe(403);
  expect(JSON.stringify(refused.body)).toContain('workspaces.read');
});
