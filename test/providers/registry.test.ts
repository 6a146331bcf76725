import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readmeTable } from '../../scripts/reference/providers.ts';
import { createHostPolicy } from '../../src/lib/custom-host.ts';
import { isSecretName } from '../../src/lib/redaction.ts';
import { endpointsOf } from '../../src/providers/endpoint.ts';
import {
  allProviders,
  allSettings,
  findProvider,
  headerOfSetting,
  settingProblem,
} from '../../src/providers/index.ts';
import type { Provider, UnsignedRequest } from '../../src/providers/provider.ts';
import { type Row, table } from './table.ts';

// Properties of the registry of providers, without an app.

const provider = (id: string): Provider => {
  const found = findProvider(id);
  if (!found) throw new Error(`There is no provider ${id}.`);
  return found;
};

const baseOf = ({ baseUrl }: Provider, settings: Record<string, string>) =>
  typeof baseUrl === 'function' ? baseUrl(settings) : baseUrl;

const letters = (text: string) => text.split(' ').filter((letter) => letter !== '');
const without = (text: string, lacks = '') =>
  letters(text)
    .filter((letter) => !letters(lacks).includes(letter))
    .join(' ');

describe('every provider of the table (section 9.2)', () => {
  test.each(table)(
    '$id has its address and its way to take a key',
    async ({ id, base, settings = {}, auth }: Row) => {
      const found = provider(id);
      expect(baseOf(found, settings)).toBe(base);
      if (auth === null) return;
      const request: UnsignedRequest = { method: 'POST', origin: '', path: '/', headers: {}, body: null };
      await found.authorize(request, { key: 'k', settings }, fetch);
      expect(Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)).toContain(auth);
    },
  );

  test.each(table)('$id takes the endpoints of the table', ({ id, endpoints, lacks }: Row) => {
    const { endpoints: taken, dialects } = provider(id);
    const offered = [...endpointsOf(without(endpoints, lacks))].filter(
      (endpoint) => endpoint !== 'countTokens',
    );
    expect(offered.filter((endpoint) => !taken.has(endpoint) && !dialects?.[endpoint])).toEqual([]);
    const refused = [...endpointsOf(lacks ?? '')].filter((endpoint) => !endpointsOf('').has(endpoint));
    expect(refused.filter((endpoint) => taken.has(endpoint) || dialects?.[endpoint])).toEqual([]);
  });

  test('is there but the mock, which is our own', () => {
    const ids = table.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(allProviders.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual(['mock']);
  });
});

test('the README has the endpoints and settings of all providers', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const ours = ['mock', 'gateway', 'passthrough'];
  expect(readme).toContain(readmeTable(allProviders.filter(({ id }) => !ours.includes(id))));
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

const settingsOf = ({ id }: Provider) => table.find((row) => row.id === id)?.settings ?? {};

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
