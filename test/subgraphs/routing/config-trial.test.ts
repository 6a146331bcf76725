import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf } from '../support.ts';

let world: World;
let neighbour: Awaited<ReturnType<World['app']['createTenant']>>;
let saved: { id: string; slug: string; versionId: string };

beforeAll(async () => {
  world = await startWorld();
  neighbour = await world.app.createTenant();
  saved = await save({ provider: `@${world.slug}`, api_key: 'sk-own-secret-abcd1234' });
});
afterAll(() => world.stop());

const graph = (document: string, variables: object, key = world.app.workspaceKey) =>
  world.app.graphql(document, variables, key);
const created = `mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id slug versionId isDefault } }`;
const save = async (config: object, more: object = {}) =>
  dataOf(await graph(created, { input: { name: 'Tried', config, ...more } })).createConfig;

const simulation = `query ($input: SimulateConfigInput!) { simulateConfig(input: $input) {
  targets { path provider model turn share circuitOpenUntil reasons } } }`;
const simulate = async (input: object) =>
  dataOf(await graph(simulation, { input })).simulateConfig.targets as {
    path: string;
    turn: number | null;
    share: number;
    reasons: string[];
    circuitOpenUntil: string | null;
  }[];
const validation = `query ($input: ValidateConfigInput!) { validateConfig(input: $input) { valid problems { path message } } }`;
const validate = async (config: unknown, more: object = {}) =>
  dataOf(await graph(validation, { input: { config, ...more } })).validateConfig;

describeAccess(() => ({ app: world.app, neighbour }), 'workspace-service', {
  validateConfig: {
    document: validation,
    variables: () => ({ input: { config: { retry: { attempts: 1 } } } }),
    scopes: ['configs.read'],
  },
  simulateConfig: {
    document: simulation,
    variables: () => ({ input: { config: { retry: { attempts: 1 } } } }),
    scopes: ['configs.read'],
  },
  restoreConfigVersion: {
    document:
      'mutation ($id: ID!, $versionId: ID!) { restoreConfigVersion(id: $id, versionId: $versionId) { id } }',
    variables: () => ({ id: saved.id, versionId: saved.versionId }),
    scopes: ['configs.update'],
    audit: 'config.update',
    addressed: true,
  },
});

describe('validateConfig', () => {
  it('says what saving would be refused for, each problem at its place, and saves nothing', async () => {
    const count = () => world.app.db.collection('configs').countDocuments({});
    const before = await count();
    expect(await validate({ retry: { attempts: 1 } })).toEqual({ valid: true, problems: [] });
    const wrong = {
      strategy: { mode: 'loadbalance' },
      targets: [{ provider: '@nobody' }, { provider: 'openai', weight: -1, colour: 'red' }],
    };
    const { valid, problems } = await validate(wrong);
    expect(valid).toBe(false);
    expect(problems.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'config.targets[1].colour',
      'config.targets[1].weight',
    ]);
    const refused = await graph(created, { input: { name: 'x', config: wrong } });
    expect(errorOf(refused).code).toBe('INVALID_CONFIG');
    const missing = await validate({ provider: '@nobody' });
    expect(missing.problems).toEqual([
      { path: 'config.provider', message: 'the workspace has no provider @nobody' },
    ]);
    expect(await count()).toBe(before);
  });

  it('takes masks for the credentials of the config that is to be replaced, and of no other', async () => {
    const masked = { provider: `@${world.slug}`, api_key: 'sk-***1234' };
    expect(await validate(masked, { configId: saved.slug })).toMatchObject({ valid: true });
    expect(await validate(masked)).toMatchObject({ valid: false, problems: [{ path: 'config.api_key' }] });
    const answer = await graph(
      validation,
      { input: { config: masked, configId: saved.id } },
      neighbour.workspaceKey,
    );
    expect(errorOf(answer).code).toBe('NOT_FOUND');
  });

  it('publishes the shape of a config as JSON Schema', async () => {
    const schema = dataOf(await graph('{ configSchema }', {})).configSchema;
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['strategy', 'targets', 'retry', 'cache', 'aws_region']),
    );
    expect(schema.additionalProperties).toBe(false);
  });
});

