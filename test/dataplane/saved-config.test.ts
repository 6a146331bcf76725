import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { chatAnswer } from '../support/provider.ts';
import { created } from '../support/world.ts';
import { fallback, startThreeProviders, type ThreeProviders, target } from './strategy/three-providers.ts';

let three: ThreeProviders;

beforeAll(async () => {
  three = await startThreeProviders();
});
afterAll(() => three.stop());
beforeEach(() => three.answer(200, 200, 200));

const save = async (config: object) => {
  const { data } = await created(three.world.app, '/v1/configs', { name: 'saved', config });
  const read = await three.world.app.rest('GET', `/v1/configs/${data.id}`);
  return (read.body as { data: { id: string; slug: string; version_id: string } }).data;
};
const keyWith = async (defaults: object) =>
  (
    await created(three.world.app, '/v1/api-keys/workspace/service', {
      name: 'defaults',
      scopes: ['completions.write'],
      defaults,
    })
  ).key as string;

test('a config is named by slug or id', async () => {
  const saved = await save(target(1));
  for (const name of [saved.slug, saved.id])
    expect((await three.call(name)).json).toEqual(chatAnswer('from 1'));
});

test('a new version acts at once', async () => {
  const saved = await save(target(1));
  expect((await three.call(saved.slug)).json).toEqual(chatAnswer('from 1'));
  await three.world.app.rest('PUT', `/v1/configs/${saved.slug}`, { body: { config: target(2) } });
  expect((await three.call(saved.slug)).json).toEqual(chatAnswer('from 2'));
});

test('one that was unknown is found once it exists, and is unknown again once it is deleted', async () => {
  expect((await three.call('pc-nobody')).status).toBe(400);
  const saved = await save(target(1));
  expect((await three.call(saved.slug)).status).toBe(200);
  await three.world.app.rest('DELETE', `/v1/configs/${saved.slug}`);
  const gone = await three.call(saved.slug);
  expect([gone.status, gone.json.error.code, gone.json.error.param]).toEqual([
    400,
    'invalid_config',
    'x-gateway-config',
  ]);
});

test('a config of another tenant is unknown', async () => {
  const saved = await save(target(1));
  const neighbour = await three.world.app.createTenant();
  for (const name of [saved.slug, saved.id])
    expect((await three.call(name, { key: neighbour.workspaceKey })).status).toBe(400);
});

test('a stored credential of a config reaches its provider in the clear', async () => {
  const saved = await save({
    provider: 'openai',
    api_key: 'sk-kept-in-the-config-0001',
    custom_host: three.providers[0]?.url,
  });
  await three.call(saved.slug);
  expect(three.providers[0]?.requests[0]?.headers.authorization).toBe('Bearer sk-kept-in-the-config-0001');
});

test('a key’s default config is used unless the request brings one', async () => {
  const { slug } = await save(target(1));
  const key = await keyWith({ config_id: slug });
  expect((await three.call(undefined, { key })).json).toEqual(chatAnswer('from 1'));
  expect((await three.call(target(2), { key })).json).toEqual(chatAnswer('from 2'));
});

test('allow_config_override: false refuses the request’s own config', async () => {
  const { slug } = await save(target(1));
  const key = await keyWith({ config_id: slug, allow_config_override: false });
  const refused = await three.call(target(2), { key });
  expect([refused.status, refused.json.error.code, three.reached()]).toEqual([
    400,
    'config_override_forbidden',
    [0, 0, 0],
  ]);
  expect((await three.call(undefined, { key })).json).toEqual(chatAnswer('from 1'));
});

test('a credential of a saved config goes nowhere else', async () => {
  const hosted = (index: number, key: string) => ({
    provider: 'openai',
    api_key: key,
    custom_host: three.providers[index]?.url,
  });
  const { slug, id } = await save(hosted(0, 'sk-of-the-config-000001'));
  const header = await three.call(slug, {
    headers: { 'x-gateway-custom-host': three.providers[1]?.url ?? '' },
  });
  expect([header.status, header.json.error.code, three.reached()]).toEqual([
    400,
    'invalid_custom_host',
    [0, 0, 0],
  ]);
  const update = (config: object) => three.world.app.rest('PUT', `/v1/configs/${id}`, { body: { config } });
  expect(await update(hosted(1, 'sk-***0001'))).toMatchObject({
    status: 400,
    body: { error: { param: 'config.api_key' } },
  });
  expect((await update({ ...hosted(0, 'sk-***0001'), request_timeout: 5000 })).status).toBe(200);
  expect((await update(hosted(1, 'sk-of-the-config-000002'))).status).toBe(200);
});

test('a credential of a saved config is for the provider beside it, and a request chooses no other', async () => {
  const loose = { api_key: 'sk-of-the-config-000003', retry: { attempts: 1 } };
  const post = (config: object) =>
    three.world.app.rest('POST', '/v1/configs', { body: { name: 'loose', config } });
  expect(await post(loose)).toMatchObject({
    status: 400,
    body: {
      error: { errors: ['path: config.api_key, message: a saved api_key needs the provider beside it'] },
    },
  });
  expect(await post(fallback([target(0), loose]))).toMatchObject({
    status: 400,
    body: { error: { errors: [expect.stringContaining('path: config.targets[1].api_key')] } },
  });
  const { slug, id } = await save({ ...loose, provider: 'openai' });
  // As it may have been saved before.
  await three.world.app.db
    .collection<{ _id: string }>('configs')
    .updateOne({ _id: id }, { $unset: { 'config.provider': 1 } });
  const headers = { 'x-gateway-provider': 'groq' };
  const used = await three.call(slug, { headers });
  expect([used.status, used.json.error.code, used.json.error.param]).toEqual([
    400,
    'invalid_config',
    'config.api_key',
  ]);
  const own = { headers: { ...headers, 'x-gateway-custom-host': three.providers[0]?.url ?? '' } };
  expect((await three.call(loose, own)).status).toBe(200);
  expect(three.providers[0]?.requests[0]?.headers.authorization).toBe(`Bearer ${loose.api_key}`);
});

test('a config that is a default of a key cannot be put away', async () => {
  const { slug, id } = await save(target(1));
  await keyWith({ config_id: slug });
  const archive = await three.world.app.rest('PUT', `/v1/configs/${id}`, { body: { status: 'archived' } });
  expect(archive).toMatchObject({ status: 409, body: { error: { code: 'AB07' } } });
});

test('allow_config_override: false refuses it also where there is no default', async () => {
  const key = await keyWith({ allow_config_override: false });
  const refused = await three.call(target(2), { key });
  expect([refused.status, refused.json.error.code, three.reached()]).toEqual([
    400,
    'config_override_forbidden',
    [0, 0, 0],
  ]);
});
