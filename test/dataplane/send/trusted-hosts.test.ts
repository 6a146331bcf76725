import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard } from '../../../src/dataplane/send/address-guard.ts';
import { createHostPolicy } from '../../../src/lib/http/custom-host.ts';
import { readSettings } from '../../../src/settings/index.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';

describe.each<Record<string, string>>([{ NODE_ENV: 'production' }, { HOST: '0.0.0.0' }])(
  'with %j no private host is trusted',
  (env) => {
    let world: World;

    beforeAll(async () => {
      world = await startWorld(env);
    });
    afterAll(() => world.stop());

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
  },
);

const trusted = (env: Record<string, string>) => readSettings(env).upstream.trustedHosts;

test.each([
  [{}, true],
  [{ HOST: 'localhost' }, true],
  [{ HOST: '127.0.0.9' }, true],
  [{ HOST: '::1' }, true],
  [{ PUBLIC_URL: 'http://localhost:3000' }, true],
  [{ PUBLIC_URL: 'http://[::1]:8787' }, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '::' }, false],
  [{ HOST: '10.0.0.5' }, false],
  [{ HOST: 'gateway' }, false],
  [{ PUBLIC_URL: 'https://ai.example.com' }, false],
  [{ PUBLIC_URL: 'http://192.168.0.7:8787' }, false],
  [{ NODE_ENV: 'production' }, false],
])('with %j this machine is trusted: %s', (env: Record<string, string>, expected) => {
  expect(trusted(env).includes('127.0.0.1')).toBe(expected);
  expect(trusted({ ...env, TRUSTED_HOSTS: 'ollama' })).toEqual(['ollama']);
});

describe('a host that is an address, which nobody looks up', () => {
  const { lookupAt } = createGuard(createHostPolicy(['127.0.0.1', '169.254.169.254']), new Set([8787]));

  test.each(['169.254.169.254', '10.0.0.5', '[::ffff:10.0.0.5]', 'fd00::1'])('is refused: %s', (host) => {
    expect(() => lookupAt(host, 80)).toThrow(/metadata|private/);
  });

  test.each(['127.0.0.1', '93.184.216.34', '[2606:4700::1111]'])('is allowed: %s', (host) => {
    expect(lookupAt(host, 80)).toBeInstanceOf(Function);
  });

  test('is refused where it leads back to the gateway', () => {
    expect(() => lookupAt('127.0.0.1', 8787)).toThrow(/leads back/);
  });
});