describe('simulateConfig', () => {
  const target = (name: string, more: object = {}) => ({ name, provider: `@${world.slug}`, ...more });

  it('follows conditions, weights and the order of fallback', async () => {
    const config = {
      strategy: {
        mode: 'conditional',
        // biome-ignore lint/suspicious/noThenProperty: the config's own name for a condition's target
        conditions: [{ query: { 'metadata.team': { $eq: 'search' } }, then: 'shared' }],
        default: 'ordered',
      },
      targets: [
        {
          name: 'shared',
          strategy: { mode: 'loadbalance' },
          targets: [target('a', { weight: 3 }), target('b', { weight: 1 }), target('c', { weight: 0 })],
        },
        {
          name: 'ordered',
          strategy: { mode: 'fallback', on_status_codes: [429] },
          targets: [target('d', { override_params: { model: 'other' } }), target('e')],
        },
      ],
    };
    const params = { model: 'gpt-4o' };
    const searched = await simulate({ config, params, metadata: { team: 'search' } });
    const numbers = (found: typeof searched) => found.map(({ turn, share }) => [turn, share]);
    expect(numbers(searched)).toEqual([
      [1, 0.75],
      [1, 0.25],
      [null, 0],
      [null, 0],
      [null, 0],
    ]);
    expect(searched[0]?.reasons).toEqual(['config: condition 1 holds', 'config.targets[0]: weight 3 of 4']);
    expect(searched[3]?.reasons).toEqual(['config: another target is chosen']);
    const others = await simulate({ config, params });
    expect(numbers(others)).toEqual([
      [null, 0],
      [null, 0],
      [null, 0],
      [1, 1],
      [2, 1],
    ]);
    expect(others.slice(3)).toMatchObject([
      { path: 'config.targets[1].targets[0]', provider: `@${world.slug}`, model: 'other' },
      { path: 'config.targets[1].targets[1]', model: 'gpt-4o' },
    ]);
    expect(others[4]?.reasons[1]).toBe('config.targets[1]: the next in the order, after a status 429');
  });

  it('knows the circuits of a saved config, as calls do, and the config shows them', async () => {
    const rule = { failure_threshold: 1, cooldown_interval: 60_000 };
    const config = await save({
      strategy: { mode: 'fallback', cb_config: rule },
      targets: [target('first'), target('second')],
    });
    const asked = { configId: config.slug, params: { model: 'gpt-4o' } };
    expect(await simulate(asked)).toMatchObject([
      { turn: 1, circuitOpenUntil: null },
      { turn: 2, circuitOpenUntil: null },
    ]);
    world.provider.play(json(500, {}), json(200, chatAnswer('hello')));
    const body = { model: 'gpt-4o', messages };
    const call = () => world.call({ config: config.slug, body });
    expect((await call()).headers['x-gateway-last-used-option-index']).toBe('config.targets[1]');
    await eventually(async () =>
      expect(await simulate(asked)).toMatchObject([
        { turn: null, share: 0, reasons: ['config: a circuit breaker keeps calls from this target'] },
        { turn: 1, share: 1 },
      ]),
    );
    expect(world.provider.requests).toHaveLength(2);
    await call();
    expect(world.provider.requests).toHaveLength(3);
    // What one model did says nothing about another.
    expect(await simulate({ ...asked, params: { model: 'another' } })).toMatchObject([
      { turn: 1 },
      { turn: 2 },
    ]);
    const shown = await graph(
      'query ($id: ID!) { config(id: $id) { circuits { target isOpen openUntil failures successes } } }',
      { id: config.id },
    );
    expect(dataOf(shown).config.circuits).toEqual([
      {
        target: 'config.targets[0]',
        isOpen: true,
        openUntil: expect.stringMatching(/Z$/),
        failures: 0,
        successes: 0,
      },
    ]);
  });

  it.each([
    [{}, 'config'],
    [{ configId: 'pc-x', config: {} }, 'config'],
    [{ config: { retry: { attempts: 1 } }, params: [] }, 'params'],
    [{ config: { retry: { attempts: 1 } }, metadata: { team: 1 } }, 'metadata'],
    [{ config: { retry: { attempts: 1 } }, path: '/elsewhere' }, 'path'],
  ])('refuses %j by the name of %s', async (input, name) => {
    const refused = errorOf(await graph(simulation, { input }));
    expect(refused.code).toBe('VALIDATION_FAILED');
    expect(refused.param).toContain(name);
  });
});

