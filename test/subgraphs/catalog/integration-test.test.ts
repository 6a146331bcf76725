import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { json, startProvider } from '../../support/provider.ts';
import { STORED_KEY, startWorld, type World } from '../../support/world.ts';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../support.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.provider.play(json(200, list)));

const list = { object: 'list', data: [{ id: 'gpt-4o' }, { id: 'own-model' }] };
const document = `mutation ($id: ID, $input: TestIntegrationInput, $model: String) {
  testIntegration(id: $id, input: $input, model: $model) { ok status latencyMs providerMessage hint models }
}`;
const ask = (variables: object, key = world.app.adminKey) =>
  world.app.graphql(document, variables as never, key);
const test = async (variables: object, key?: string) => dataOf(await ask(variables, key)).testIntegration;

const secret = 'sk-tested-credential-0123456789';
const input = (more: object = {}) => ({
  aiProviderId: 'openai',
  key: secret,
  configurations: { custom_host: world.provider.url },
  ...more,
});

describe('testIntegration', () => {
  it('lists the models with a credential that is not stored, and stores nothing', async () => {
    const before = await dumpResources(world.app);
    const result = await test({ input: input() });
    expect(result).toEqual({
      ok: true,
      status: 200,
      latencyMs: expect.any(Number),
      providerMessage: null,
      hint: null,
      models: ['gpt-4o', 'own-model'],
    });
    expect(world.provider.requests).toMatchObject([
      { method: 'GET', url: '/v1/models', headers: { authorization: `Bearer ${secret}` } },
    ]);
    expect(await dumpResources(world.app)).toBe(before);
    const rows = await auditRows(world.app, { resourceType: 'integration', action: 'test' });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('tested-credential');
  });

  it('asks a model where one is named, of a stored integration with what is to change', async () => {
    world.provider.play(json(200, { choices: [] }));
    const id = world.slug;
    expect(await test({ id, model: 'gpt-4o' })).toMatchObject({ ok: true, models: null });
    const [asked] = world.provider.requests;
    expect(asked).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: `Bearer ${STORED_KEY}` },
    });
    expect(JSON.parse(String(asked?.body))).toMatchObject({ model: 'gpt-4o', max_tokens: 16 });
    await test({ id, input: { key: secret }, model: 'gpt-4o' });
    expect(world.provider.requests[1]?.headers.authorization).toBe(`Bearer ${secret}`);
  });

  it.each([
    [401, { error: { message: `Incorrect API key provided: ${secret}.` } }, 'check the key'],
    [404, { error: { message: 'No such model' } }, 'check the custom host'],
    [429, { message: 'Too fast' }, 'at a limit'],
    [500, 'oops', 'a problem of its own'],
  ])(
    'says what the provider says to %s, without secrets, and what to look at',
    async (status, body, hint) => {
      world.provider.play(json(status, body));
      const result = await test({ input: input() });
      expect(result).toMatchObject({ ok: false, status, hint: expect.stringContaining(hint), models: null });
      expect(result.providerMessage).toEqual(expect.any(String));
      expect(JSON.stringify(result)).not.toContain(secret);
      if (status === 401) expect(result.providerMessage).toContain('Incorrect API key provided');
    },
  );

  it('says that a host does not answer, or answers something else', async () => {
    const nowhere = { custom_host: 'http://127.0.0.1:9/v1' };
    expect(await test({ input: input({ configurations: nowhere }) })).toMatchObject({
      ok: false,
      status: null,
      hint: expect.stringContaining('cannot be reached'),
    });
    world.provider.play((_request, response) => void response.end('<html>'));
    expect(await test({ input: input() })).toMatchObject({
      ok: false,
      status: 200,
      hint: expect.stringContaining('something else'),
    });
  });

  it('gives a silent provider up after 5 seconds', async () => {
    world.provider.play(() => undefined);
    const result = await test({ input: input() });
    expect(result).toMatchObject({ ok: false, status: null, hint: expect.stringContaining('5 seconds') });
    expect(result.latencyMs).toBeLessThan(7000);
  });

  it.each([
    ['a host of the cloud', { custom_host: 'http://169.254.169.254/v1' }],
    ['a name in it', { custom_host: 'http://metadata.google.internal/' }],
    ['another scheme', { custom_host: 'file:///etc/passwd' }],
  ])('refuses %s as for every integration', async (_what, configurations) => {
    expect(errorOf(await ask({ input: input({ configurations }) })).param).toBe(
      'input.configurations.custom_host',
    );
  });

  it('takes a stored credential to no other host', async () => {
    const other = await startProvider();
    const configurations = { custom_host: other.url };
    expect(errorOf(await ask({ id: world.slug, input: { configurations } })).param).toBe(
      'input.configurations.custom_host',
    );
    expect(other.requests).toEqual([]);
    expect(await test({ id: world.slug, input: { configurations, key: secret } })).toMatchObject({
      status: 200,
    });
    expect(other.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`);
    await other.stop();
  });

  it('refuses what is no integration, and what belongs to others', async () => {
    expect(errorOf(await ask({}))).toMatchObject({ code: 'VALIDATION_FAILED', param: 'input.aiProviderId' });
    expect(errorOf(await ask({ input: { aiProviderId: 'nobody' } })).param).toBe('input.aiProviderId');
    expect(errorOf(await ask({ id: world.slug, input: { aiProviderId: 'groq' } })).param).toBe(
      'input.aiProviderId',
    );
    expect(errorOf(await ask({ id: 'none' })).code).toBe('NOT_FOUND');
    const neighbour = await world.app.createTenant();
    expect(errorOf(await ask({ id: world.slug }, neighbour.adminKey)).code).toBe('NOT_FOUND');
    const reader = await makeKey(world.app, 'organisation-service', {
      only: ['organisation_integrations.read'],
    });
    expect(errorOf(await ask({ id: world.slug }, reader)).code).toBe('FORBIDDEN');
    const maker = await makeKey(world.app, 'organisation-service', {
      only: ['organisation_integrations.create'],
    });
    expect(errorOf(await ask({ id: world.slug }, maker)).code).toBe('FORBIDDEN');
    expect(world.provider.requests).toEqual([]);
    expect(await test({ input: input() }, maker)).toMatchObject({ ok: true });
  });
});
