import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { OpenApi } from '../../rest-compat/openapi/document.ts';
import { misplacedNames, unbuiltNames } from '../../rest-compat/own-names/reserved.ts';
import { providerNames } from '../../src/dataplane/target/provider-names.ts';
import { type CallOptions, created, startWorld, type World } from '../support/world.ts';

const SECRET = 'sk-planted-0123456789abcdef';
const body = { name: 'mine', provider: 'openai', key: SECRET };

const paths: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('administration-paths.json', import.meta.url), 'utf8'),
);
const nameOf = (path: string) => path.split('/')[1] ?? '';
const contractNames = [...new Set(Object.keys(paths).map(nameOf))];

let world: World;
beforeAll(async () => {
  world = await startWorld();
  // Whatever names no provider goes to the scripted one.
  await created(world.app, '/v1/configs', {
    name: 'to the scripted provider',
    is_default: 1,
    config: { provider: `@${world.slug}` },
  });
});
afterAll(() => world.stop());

const throughHeader = () => ({ 'x-gateway-provider': `@${world.slug}` });

/** What of these requests reached the provider. */
async function leaked(requests: CallOptions[]): Promise<string[]> {
  world.provider.requests.length = 0;
  const found: string[] = [];
  for (const request of requests) {
    await world.call({ body, ...request });
    if (world.provider.requests.length > 0) found.push(`${request.method} ${request.path}`);
    world.provider.requests.length = 0;
  }
  return found;
}

const each = (word: string, change: (index: number) => string) =>
  Array.from(word, (_, index) => change(index)).filter((changed) => changed !== word);

/** Every way to write a name with one slip. */
const slips: Record<string, (name: string) => string[]> = {
  'in the other number': (name) => [
    name.endsWith('s') ? name.replace(/(ies|s)$/, (end) => (end === 'ies' ? 'y' : '')) : `${name}s`,
  ],
  'with a letter dropped': (name) => each(name, (at) => name.slice(0, at) + name.slice(at + 1)),
  'with letters swapped': (name) =>
    each(name.slice(1), (at) => name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2)),
  'with a letter doubled': (name) => each(name, (at) => name.slice(0, at + 1) + name.slice(at)),
  'with another separator': (name) => [name.replaceAll('-', '_'), name.replaceAll('_', '-')],
  'without a separator': (name) => [name.replace(/[-_]/g, '')],
  'in camel case': (name) => [name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())],
  'in capitals': (name) => [name.toUpperCase()],
  'percent-encoded': (name) => [`%${name.charCodeAt(0).toString(16)}${name.slice(1)}`],
  'with an ending': (name) => [`${name}.json`, `${name};v=1`],
  'behind a second base': (name) => [`v1/${name}`, `v2/${name}`, `/${name}`],
};

const filled = (path: string) => path.replace(/\{\w+\}/g, 'x');

describe('a body with a secret that is meant for the administration', () => {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    methods.map((method) => ({ method, path: `/v1${filled(path)}`, name: nameOf(path) })),
  );

  it('reaches no provider at the path of the contract, by a default or by a header', async () => {
    expect(await leaked(rows)).toEqual([]);
    expect(await leaked(rows.map((row) => ({ ...row, headers: throughHeader() })))).toEqual([]);
  });

  it('reaches no provider by another method or below the path', async () => {
    const more = Object.keys(paths).flatMap((path) =>
      ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].flatMap((method) => [
        { method, path: `/v1${filled(path)}` },
        { method, path: `/v1${filled(path)}/x` },
      ]),
    );
    expect(await leaked(more.map((row) => ({ ...row, headers: throughHeader() })))).toEqual([]);
  });

  test.each(Object.entries(slips))('reaches no provider where the name is written %s', async (_how, slip) => {
    const names = [...new Set([...contractNames, ...unbuiltNames.filter((name) => name.length > 3)])];
    const typos = names.flatMap((name) =>
      slip(name).map((typo) => ({ method: 'POST', path: `/v1/${typo}`, headers: throughHeader() })),
    );
    const deeper = rows.map(({ method, path, name }) => {
      const typo = slip(name)[0] ?? name;
      return { method, path: path.replace(name, typo), headers: throughHeader() };
    });
    expect(await leaked([...typos, ...deeper])).toEqual([]);
  });
});

