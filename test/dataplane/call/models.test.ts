import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { json } from '../../support/provider.ts';
import { created, startWorld, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const get = (path = '', headers: Record<string, string> = {}) => {
  world.provider.play(json(200, { object: 'list', data: [{ id: 'from-the-provider' }] }));
  return world.call({ method: 'GET', path: `/v1/models${path}`, headers });
};
const ids = (answer: { json: { data: { id: string }[] } }) => answer.json.data.map(({ id }) => id);

test('without a provider the workspace’s own catalogue is listed', async () => {
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ object: 'list', data: expect.any(Array) });
  expect(answer.json.data).toContainEqual({
    id: '@mock/mock-1',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'mock',
  });
  expect(world.provider.requests).toHaveLength(0);
});

test('models that are switched on are in it, others are not, at once', async () => {
  const slug = await world.makeProvider();
  const set = (models: object[]) =>
    world.app.rest('PUT', `/v1/integrations/${slug}/models`, { body: { models } });
  expect(ids(await get()).filter((id) => id.startsWith(`@${slug}/`))).toEqual([]);
  await set([
    { slug: 'vendor/on', enabled: true },
    { slug: 'off', enabled: false },
  ]);
  expect(ids(await get()).filter((id) => id.startsWith(`@${slug}/`))).toEqual([`@${slug}/vendor/on`]);
  await set([{ slug: 'vendor/on', enabled: false }]);
  expect(ids(await get()).filter((id) => id.startsWith(`@${slug}/`))).toEqual([]);
});

test('what an expired provider offered is gone', async () => {
  const slug = await world.makeProvider();
  const models = { body: { models: [{ slug: 'm', enabled: true }] } };
  await world.app.rest('PUT', `/v1/integrations/${slug}/models`, models);
  expect(ids(await get())).toContain(`@${slug}/m`);
  await world.app.db
    .collection('providers')
    .updateOne({ slug }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
  // Any change makes the gateway look again; time passing does not need to.
  await world.app.rest('PUT', `/v1/integrations/${slug}/models`, models);
  expect(ids(await get())).not.toContain(`@${slug}/m`);
});

test('one model can be asked for, its slashes plain or encoded', async () => {
  for (const name of ['@mock/mock-1', '%40mock%2Fmock-1']) {
    expect((await get(`/${name}`)).json).toMatchObject({ id: '@mock/mock-1', object: 'model' });
  }
});

test.each(['/@mock/none', '/mock-1', '/%E0%A4%A'])('%s is not found', async (path) => {
  const answer = await get(path);
  expect([answer.status, answer.json.error.param]).toEqual([404, 'model']);
});

test('every listed model can be asked for by its name', async () => {
  for (const id of ids(await get())) expect((await get(`/${id}`)).json.id).toBe(id);
});

test.each([
  ['a header', () => ({ 'x-gateway-provider': `@${world.slug}` })],
  ['a virtual key', () => ({ 'x-gateway-virtual-key': world.slug })],
  ['a config', () => ({ 'x-gateway-config': JSON.stringify({ provider: `@${world.slug}` }) })],
])('with a provider by %s its own list is given', async (_name, headers) => {
  const answer = await get('?limit=3', headers());
  expect(ids(answer)).toEqual(['from-the-provider']);
  expect(world.provider.requests[0]?.url).toBe('/v1/models?limit=3');
});

describe('a config that names no provider leads to the catalogue', () => {
  const group = (...targets: object[]) => ({ strategy: { mode: 'fallback' }, targets });
  const opens: [string, object][] = [
    ['cache', { cache: { mode: 'simple' } }],
    ['retry', { retry: { attempts: 1 } }],
    ['default_params', { default_params: { temperature: 1, model: '@loop-1/m' } }],
    ['passthrough', { passthrough: true }],
    ['targets', group({ retry: { attempts: 1 } }, group({ passthrough: true }))],
  ];

  test.each(opens)('%s', async (_name, config) => {
    const answer = await get('', { 'x-gateway-config': JSON.stringify(config) });
    expect([answer.status, world.provider.requests.length]).toEqual([200, 0]);
    expect(ids(answer)).toContain('@mock/mock-1');
  });

  test('the default of a key', async () => {
    const { data } = await created(world.app, '/v1/configs', { name: 'open', config: opens[0]?.[1] });
    const { key } = await created(world.app, '/v1/api-keys/workspace/service', {
      name: 'open',
      scopes: ['models.list'],
      defaults: { config_id: data.id },
    });
    expect(ids(await world.call({ method: 'GET', path: '/v1/models', key }))).toContain('@mock/mock-1');
  });

  test.each([
    ['a header beside it', { retry: { attempts: 1 } }, () => ({ 'x-gateway-provider': `@${world.slug}` })],
    ['a further target', group({ provider: '@loop-1' }, { passthrough: true }), () => ({})],
    ['override_params', { override_params: { model: '@loop-1/m' } }, () => ({})],
  ])('but not with a provider in %s', async (_name, config, headers) => {
    const answer = await get('', { 'x-gateway-config': JSON.stringify(config), ...headers() });
    expect(ids(answer)).toEqual(['from-the-provider']);
  });

  test('and nothing is deleted there', async () => {
    for (const config of [undefined, opens[1]?.[1]]) {
      const answer = await world.call({ method: 'DELETE', path: '/v1/models/@mock/mock-1', config });
      expect([answer.status, answer.json.error?.code]).toEqual([400, 'provider_required']);
    }
  });
});

describe('x-gateway-fetch-integrated-models asks for the catalogue all the same', () => {
  const listed = async (headers: Record<string, string>) => {
    const answer = await get('', { 'x-gateway-fetch-integrated-models': 'true', ...headers });
    expect(world.provider.requests).toHaveLength(0);
    return [...new Set(ids(answer).map((id) => id.split('/')[0]))];
  };
  const config = (value: object) => ({ 'x-gateway-config': JSON.stringify(value) });

  test('whole, when nothing is named or a target leaves the choice open', async () => {
    expect(await listed({})).toContain('@mock');
    const open = { strategy: { mode: 'single' }, targets: [{ provider: '@loop-1' }, { passthrough: true }] };
    expect(await listed(config(open))).toContain('@mock');
  });

  test('of the providers that are named', async () => {
    expect(await listed({ 'x-gateway-provider': '@mock' })).toEqual(['@mock']);
    expect(await listed({ 'x-gateway-virtual-key': 'mock' })).toEqual(['@mock']);
    expect(await listed({ 'x-gateway-provider': '@loop-1' })).toEqual([]);
    expect(await listed({ 'x-gateway-provider': 'openai' })).toEqual([]);
    const both = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@loop-1' }, { provider: '@mock' }],
    };
    expect(await listed(config(both))).toEqual(['@mock']);
  });
});

test('a neighbour’s models are not listed', async () => {
  const slug = await world.makeProvider();
  await world.app.rest('PUT', `/v1/integrations/${slug}/models`, {
    body: { models: [{ slug: 'm', enabled: true }] },
  });
  const neighbour = await world.app.createTenant();
  const answer = await world.call({ method: 'GET', path: '/v1/models', key: neighbour.workspaceKey });
  expect(ids(answer).every((id) => id.startsWith('@mock/'))).toBe(true);
});

test('deleting a model of the provider goes through to it', async () => {
  world.provider.play(json(200, { deleted: true }));
  const answer = await world.call({
    method: 'DELETE',
    path: '/v1/models/ft-1',
    headers: { 'x-gateway-provider': `@${world.slug}` },
  });
  expect([answer.json, world.provider.requests[0]?.url]).toEqual([{ deleted: true }, '/v1/models/ft-1']);
});
