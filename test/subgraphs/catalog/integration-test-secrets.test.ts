import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { json, type Script } from '../../support/provider.ts';
import { makeReference, vaultInput } from '../../support/secret-managers/references.ts';
import { keyOf, NEW, OLD } from '../../support/secret-managers/rotation.ts';
import { type SecretWorld, startSecretWorld } from '../../support/secret-managers/world.ts';
import { auditRows, dataOf, dumpResources, errorOf } from '../support.ts';

let secret: SecretWorld;
beforeAll(async () => {
  secret = await startSecretWorld();
});
afterAll(() => secret.stop());
beforeEach(() => secret.reset());

const document = `mutation ($id: ID, $input: TestIntegrationInput) {
  testIntegration(id: $id, input: $input) { ok status hint providerMessage models }
}`;
const ask = (variables: object) =>
  secret.world.app.graphql(document, variables as never, secret.world.app.adminKey);
const test = async (variables: object) => dataOf(await ask(variables)).testIntegration;

/** Lists its models to whoever shows this key, and quotes any other one. */
const listing =
  (key: string): Script =>
  (request, response, raw) =>
    (keyOf(request) === key
      ? json(200, { object: 'list', data: [{ id: 'gpt-test' }] })
      : json(401, { error: { message: `wrong key ${keyOf(request)}` } }))(request, response, raw);

const toKey = ({ slug }: { slug: string }, secretKey = 'key') => [
  { targetField: 'key', secretReferenceId: slug, secretKey },
];
const input = (more: object = {}) => ({
  aiProviderId: 'openai',
  configurations: { custom_host: secret.world.provider.url },
  ...more,
});

/** The slug of the integration behind a provider that is made of a mapped reference. */
async function stored(): Promise<string> {
  const slug = await secret.providerOf(await secret.reference());
  const { app } = secret.world;
  const found = await app.db.collection('providers').findOne({ slug });
  return String((await app.db.collection('integrations').findOne({ _id: found?.integrationId }))?.slug);
}

it('asks a stored integration with the value of its secret manager, and stores and shows it nowhere', async () => {
  const id = await stored();
  const { app, provider } = secret.world;
  provider.play(listing(OLD));
  const before = await dumpResources(app);
  const result = await test({ id });
  expect(result).toMatchObject({ ok: true, status: 200, models: ['gpt-test'] });
  expect(provider.requests.map(keyOf)).toEqual([OLD]);
  expect(await dumpResources(app)).toBe(before);
  expect(JSON.stringify(await auditRows(app, { action: 'test' }))).not.toContain(OLD);
});

it('asks again with a newer value where the provider refuses the one in memory', async () => {
  const id = await stored();
  const { provider } = secret.world;
  provider.play(listing(OLD));
  await test({ id });
  secret.vault.secrets.set('secret/openai', { key: NEW });
  provider.play(listing(NEW));
  expect(await test({ id })).toMatchObject({ ok: true, models: ['gpt-test'] });
  expect(provider.requests.map(keyOf).at(-1)).toBe(NEW);
});

it('says what the provider says of a value that is wrong, without the value', async () => {
  const id = await stored();
  secret.world.provider.play(listing(NEW));
  const result = await test({ id });
  expect(result).toMatchObject({ ok: false, status: 401, hint: expect.stringContaining('check the key') });
  expect(result.providerMessage).toContain('wrong key');
  expect(JSON.stringify(result)).not.toContain(OLD);
});

it('takes mappings that are not stored, for a new integration and in place of stored ones', async () => {
  secret.vault.secrets.set('secret/openai', { key: OLD, other: NEW });
  const reference = await secret.reference();
  const { provider } = secret.world;
  provider.play(listing(OLD));
  expect(await test({ input: input({ secretMappings: toKey(reference) }) })).toMatchObject({ ok: true });
  const id = await stored();
  provider.play(listing(NEW));
  expect(await test({ id, input: { secretMappings: toKey(reference, 'other') } })).toMatchObject({
    ok: true,
  });
  expect(await test({ id, input: { key: NEW, secretMappings: null } })).toMatchObject({ ok: true });
  expect(provider.requests.map(keyOf).at(-1)).toBe(NEW);
  provider.play(listing(OLD));
  expect(await test({ id })).toMatchObject({ ok: true });
});

it('says which secret cannot be had, and does not ask the provider', async () => {
  const gone = await secret.reference({ secretPath: 'secret/data/nothing' });
  const { provider, app } = secret.world;
  provider.play(listing(OLD));
  const asked = provider.requests.length;
  const result = await test({ input: input({ secretMappings: toKey(gone) }) });
  expect(result).toMatchObject({ ok: false, status: null, models: null });
  expect(result.hint).toContain(`the secret reference ${gone.slug} is missing`);
  const down = await makeReference(app, vaultInput('http://127.0.0.1:9', { secretKey: 'key' }), app.adminKey);
  expect((await test({ input: input({ secretMappings: toKey(down) }) })).hint).toContain('is unreachable');
  expect(provider.requests.length).toBe(asked);
});

it('refuses mappings as a create does, and names the field', async () => {
  const others = await secret.world.app.createTenant();
  const foreign = await makeReference(
    secret.world.app,
    vaultInput(secret.manager.url.replace('/v1', '')),
    others.adminKey,
  );
  const refusal = async (secretMappings: object[]) =>
    errorOf(await ask({ input: input({ secretMappings }) })).param;
  expect(await refusal(toKey(foreign))).toBe('input.secretMappings[0].secretReferenceId');
  expect(await refusal([{ ...toKey(await secret.reference())[0], targetField: 'name' }])).toBe(
    'input.secretMappings[0].targetField',
  );
});