describe('a path with a name of the administration that is not there', () => {
  const refusal = (message: RegExp) => ({
    status: 404,
    json: {
      error: {
        code: 'AB08',
        type: 'not_found_error',
        param: 'path',
        message: expect.stringMatching(message),
      },
    },
  });

  test.each([
    ['POST', '/v1/prompts', /^There is no \/v1\/prompts\. This version has nothing at \/v1\/prompts\./],
    ['GET', '/v1/servers/x', /There is \/v0\.1\/servers\./],
    ['POST', '/v1/prompts/pp-1/completions', /reached at \/v1\/proxy\/prompts\/pp-1\/completions\.$/],
    ['POST', '/v1/gateway/tokenize', /There is \/v1\/gateway\/.*\/v1\/proxy\/gateway\/tokenize\.$/],
    ['GET', '/v1/configs/x/y/z', /There is \/v1\/configs, \/v1\/configs\/\{slug\}, .*\/versions\./],
    ['GET', '/v1/analytics', /\/v1\/analytics\/.*, and more in \/reference\./],
    ['POST', '/v1/access_policies', /There is \/iam\/v1\/access_policies, /],
    ['POST', '/v1/access_token', /There is \/oauth2\/access_token\./],
    ['POST', '/v1/graphql', /There is \/graphql\./],
    ['DELETE', '/v1/users/x', /There is \/v1\/admin\/users/],
    ['POST', '/v1/virtual_keys', /"virtual-keys" may be meant.* reached at \/v1\/proxy\/virtual_keys\.$/],
    ['POST', '/v1/api-key', /"api-keys" may be meant.* There is \/v1\/api-keys.*\/v1\/proxy\/api-key\.$/],
  ])('%s %s says what there is', async (method, path, message) => {
    for (const key of [world.app.workspaceKey, world.app.adminKey, null]) {
      expect(await world.call({ method, path, key, body })).toMatchObject(refusal(message));
    }
  });

  it('is answered 405 with what it takes where it exists for other methods', async () => {
    const answer = await world.call({
      method: 'PATCH',
      path: '/v1/configs/x',
      body,
      headers: throughHeader(),
    });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
  });

  it('is a provider’s again below /v1/proxy', async () => {
    for (const name of [...contractNames, ...unbuiltNames, 'guardrail', 'api_keys']) {
      world.provider.requests.length = 0;
      const path = `/v1/proxy/${name}/x`;
      const answer = await world.call({ path, body, headers: throughHeader() });
      expect([answer.status, world.provider.requests[0]?.url]).toEqual([200, `/v1/${name}/x`]);
    }
  });
});

describe('a path of a provider', () => {
  const theirs = [
    ...['assistants', 'threads/runs', 'threads/x/messages', 'vector_stores', 'vector_stores/x/file_batches'],
    ...[
      'files/x',
      'uploads',
      'uploads/x/parts',
      'containers',
      'conversations/x/items',
      'evals/x/runs',
      'videos',
    ],
    ...[
      'organization/projects',
      'organization/admin_api_keys',
      'batches/x/cancel',
      'fine_tuning/jobs/x/cancel',
    ],
    ...[
      'chat',
      'embed',
      'rerank/x',
      'classify',
      'datasets',
      'connectors',
      'tokenize',
      'check-api-key',
      'v2/chat',
    ],
    ...[
      'collections/x/points',
      'collections/x/points/search',
      'predictions',
      'models/x/versions/y/predictions',
    ],
    ...[
      'model/x/converse',
      'endpoints/x/invocations',
      'openai/deployments/x/chat/completions',
      'agents/completions',
    ],
    ...[
      'v1beta/models/x:generateContent',
      'generation/x/text-to-image',
      'text-to-3d',
      'fim/completions',
      'api/chat',
    ],
    ...['services/aigc/text-generation', 'tasks', 'projects/x/locations/y', 'generate', 'log-in', 'lots'],
  ];

  test.each(theirs)('passes: %s', async (path) => {
    world.provider.requests.length = 0;
    const answer = await world.call({ path: `/v1/${path}`, body, headers: throughHeader() });
    expect([answer.status, world.provider.requests[0]?.url]).toEqual([200, `/v1/${path}`]);
  });

  it('passes to where a default leads', async () => {
    world.provider.requests.length = 0;
    await world.call({ path: '/v1/evals', body });
    expect(world.provider.requests.map(({ url }) => url)).toEqual(['/v1/evals']);
  });

  it('may be like a name of the administration where no body goes along', async () => {
    const answer = await world.call({ method: 'GET', path: '/v1/user', headers: throughHeader() });
    expect(answer.status).toBe(200);
  });
});

describe('the names', () => {
  it('of what is not built yet have no path in the reference', async () => {
    const { body: reference } = await world.app.rest('GET', '/openapi.json', { key: null });
    const built = Object.keys((reference as OpenApi).paths).map((path) =>
      nameOf(path.replace(/^\/(v1|v2|admin\/v2|iam\/v1|oauth2)(?=\/)/, '')),
    );
    expect(unbuiltNames.filter((name) => built.includes(name))).toEqual([]);
    const known = [...built, ...unbuiltNames, ...Object.keys(misplacedNames)];
    expect(contractNames.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('of providers are none of the administration', () => {
    const own = [...contractNames, ...unbuiltNames, ...Object.keys(misplacedNames)];
    expect(own.filter((name) => providerNames.has(name))).toEqual([]);
  });
});
