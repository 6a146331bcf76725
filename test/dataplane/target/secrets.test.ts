import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataOf, dump } from '../../subgraphs/support.ts';
import { chatAnswer, json, type ReceivedRequest } from '../../support/provider.ts';
import { keyOf, NEW, OLD, taking } from '../../support/secret-managers/rotation.ts';
import { errorIn, type SecretWorld, startSecretWorld } from '../../support/secret-managers/world.ts';
import { messages, STORED_KEY, until } from '../../support/world.ts';

let secret: SecretWorld;
beforeAll(async () => {
  secret = await startSecretWorld();
});
afterAll(() => secret.stop());
beforeEach(() => secret.reset());

const hello = json(200, chatAnswer('hello'));
const provided = async (change?: object, mappings?: object[]) =>
  secret.providerOf(await secret.reference(change), mappings);

describe('a credential out of a secret manager', () => {
  it('goes to the provider, is read once for many calls, and is stored nowhere', async () => {
    const slug = await provided();
    secret.world.provider.play(taking(() => OLD));
    const answers = await Promise.all(Array.from({ length: 30 }, () => secret.call(slug)));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(secret.reads()).toBe(1);
    await secret.world.app.logged();
    expect(await dump(secret.world.app)).not.toContain(OLD);
  });

  it('has its settings from there too', async () => {
    const slug = await provided({ secretKey: null }, [
      { target_field: 'key', secret_key: 'key' },
      {
        target_field: 'configurations.openai_organization',
        secret_key: 'organisation',
        value_format: 'string',
      },
    ]);
    secret.world.provider.play(hello);
    expect((await secret.call(slug)).status).toBe(200);
    expect(secret.world.provider.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${OLD}`,
      'openai-organization': 'org-kept',
    });
  });

  it('is masked where the provider repeats it', async () => {
    const slug = await provided();
    const { answer, records } = await secret.world.logged(
      json(400, { error: { message: `what is ${OLD}?` } }),
      {
        body: { model: `@${slug}/gpt-test`, messages },
      },
    );
    expect(answer.status).toBe(400);
    expect(JSON.stringify([answer.text, records])).not.toContain(OLD);
  });

  it('goes to no host that a request names', async () => {
    const answer = await secret.call(await provided(), { 'x-gateway-custom-host': 'http://127.0.0.1:8/v1' });
    expect([answer.status, errorIn(answer).code]).toEqual([400, 'invalid_custom_host']);
    expect(secret.reads()).toBe(0);
  });
});

describe('a rotation', () => {
  it('is noticed in the background, before a provider minds', async () => {
    const slug = await provided();
    const { provider } = secret.world;
    provider.play(hello);
    await secret.call(slug);
    secret.vault.secrets.set('secret/openai', { key: NEW });
    await until(async () => {
      await secret.call(slug);
      return provider.requests.map(keyOf).at(-1) === NEW;
    });
    expect(new Set(provider.requests.map(keyOf))).toEqual(new Set([OLD, NEW]));
  });

  it('costs no call: what fails with the old value is sent again with the new one', async () => {
    const slug = await provided();
    let taken = OLD;
    secret.world.provider.play(taking(() => taken));
    await secret.call(slug);
    secret.vault.secrets.set('secret/openai', { key: NEW });
    taken = NEW;
    const asked = secret.reads();
    const answers = await Promise.all(Array.from({ length: 20 }, () => secret.call(slug)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(secret.reads() - asked).toBeLessThanOrEqual(2);
    const { answer, records } = await secret.world.logged(
      taking(() => NEW),
      { body: { model: `@${slug}/gpt-test`, messages } },
    );
    expect([answer.status, records.length]).toEqual([200, 1]);
  });

  it('that did not happen leaves the refusal to the caller, and the manager in peace', async () => {
    const slug = await provided();
    secret.world.provider.play(taking(() => 'another'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => secret.call(slug)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(401));
    expect(answers[0]?.text).toContain('wrong key');
    expect(secret.reads()).toBeLessThanOrEqual(3);
  });
});

describe('a manager that gives no value', () => {
  it('makes an error of the target, which a fallback survives', async () => {
    const slug = await provided();
    secret.manager.play(json(503, {}));
    const answer = await secret.call(slug);
    expect([answer.status, errorIn(answer).code]).toEqual([503, 'secret_unavailable']);
    expect(errorIn(answer).message).toMatch(/the secret reference vault-\d+ is unreachable/);
    secret.world.provider.play(json(200, chatAnswer('from the other')));
    const targets = [{ provider: `@${slug}` }, { provider: `@${secret.world.slug}` }];
    const second = await secret.world.call({
      config: { strategy: { mode: 'fallback' }, targets },
      body: { model: 'gpt-test', messages },
    });
    expect([second.status, secret.world.provider.requests.length]).toEqual([200, 1]);
  });

  it.each([
    ['points at nothing', { secretPath: 'secret/data/nothing' }, 'is missing'],
    ['has not the member', { secretKey: 'nothing' }, 'is missing'],
    ['has several members and names none', { secretKey: null }, 'is unreadable'],
  ])('since the reference %s, says so', async (_what, change, message) => {
    const answer = await secret.call(await provided(change));
    expect([answer.status, errorIn(answer).code]).toEqual([503, 'secret_unavailable']);
    expect(errorIn(answer).message).toContain(message);
  });

  it('that fits a header sends none', async () => {
    secret.vault.secrets.set('secret/openai', { key: `${OLD}\nx-other: header` });
    const answer = await secret.call(await provided());
    expect([answer.status, errorIn(answer).code]).toEqual([503, 'secret_unavailable']);
    expect(errorIn(answer).message).toContain('for key must be a text of one line');
    expect(answer.text).not.toContain(OLD);
  });

  it('is survived with the last value, for as long as the setting says', async () => {
    const slug = await provided();
    secret.world.provider.play(hello);
    await secret.call(slug);
    const wentAt = Date.now();
    secret.manager.play(() => undefined);
    while (Date.now() - wentAt < 1000) expect((await secret.call(slug)).status).toBe(200);
    const answer = await until(async () => {
      const latest = await secret.call(slug);
      return latest.status === 200 ? null : latest;
    });
    expect(errorIn(answer).code).toBe('secret_unavailable');
    expect(Date.now() - wentAt).toBeGreaterThan(1900);
    secret.manager.play(secret.vault.script);
    await until(async () => (await secret.call(slug)).status === 200);
  });

  it('since the secret is gone ends its use', async () => {
    const slug = await provided();
    secret.world.provider.play(hello);
    await secret.call(slug);
    secret.vault.secrets.clear();
    const answer = await until(async () => {
      const latest = await secret.call(slug);
      return latest.status === 200 ? null : latest;
    });
    expect(errorIn(answer).message).toContain('is missing');
  });
});

it('a change of the reference holds at once', async () => {
  const reference = await secret.reference();
  const slug = await secret.providerOf(reference);
  const change = async (input: object) =>
    dataOf(
      await secret.world.app.graphql(
        `mutation ($id: ID!, $input: UpdateSecretReferenceInput!) {
          updateSecretReference(id: $id, input: $input) { id }
        }`,
        { id: reference.id, input },
      ),
    );
  secret.world.provider.play(hello);
  await secret.call(slug);
  secret.vault.secrets.set('secret/next', { key: NEW });
  await change({ secretPath: 'secret/data/next' });
  await secret.call(slug);
  expect(secret.world.provider.requests.map(keyOf)).toEqual([OLD, NEW]);
  await change({ allowedWorkspaces: [] });
  expect(errorIn(await secret.call(slug))).toMatchObject({
    code: 'secret_unavailable',
    message: expect.stringContaining('gone, or not for this workspace'),
  });
});

describe("a provider's own mapping", () => {
  const toKey = (slug: string, secret_key = 'key') => [
    { target_field: 'key', secret_reference_id: slug, secret_key },
  ];
  const update = (slug: string, body: object) =>
    secret.world.app.rest('PUT', `/v1/providers/${slug}`, { body, key: secret.world.app.workspaceKey });

  it("goes before the key and the mappings of its integration, and leaves the others' alone", async () => {
    secret.vault.secrets.set('secret/openai', { key: OLD, own: NEW, organisation: 'org-kept' });
    const { slug } = await secret.reference();
    const { world } = secret;
    const mapped = await secret.providerOf({ slug }, [
      { target_field: 'key' },
      { target_field: 'configurations.openai_organization', secret_key: 'organisation' },
    ]);
    const stored = await world.makeProvider({}, { secret_mappings: toKey(slug, 'own') });
    world.provider.play(hello);
    await secret.call(mapped);
    await update(mapped, { secret_mappings: toKey(slug, 'own') });
    await secret.call(mapped);
    await secret.call(stored);
    expect(world.provider.requests.map(keyOf)).toEqual([OLD, NEW, NEW]);
    expect(world.provider.requests[1]?.headers['openai-organization']).toBe('org-kept');
    await update(mapped, { secret_mappings: null });
    await secret.call(mapped);
    await secret.call(world.slug);
    expect(world.provider.requests.slice(3).map(keyOf)).toEqual([OLD, STORED_KEY]);
  });

  it('is renewed after a refusal, and in the background', async () => {
    const { slug } = await secret.reference();
    const own = await secret.world.makeProvider({}, { secret_mappings: toKey(slug) });
    const { provider } = secret.world;
    provider.play(taking(() => OLD));
    expect((await secret.call(own)).status).toBe(200);
    secret.vault.secrets.set('secret/openai', { key: NEW });
    provider.play(taking(() => NEW));
    expect((await secret.call(own)).status).toBe(200);
    provider.play(hello);
    secret.vault.secrets.set('secret/openai', { key: OLD });
    await until(async () => {
      await secret.call(own);
      return keyOf(provider.requests.at(-1) as ReceivedRequest) === OLD;
    });
  });

  it('is the whole credential of a virtual key that stores none', async () => {
    secret.vault.secrets.set('secret/openai', { key: OLD, project: 'proj-kept' });
    const { slug } = await secret.reference();
    const { app } = secret.world;
    const { body } = await app.rest('POST', '/v1/virtual-keys', {
      key: app.workspaceKey,
      body: {
        name: 'Mapped',
        provider: 'openai',
        secret_mappings: [
          ...toKey(slug),
          { target_field: 'model_config.openai_project', secret_reference_id: slug, secret_key: 'project' },
        ],
      },
    });
    const virtualKey = (body as { data: { slug: string } }).data.slug;
    // Virtual keys have no host of their own to set, so the integration behind this one gets it here.
    const found = await app.db.collection('providers').findOne({ slug: virtualKey });
    await app.db
      .collection('integrations')
      .updateOne(
        { _id: found?.integrationId },
        { $set: { configurations: { custom_host: secret.world.provider.url } } },
      );
    secret.world.provider.play(hello);
    const answer = await secret.world.call({
      headers: { 'x-gateway-virtual-key': virtualKey },
      body: { model: 'gpt-test', messages },
    });
    expect(answer.status).toBe(200);
    expect(secret.world.provider.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${OLD}`,
      'openai-project': 'proj-kept',
    });
    await app.logged();
    expect(await dump(app)).not.toContain(OLD);
  });
});