describe('a change of a config', () => {
  const retry = (attempts: number) => ({ retry: { attempts } });
  const change = (id: string, input: object) =>
    graph(
      'mutation ($id: ID!, $input: UpdateConfigInput!) { updateConfig(id: $id, input: $input) { versionId isDefault name } }',
      { id, input },
    );

  it('that expects a version is refused once there is another, with nothing changed', async () => {
    const { id, versionId } = await save(retry(1));
    const second = dataOf(await change(id, { config: retry(2), expectedVersionId: versionId })).updateConfig;
    for (const input of [{ config: retry(3) }, { name: 'late' }]) {
      const late = errorOf(await change(id, { ...input, expectedVersionId: versionId }));
      expect(late.code).toBe('PRECONDITION_FAILED');
    }
    const racing = await Promise.all(
      [4, 5, 6].map((attempts) =>
        change(id, { config: retry(attempts), expectedVersionId: second.versionId }),
      ),
    );
    expect(racing.filter(({ errors }) => !errors)).toHaveLength(1);
    const shown = await graph('query ($id: ID!) { config(id: $id) { name versions { number } } }', { id });
    expect(dataOf(shown).config).toEqual({
      name: 'Tried',
      versions: [{ number: 3 }, { number: 2 }, { number: 1 }],
    });
  });

  it('can make it the default of the workspace, and take that away', async () => {
    const one = await save(retry(1), { isDefault: 1 });
    const two = await save(retry(2));
    expect(dataOf(await change(two.id, { isDefault: 1 })).updateConfig.isDefault).toBe(1);
    const isDefault = async (id: string) =>
      dataOf(await graph('query ($id: ID!) { config(id: $id) { isDefault } }', { id })).config.isDefault;
    expect(await isDefault(one.id)).toBe(0);
    expect(dataOf(await change(two.id, { isDefault: 0 })).updateConfig.isDefault).toBe(0);
    expect(await isDefault(two.id)).toBe(0);
  });

  it('can bring an older version back, credentials included', async () => {
    const config = { provider: 'openai', api_key: 'sk-first-secret-aaaa1111' };
    const { id, versionId } = await save(config);
    await change(id, { config: { ...config, api_key: 'sk-second-secret-bbbb2222' } });
    const restore = (version: string) =>
      graph(
        'mutation ($id: ID!, $versionId: ID!) { restoreConfigVersion(id: $id, versionId: $versionId) { config versions { number } } }',
        { id, versionId: version },
      );
    const restored = dataOf(await restore(versionId)).restoreConfigVersion;
    expect(restored.config).toEqual({ provider: 'openai', api_key: 'sk-***1111' });
    expect(restored.versions.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1]);
    expect(errorOf(await restore(saved.versionId))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('can choose its slug at the beginning, once in an organisation', async () => {
    const slug = `pc-chosen-${Date.now()}`;
    expect((await save(retry(1), { slug })).slug).toBe(slug);
    const again = await graph(created, { input: { name: 'x', config: retry(1), slug } });
    expect(errorOf(again).code).toBe('ALREADY_EXISTS');
    const wrong = await graph(created, { input: { name: 'x', config: retry(1), slug: 'chosen' } });
    expect(errorOf(wrong)).toMatchObject({ code: 'VALIDATION_FAILED' });
    const { body } = await world.app.rest('POST', '/v1/configs', {
      body: { name: 'over REST', config: retry(1), slug: `${slug}-rest` },
    });
    expect(body).toMatchObject({ success: true });
  });
});

it('a config names the keys and workspaces that have it as their default', async () => {
  const { id, slug } = await save({ retry: { attempts: 1 } });
  const { body } = await world.app.rest('POST', '/v1/api-keys/workspace/service', {
    body: { name: 'user of it', scopes: ['completions.write'], defaults: { config_id: slug } },
  });
  const shown = await graph('query ($id: ID!) { config(id: $id) { usedBy { kind id } } }', { id });
  expect(dataOf(shown).config.usedBy).toEqual([{ kind: 'api_key', id: (body as { id: string }).id }]);
});
