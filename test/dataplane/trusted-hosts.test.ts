import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../support/provider.ts';
import { messages, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ NODE_ENV: 'production' });
});
afterAll(() => world.stop());

/** In production no private host is trusted, whoever names it. */
test.each([
  [
    'the request',
    () => ({ headers: { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': world.provider.url } }),
  ],
  ['a config', () => ({ config: { provider: 'openai', api_key: 'k', custom_host: world.provider.url } })],
  ['an integration', () => ({ headers: { 'x-gateway-provider': `@${world.slug}` } })],
  [
    'the request, by name',
    () => ({
      headers: {
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': world.provider.url.replace('127.0.0.1', 'localhost'),
      },
    }),
  ],
])('a private host named by %s is not called', async (_name, options) => {
  world.provider.play(json(200, chatAnswer('secret')));
  const answer = await world.call({ body: { model: 'm', messages }, ...options() });
  expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_custom_host']);
  expect(answer.json.error.message).toMatch(/TRUSTED_HOSTS/);
  expect(world.provider.requests).toHaveLength(0);
});
