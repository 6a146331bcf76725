import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { offersOf, providersTable } from '../../scripts/reference/providers.ts';
import { createHostPolicy } from '../../src/lib/http/custom-host.ts';
import { isSecretName } from '../../src/lib/redaction.ts';
import { endpointsOf } from '../../src/providers/endpoint.ts';
import {
  allProviders,
  allSettings,
  headerOfSetting,
  isPassedOn,
  settingProblem,
} from '../../src/providers/index.ts';
import type { Provider, UnsignedRequest } from '../../src/providers/provider.ts';
import { sourceFiles } from '../contract/source-files.ts';
import { settingsOf } from './sample-settings.ts';

// Properties of the registry of providers, without an app.

const baseOf = ({ baseUrl }: Provider, settings: Record<string, string>) =>
  typeof baseUrl === 'function' ? baseUrl(settings) : baseUrl;

describe('every provider', () => {
  /** Where it is asked, with which headers for the key `k`, and what for. */
  async function described(provider: Provider) {
    const settings = settingsOf(provider);
    const request: UnsignedRequest = { method: 'POST', origin: '', path: '/', headers: {}, body: null };
    const key = { key: 'k', settings };
    const refusal = await Promise.resolve()
      .then(() => provider.authorize({ ...request, origin: 'https://host.example' }, key, fetch))
      .then(
        () => null,
        (error: Error) => error.message,
      );
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
    return [
      `address: ${baseOf(provider, settings) ?? 'named by the caller'}`,
      `key: ${refusal ?? (headers.join(', ') || 'none')}`,
      `offers: ${offersOf(provider).join(', ') || 'nothing'}`,
    ];
  }

  // A new provider or another fact is accepted with: npm test -- test/providers/registry.test.ts -u
  test('has the address, the way to take a key and the offers that are written down', async () => {
    const found: Record<string, string[]> = {};
    for (const provider of allProviders) found[provider.id] = await described(provider);
    expect(found).toMatchSnapshot();
  });

  test('whose address follows from settings has one for the sample settings', () => {
    const without = allProviders.filter((each) => each.baseUrl && baseOf(each, settingsOf(each)) === null);
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  test('has an id of its own, and each offer as a whole but for the counting of tokens', () => {
    const ids = allProviders.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const provider of allProviders) {
      const { id, endpoints, dialects } = provider;
      const missing = [...endpointsOf(...offersOf(provider))].filter(
        (endpoint) => !isPassedOn(endpoint) && !endpoints.has(endpoint) && !dialects?.[endpoint],
      );
      expect([id, missing.filter((endpoint) => endpoint !== 'countTokens')]).toEqual([id, []]);
    }
  });
});

test('the documents have the endpoints and settings of all providers', async () => {
  const root = join(import.meta.dirname, '../..');
  const reference = join(root, 'docs/reference/providers.md');
  const page = existsSync(reference) ? reference : join(root, 'README.md');
  expect(await readFile(page, 'utf8')).toContain(providersTable());
});

/** Values with which somebody would lead a call elsewhere. */
const attacks = [
  'evil.example/',
  'evil.example#',
  'evil.example?',
  'evil.example:443',
  'x@evil.example',
  'x/../../y',
  '..',
  '.',
  'x%2fy',
  'x\\y',
  'x y',
  'x\r\nhost: evil.example',
  '',
];

/** Settings of a provider with those of the attacks that they take. */
const accepted = ({ settings }: Provider): [string, string][] =>
  Object.entries(settings).flatMap(([name, setting]) =>
    attacks
      .filter((value) => settingProblem(setting, value) === null)
      .map((value): [string, string] => [name, value]),
  );

/** The host and the number of segments of a URL; it must mean what it says. */
function shapeOf(text: string): [string, number] {
  const url = new URL(text);
  expect(text.startsWith(url.origin + url.pathname.replace(/\/$/, ''))).toBe(true);
  return [url.origin, url.pathname.split('/').length];
}

/** Where a chat completion goes; null where it is refused. */
function pathOf(
  each: Provider,
  model: string,
  settings: Record<string, string> = {},
): [string, number] | null {
  try {
    const path = each.pathOf?.({
      endpoint: 'chatComplete',
      path: '/chat/completions',
      model,
      settings: { ...settingsOf(each), azure_api_version: '2024-10-21', ...settings },
      basePath: '/models',
    });
    return shapeOf(`https://provider.example/models${path}`);
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
    return null;
  }
}

describe('settings', () => {
  const withPath = allProviders.filter((each) => each.pathOf !== undefined);
  const withUrl = allProviders.filter(({ baseUrl }) => typeof baseUrl === 'function');
  /** What stands in a URL or path when each setting has a value that is easily found. */
  const shapes = (name: string) => [`m${name.length}rk`, '20250101', 'eu-west-1', 'https://m9rk.example/v1'];

  test('that a request may choose decide no host but among those of the provider', () => {
    for (const each of withUrl) {
      const free = Object.entries(each.settings).filter(([, { byRequest }]) => byRequest);
      for (const [name, setting] of free) {
        for (const value of [...shapes(name), ...attacks]) {
          if (settingProblem(setting, value) !== null) continue;
          const base = baseOf(each, { [name]: value });
          if (base === null || base === baseOf(each, {})) continue;
          // A region of AWS is no place that anybody else could own.
          expect({ id: each.id, name, base }).toEqual({
            id: each.id,
            name: 'aws_region',
            base: expect.stringMatching(
              /^https:\/\/[a-z.-]+\.[a-z]{2}-[a-z]+-\d\.(?:amazonaws\.com|api\.aws)(?:\/v1)?$/,
            ),
          });
        }
      }
    }
  });

  test('that become part of an address lead nowhere else', () => {
    const policy = createHostPolicy([]);
    for (const each of withUrl) {
      const complete = settingsOf(each);
      const usual = baseOf(each, complete);
      expect([each.id, usual && policy.problem(usual)]).toEqual([each.id, null]);
      for (const [name, value] of accepted(each)) {
        if (each.settings[name]?.address) continue;
        const base = baseOf(each, { ...complete, [name]: value });
        if (base !== null)
          expect([each.id, name, shapeOf(base)]).toEqual([each.id, name, shapeOf(usual ?? '')]);
      }
    }
  });

  test('that become part of a path do not lead out of it', () => {
    for (const each of withPath) {
      for (const [name, value] of accepted(each)) {
        const found = pathOf(each, 'm', { [name]: value });
        const usual = pathOf(each, 'm', { [name]: value.replace(/./g, 'm') });
        if (found !== null && usual !== null) expect([each.id, name, found]).toEqual([each.id, name, usual]);
      }
    }
  });

  test('that are secret have names that logs know as such', () => {
    const secret = [...allSettings].filter(([, setting]) => setting.secret).map(([name]) => name);
    // The id of an access key is a name: it does nothing without the secret.
    secret.splice(secret.indexOf('aws_access_key_id'), 1);
    expect(secret.filter((name) => !isSecretName(name) || !isSecretName(headerOfSetting(name)))).toEqual([]);
  });

  test('that are secret are never for the request alone, and an address is neither', () => {
    for (const [name, { secret, address, byRequest }] of allSettings)
      if (secret || address) expect([name, byRequest]).toEqual([name, undefined]);
  });

  test.each(attacks)('a model called %j does not lead out of a path', (model) => {
    for (const each of withPath) {
      const found = pathOf(each, model);
      if (found !== null) expect([each.id, found]).toEqual([each.id, pathOf(each, 'm')]);
    }
  });
});

test('a vendor imports no other vendor, and what vendors share imports none', () => {
  const folderOf = (path: string) => /^src\/providers\/(vendors\/[^/]+|kinds|credentials)/.exec(path)?.[1];
  const wrong = sourceFiles('src/providers').flatMap(({ path, imports }) =>
    imports
      .filter(
        (imported) => folderOf(path) && /\/vendors\//.test(imported) && folderOf(imported) !== folderOf(path),
      )
      .map((imported) => `${path} -> ${imported}`),
  );
  expect(wrong).toEqual([]);
});
